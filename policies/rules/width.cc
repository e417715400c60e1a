// Width: of units that share cores (an NPU's cores one by one, and together) those of one number of cores are
// a width. An idle unit takes the earliest task that it can run if with its width all that waits would be
// done first: in rounds of as many as there are units of that width side by side, from the end of what keeps
// them busy on. Else it leaves it to another width, which may have to wait until its cores are free. So one
// request has all cores, and a backlog a core each, where that does more in all. A unit that shares nothing
// takes the earliest task that it can run. Tie-break: of widths that of the first unit of the platform; task
// order. Source: what NPU runtimes leave to the application (RKNN's core masks).
#include <algorithm>
#include <map>

#include "policies/engine/exclusion.h"
#include "policies/engine/policy.h"
#include "policies/kinds/task_queue.h"

namespace tandem::width {
namespace {

struct Width {
  std::vector<UnitId> units;
  std::int64_t side_by_side = 0;  // slots of those that may work at once
};
// Units that share cores, directly or by way of others.
struct Sharers {
  std::vector<Width> widths;
  std::int64_t waiting = 0;  // tasks that any of them runs
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
  // Who left a task to another width may have it now.
  bool Ended(const Task&, UnitId unit, const Board&) override { return SharersOf(unit).widths.size() > 1; }
  void Drop(const Task& task) override {
    if (queue_->Remove(task)) Count(task, -1);
  }

 private:
  const Sharers& SharersOf(UnitId unit) const { return sharers_[sharers_of_[unit.index()]]; }
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
      by_cores[problem_->platform().unit(unit).cores.size()].units.push_back(unit);
      sharers_of_[unit.index()] = sharers_.size();
    }
    for (std::size_t s = 0; s < run_by_.size(); ++s) {
      const auto runs = [&](UnitId unit) { return problem_->Runs(SegmentId(s), unit); };
      if (std::ranges::any_of(units, runs)) run_by_[s].push_back(sharers_.size());
    }
    std::vector<Width>& widths = sharers_.emplace_back().widths;
    for (auto& [cores, width] : by_cores) widths.push_back(std::move(width));
    std::ranges::sort(widths, {}, [](const Width& width) { return width.units.front(); });
    for (Width& width : widths) {
      std::vector<UnitId> beside;
      for (const UnitId unit : width.units) {
        const auto excludes = [&](UnitId other) {
          const auto& others = excluded_[unit.index()];
          return std::ranges::find(others, other) != others.end();
        };
        if (std::ranges::any_of(beside, excludes)) continue;
        beside.push_back(unit);
        width.side_by_side += problem_->platform().unit(unit).slots;
      }
    }
  }

  // What keeps the unit from beginning now.
  Nanos Wait(UnitId unit, const Board& board) const {
    Nanos wait = board.Remaining(unit) / problem_->platform().unit(unit).slots;
    for (const UnitId other : excluded_[unit.index()]) wait = std::max(wait, board.KeepsOffFor(other));
    return wait;
  }

  // When all that waits would be done by units of that width; kCannot where none runs it.
  Nanos DoneBy(const Width& width, SegmentId segment, std::int64_t tasks, const Board& board) const {
    Nanos takes = Problem::kCannot, wait{0};
    for (const UnitId unit : width.units) {
      if (!problem_->Runs(segment, unit)) continue;
      const Nanos at = Wait(unit, board);
      wait = takes < Nanos{0} ? at : std::min(wait, at);
      takes = std::max(takes, problem_->Work(segment, unit));
    }
    if (takes < Nanos{0}) return takes;
    const std::int64_t rounds = (tasks + width.side_by_side - 1) / width.side_by_side;
    return wait + std::min(takes, kLongestTime / rounds) * rounds;
  }

  bool IsWidthFor(UnitId unit, const Task& task, const Board& board) const {
    const Sharers& sharers = SharersOf(unit);
    if (sharers.widths.size() == 1) return true;
    const Width* best = nullptr;
    Nanos first{0};
    for (const Width& width : sharers.widths) {
      const Nanos done = DoneBy(width, task.segment, sharers.waiting, board);
      if (done < Nanos{0} || (best != nullptr && done >= first)) continue;
      best = &width;
      first = done;
    }
    return best != nullptr && std::ranges::find(best->units, unit) != best->units.end();
  }

  const Problem* problem_;
  std::vector<std::vector<UnitId>> excluded_;  // per unit
  std::vector<Sharers> sharers_;
  std::vector<std::size_t> sharers_of_;           // per unit
  std::vector<std::vector<std::size_t>> run_by_;  // per segment
  std::optional<TaskQueue> queue_;
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
