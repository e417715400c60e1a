// Width: of units that share cores (an NPU's cores one by one, and together) those of one number of cores are
// a width. An idle unit takes the earliest task that it can run if with its width all that waits would be
// done first: in rounds of as many as there are units of that width side by side, as slow beside each other
// as the profile knows them, from the end of what keeps them busy on. Else it leaves it to another width,
// which may have to wait until its cores are free. So one request has all cores, and a backlog a core each,
// where that does more in all. A unit that shares nothing takes the earliest task that it can run. Tie-break:
// of widths that of the first unit of the platform; task order. Source: what NPU runtimes leave to the
// application (RKNN's core masks).
#include <algorithm>
#include <map>

#include "policies/engine/exclusion.h"
#include "policies/engine/policy.h"
#include "policies/kinds/task_queue.h"
#include "policies/problem/slowdowns.h"

namespace tandem::width {
namespace {

using Width = std::vector<UnitId>;
// Units that share cores, directly or by way of others.
struct Sharers {
  std::vector<Width> widths;
  std::int64_t waiting = 0;  // tasks that any of them runs
  // By so many they decide at this instant, all alike: who has declined is not asked again though others take
  // some.
  std::int64_t counted = 0;
  Nanos counted_at{-1};
};

class WidthPolicy final : public Policy {
 public:
  explicit WidthPolicy(const Problem& problem)
      : problem_(&problem),
        excluded_(ExcludedUnits(problem.platform())),
        sharers_of_(problem.units()),
        run_by_(problem.segments().size()) {
    std::vector<UnitId> all;
    for (std::size_t u = 0; u < problem.units(); ++u) all.emplace_back(u);
    const auto any = [](UnitId, StreamId, SegmentId) { return LaneRule{.takes = true}; };
    queue_.emplace(problem, all, any);
    std::vector<char> seen(problem.units());
    for (const UnitId unit : all) {
      if (!seen[unit.index()]) AddSharers(WhoShares(unit, seen));
    }
  }

  void Ready(const Task& task, const Board&) override {
    queue_->Add(task);
    Count(task, 1);
    for (const std::size_t sharers : run_by_[task.segment.index()]) sharers_[sharers].counted_at = Nanos{-1};
  }
  bool Take(UnitId unit, const Board& board, Task& task) override {
    if (!queue_->Take(unit, task)) return false;
    if (!IsWidthFor(unit, task, board)) {
      queue_->Add(task);
      return false;
    }
    Count(task, -1);
    return true;
  }
  // Who left a task to another width may have it now, or others have taken what it counted with.
  bool Ended(const Task&, UnitId, const Board&) override { return any_choice_; }
  void Drop(const Task& task) override {
    if (queue_->Remove(task)) Count(task, -1);
  }

 private:
  void Count(const Task& task, std::int64_t by) {
    for (const std::size_t sharers : run_by_[task.segment.index()]) sharers_[sharers].waiting += by;
  }

  std::vector<UnitId> WhoShares(UnitId first, std::vector<char>& seen) const {
    std::vector<UnitId> found = {first};
    seen[first.index()] = 1;
    for (std::size_t next = 0; next < found.size(); ++next) {
      for (const UnitId other : excluded_[found[next].index()]) {
        if (seen[other.index()]) continue;
        seen[other.index()] = 1;
        found.push_back(other);
      }
    }
    std::ranges::sort(found);
    return found;
  }

  void AddSharers(const std::vector<UnitId>& units) {
    std::map<std::size_t, Width> by_cores;
    for (const UnitId unit : units) {
      by_cores[problem_->platform().unit(unit).cores.size()].push_back(unit);
      sharers_of_[unit.index()] = sharers_.size();
    }
    for (std::size_t s = 0; s < run_by_.size(); ++s) {
      const auto runs = [&](UnitId unit) { return problem_->Runs(SegmentId(s), unit); };
      if (std::ranges::any_of(units, runs)) run_by_[s].push_back(sharers_.size());
    }
    std::vector<Width>& widths = sharers_.emplace_back().widths;
    for (auto& [cores, width] : by_cores) widths.push_back(std::move(width));
    std::ranges::sort(widths, {}, [](const Width& width) { return width.front(); });
    any_choice_ = any_choice_ || widths.size() > 1;
  }

