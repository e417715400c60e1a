#include "policies/kinds/assigning_policy.h"

#include "profiles/base/check.h"

namespace tandem {

AssigningPolicy::AssigningPolicy(const Problem& problem)
    : AssigningPolicy(problem, [](UnitId, StreamId, SegmentId) { return LaneRule{.takes = true}; }) {}

AssigningPolicy::AssigningPolicy(const Problem& problem, const TaskQueue::Rule& rule)
    : problem_(&problem), queued_(problem.units()) {
  for (std::size_t u = 0; u < problem.units(); ++u)
    queues_.emplace_back(problem, std::vector{UnitId(u)}, rule);
}

void AssigningPolicy::Ready(const Task& task, const Board& board) {
  const auto before = aside_.empty() ? aside_.end() : aside_.find(KeyOf(task));
  const UnitId unit = before == aside_.end() ? UnitFor(task, board) : before->second;
  if (before != aside_.end()) aside_.erase(before);
  TANDEM_CHECK(problem_->Runs(task.segment, unit), "a task is sent only where it can run");
  queues_[unit.index()].Add(task);
  queued_[unit.index()] += WorkOf(task, unit);
}

bool AssigningPolicy::Take(UnitId unit, const Board&, Task& task) {
  if (!queues_[unit.index()].Take(unit, task)) return false;
  queued_[unit.index()] -= WorkOf(task, unit);
  taken_ = task;
  taken_by_ = unit;
  return true;
}

void AssigningPolicy::SetAside(const Task& task) {
  if (!taken_by_.valid() || KeyOf(taken_) != KeyOf(task)) return;
  aside_[KeyOf(task)] = taken_by_;
}

void AssigningPolicy::Drop(const Task& task) {
  if (aside_.erase(KeyOf(task)) > 0) return Dropped(task);
  for (std::size_t u = 0; u < queues_.size(); ++u) {
    if (!queues_[u].Remove(task)) continue;
    queued_[u] -= WorkOf(task, UnitId(u));
    Dropped(task);
    return;
  }
}

}  // namespace tandem
