// Policies that choose the unit of a task when it becomes ready; each unit then runs its tasks in a fixed
// order.
#pragma once

#include <map>
#include <tuple>
#include <vector>

#include "policies/engine/policy.h"
#include "policies/kinds/task_queue.h"

namespace tandem {

class AssigningPolicy : public Policy {
 public:
  // Without a rule each unit runs its tasks in task order.
  explicit AssigningPolicy(const Problem& problem);
  AssigningPolicy(const Problem& problem, const TaskQueue::Rule& rule);

  void Ready(const Task& task, const Board& board) final;
  bool Take(UnitId unit, const Board& board, Task& task) final;
  void Drop(const Task& task) final;
  void SetAside(const Task& task) final;

 protected:
  // The unit that runs the task: one of those that can.
  virtual UnitId UnitFor(const Task& task, const Board& board) = 0;
  // A task that had its unit is not to run: its request is dropped.
  virtual void Dropped(const Task&) {}

  const Problem& problem() const { return *problem_; }
  // Profiled work of the tasks that wait for the unit, dispatch included.
  Nanos Queued(UnitId unit) const { return queued_[unit.index()]; }
  Nanos WorkOf(const Task& task, UnitId unit) const { return problem_->Work(task.segment, unit); }

 private:
  const Problem* problem_;
  std::vector<TaskQueue> queues_;  // per unit
  std::vector<Nanos> queued_;      // per unit
  Task taken_;                     // the last one, and by whom
  UnitId taken_by_;
  using Key = std::tuple<StreamId, std::int32_t, SegmentId>;
  static Key KeyOf(const Task& task) { return {task.stream, task.index, task.segment}; }
  std::map<Key, UnitId> aside_;  // that were set aside when they had been sent: where they go again
};

}  // namespace tandem