  bool IsAway(UnitId unit, const Board& board) const {
    return board.Remaining(unit) > board.KeepsOffFor(unit);  // as if it had very much to do
  }
  Nanos BusyFor(UnitId unit, const Board& board) const {
    return board.KeepsOffFor(unit) / problem_->platform().unit(unit).AtFullSpeed();
  }
  // What keeps the unit from beginning now; who asks has an idle slot and nobody that keeps it off.
  Nanos Wait(UnitId unit, UnitId asks, const Board& board) const {
    if (unit == asks) return Nanos{0};
    Nanos wait = BusyFor(unit, board);
    for (const UnitId other : excluded_[unit.index()]) wait = std::max(wait, BusyFor(other, board));
    return wait;
  }
  bool Shares(UnitId unit, const std::vector<UnitId>& with) const {
    const std::vector<UnitId>& others = excluded_[unit.index()];
    return std::ranges::any_of(with,
                               [&](UnitId one) { return std::ranges::find(others, one) != others.end(); });
  }

  // When all that waits would be done by units of that width that run the segment and are there; kCannot
  // where there are none.
  Nanos DoneBy(const Width& width, SegmentId segment, std::int64_t tasks, UnitId asks,
               const Board& board) const {
    Nanos takes = Problem::kCannot, wait{0};
    std::int64_t slots = 0;
    std::vector<UnitId> beside;
    for (const UnitId unit : width) {
      if (!problem_->Runs(segment, unit) || IsAway(unit, board)) continue;
      const Nanos at = Wait(unit, asks, board);
      wait = takes < Nanos{0} ? at : std::min(wait, at);
      takes = std::max(takes, problem_->Work(segment, unit));
      if (Shares(unit, beside)) continue;
      beside.push_back(unit);
      slots += problem_->platform().unit(unit).AtFullSpeed();
    }
    if (takes < Nanos{0}) return takes;
    // Those that do not begin now slow nobody down.
    const std::span at_once(beside.data(), std::min(beside.size(), static_cast<std::size_t>(tasks)));
    for (const UnitId unit : at_once) {
      const Nanos work = problem_->Work(segment, unit);
      takes = std::max(takes, problem_->slowdowns().AllAtOnce(segment, unit, work, at_once));
    }
    const std::int64_t rounds = std::max<std::int64_t>((tasks + slots - 1) / slots, 1);
    return wait + std::min(takes, kLongestTime / rounds) * rounds;
  }

  bool IsWidthFor(UnitId unit, const Task& task, const Board& board) {
    Sharers& sharers = sharers_[sharers_of_[unit.index()]];
    if (sharers.widths.size() == 1) return true;
    if (sharers.counted_at != board.now) {
      sharers.counted = sharers.waiting;
      sharers.counted_at = board.now;
    }
    const Width* best = nullptr;
    Nanos first{0};
    for (const Width& width : sharers.widths) {
      const Nanos done = DoneBy(width, task.segment, sharers.counted, unit, board);
      if (done < Nanos{0} || (best != nullptr && done >= first)) continue;
      best = &width;
      first = done;
    }
    return best == nullptr || std::ranges::find(*best, unit) != best->end();
  }

  const Problem* problem_;
  std::vector<std::vector<UnitId>> excluded_;  // per unit
  std::vector<Sharers> sharers_;
  std::vector<std::size_t> sharers_of_;           // per unit
  std::vector<std::vector<std::size_t>> run_by_;  // per segment
  std::optional<TaskQueue> queue_;
  bool any_choice_ = false;  // does any of them have several widths?
};

Prepared Make(const PolicySpec&, const Problem& problem) { return std::make_unique<WidthPolicy>(problem); }

const PolicyRegistration kWidth{
    {.name = "width",
     .summary =
         "of units that share cores one takes the earliest task if by its width all that waits is done first",
     .waiting = Waiting::kBoard,
     .make = Make}};

}  // namespace
}  // namespace tandem::width
