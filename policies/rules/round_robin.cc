// Round robin: request k, counted over all streams in request order, goes to unit k mod K of the K units that
// can run the whole of it. Where no single unit can, its tasks go in turn, starting at k, to those that can
// run them. Tie-break: none is needed. Source: the usual load balancer; study 003 compares with it.
#include <map>

#include "policies/kinds/assigning_policy.h"

namespace tandem::round_robin {
namespace {

class RoundRobinPolicy final : public AssigningPolicy {
 public:
  explicit RoundRobinPolicy(const Problem& problem) : AssigningPolicy(problem) {
    for (const Cut& cut : problem.cuts()) {
      whole_.emplace_back();
      for (std::size_t u = 0; u < problem.units(); ++u) {
        if (RunsAll(cut, UnitId(u))) whole_.back().emplace_back(u);
      }
    }
  }

 private:
  struct Turn {
    std::size_t number = 0;   // of the request; then one more for every task that could not stay together
    std::int32_t waited = 0;  // tasks that have become ready
  };

  bool RunsAll(const Cut& cut, UnitId unit) const {
    for (std::int32_t i = 0; i < cut.segments; ++i) {
      if (!problem().Runs(SegmentId(cut.first.index() + static_cast<std::size_t>(i)), unit)) return false;
    }
    return true;
  }

  UnitId UnitFor(const Task& task, const Board&) override {
    const Cut& cut = problem().cut(task.stream);
    const std::vector<UnitId>& whole = whole_[problem().cut_of(task.stream).index()];
    if (cut.segments == 1) return whole[next_++ % whole.size()];
    const auto [found, is_new] = under_way_.try_emplace({task.stream, task.index});
    Turn& turn = found->second;
    if (is_new) turn.number = next_++;
    const UnitId unit =
        whole.empty() ? NextAble(task.segment, turn.number++) : whole[turn.number % whole.size()];
    if (++turn.waited == cut.segments) under_way_.erase(found);
    return unit;
  }

  UnitId NextAble(SegmentId segment, std::size_t turn) {
    able_.clear();
    for (std::size_t u = 0; u < problem().units(); ++u) {
      if (problem().Runs(segment, UnitId(u))) able_.emplace_back(u);
    }
    return able_[turn % able_.size()];
  }

  void Dropped(const Task& task) override { under_way_.erase({task.stream, task.index}); }

  std::size_t next_ = 0;
  std::vector<std::vector<UnitId>> whole_;                       // per cut: the units that can run all of it
  std::map<std::pair<StreamId, std::int32_t>, Turn> under_way_;  // requests of several tasks
  std::vector<UnitId> able_;
};

Prepared Make(const PolicySpec&, const Problem& problem) {
  return std::make_unique<RoundRobinPolicy>(problem);
}

const PolicyRegistration kRoundRobin{{.name = "round_robin",
                                      .summary = "request k goes to unit k mod K of the K that can run it",
                                      .make = Make}};

}  // namespace
}  // namespace tandem::round_robin
