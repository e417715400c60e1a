// Room policies/kinds: what policies are built from: lists, choices of a unit, schedules; and how a policy
// is made by its name.
//
// Policies in which an idle unit takes the first of the waiting tasks by a ranking that is fixed per stream
// and segment. One of them is its ranking alone.
#pragma once

#include "policies/engine/policy.h"
#include "policies/kinds/task_queue.h"

namespace tandem {

class ListPolicy final : public Policy {
 public:
  ListPolicy(const Problem& problem, const TaskQueue::Rule& rule);

  void Ready(const Task& task, const Board&) override { queue_.Add(task); }
  bool Take(UnitId unit, const Board&, Task& task) override { return queue_.Take(unit, task); }
  void Drop(const Task& task) override { queue_.Remove(task); }

  // How the unit ranks tasks of that segment.
  LaneRule RuleOf(UnitId unit, StreamId stream, SegmentId segment) const {
    return queue_.RuleOf(unit, stream, segment);
  }

 private:
  TaskQueue queue_;
};

}  // namespace tandem
