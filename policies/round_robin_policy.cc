// Round robin: request k, counted over all streams in request order, goes to unit k mod K of the K units that
// can run it; at finer granularities every task of it that the unit cannot run goes to the next that can.
// Tie-break: none is needed. Source: the usual load balancer; study 003 compares with it.
#include "policies/assigning_policy.h"

namespace tandem {
namespace {

class RoundRobinPolicy final : public AssigningPolicy {
 public:
  using AssigningPolicy::AssigningPolicy;

 private:
  UnitId UnitFor(const Task& task, const Board&) override {
    able_.clear();
    for (std::size_t u = 0; u < problem().units(); ++u) {
      if (problem().Runs(task.segment, UnitId(u))) able_.emplace_back(u);
    }
    return able_[next_++ % able_.size()];
  }

  std::size_t next_ = 0;
  std::vector<UnitId> able_;
};

std::unique_ptr<Policy> Make(const PolicySpec&, Problem& problem) {
  return std::make_unique<RoundRobinPolicy>(problem);
}

const PolicyRegistration kRoundRobin{
    {.name = "round_robin", .summary = "requests go to the units that can run them in turn", .make = Make}};

}  // namespace
}  // namespace tandem
