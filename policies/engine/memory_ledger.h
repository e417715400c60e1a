// Who holds how much of which memory: weights of the models that units hold, and what requests under way may
// need. A request is begun only where it can be finished: one of several tasks takes room for the most that
// it ever holds in every memory where its tasks may run, and gives it back when it ends; one of one task for
// what the task reads and makes. What waits outside, a model's inputs in the first memory, is not counted.
#pragma once

#include <cstdint>
#include <vector>

#include "policies/problem/problem.h"
#include "policies/problem/task.h"

namespace tandem {

class MemoryLedger {
 public:
  // Throws InputError where requests of a stream can never be finished.
  explicit MemoryLedger(const Problem& problem);

  bool on() const { return on_; }  // else nothing can ever run out

  // Could so many requests more be begun now? Those of one task run on the unit.
  bool MayBegin(const Task& task, UnitId unit, std::int64_t requests = 1) const;
  // The memory that lacks the room for so many; invalid: none does.
  MemoryId Lacking(const Task& task, UnitId unit, std::int64_t requests) const;
  // The request begins with this task; there is room for it.
  void Begin(const Task& task, UnitId unit);
  // Of a request of several tasks that has state: this one has its slot.
  void Taken(const Task& task);
  bool HasBegun(const Task& task) const {
    return task.live >= 0 && static_cast<std::size_t>(task.live) < next_.size() &&
           next_[static_cast<std::size_t>(task.live)] != kNotBegun;
  }
  void TaskEnded(const Task& task, UnitId unit);
  void TaskLost(const Task& task, UnitId unit);  // it is to be taken again
  void RequestEnded(const Task& task);

  // There is no room for its tasks side by side: they run one after the other.
  bool InOrder(const Task& task) const { return in_order_[problem_->cut_of(task.stream).index()] != 0; }
  // Of such a request: is it the task's turn?
  bool IsNext(const Task& task) const;

  bool Load(ModelId model, UnitId unit);  // false where its weights have no room
  void Unload(ModelId model, UnitId unit);
  // Does the unit hold more than is kept for its weights in any case?
  bool HoldsBeyond(UnitId unit) const { return held_[unit.index()] > kept_[unit.index()]; }

  // What a request of the task's stream takes there, and what all together may take at most.
  std::int64_t Need(const Task& task, UnitId unit, MemoryId memory) const;
  std::int64_t Room(MemoryId memory) const { return room_[memory.index()]; }

 private:
  static constexpr std::int32_t kNotBegun = -1;

  MemoryId MemoryOf(UnitId unit) const { return problem_->MemoryOf(unit); }
  std::int32_t Local(const Task& task) const {
    return static_cast<std::int32_t>(task.segment.index() - problem_->cut(task.stream).first.index());
  }
  bool OfOneTask(const Task& task) const { return problem_->cut(task.stream).segments == 1; }
  bool Fits(MemoryId memory, std::int64_t bytes) const;
  void Use(MemoryId memory, std::int64_t bytes) {
    used_[memory.index()] += bytes;
    free_[memory.index()] -= bytes;
  }
  void ChangeHeld(UnitId unit, std::int64_t by);
  bool MayRunOut(MemoryId memory) const;
  void FindNeeds();
  void CheckFits(CutId cut, MemoryId memory, std::int64_t need) const;

  const Problem* problem_;
  bool on_ = false;
  std::vector<std::int64_t> held_, kept_;         // per unit: weights
  std::vector<std::int64_t> room_, used_, free_;  // per memory: for requests in any case, by them, left
  std::vector<std::vector<std::int64_t>> need_;   // per cut of several tasks and memory
  std::vector<char> in_order_;                    // per cut
  std::vector<std::int32_t> next_;  // per request with state: whose turn it is, where that counts
};

}  // namespace tandem
