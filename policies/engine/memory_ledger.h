// Who holds how much of which memory: weights of the models that units hold, and tensors from the time when
// their room is reserved until the last task that reads them has run. What waits outside, a model's inputs in
// the first memory before it runs, is not counted.
#pragma once

#include <cstdint>
#include <vector>

#include "policies/engine/live_requests.h"
#include "policies/problem/problem.h"
#include "policies/problem/task.h"

namespace tandem {

class MemoryLedger {
 public:
  explicit MemoryLedger(const Problem& problem);

  bool on() const { return on_; }  // else nothing can ever run out

  void Begin(const Task& task);  // a request of several tasks
  // Room in the unit's memory for all that the task reads and makes; false, and nothing changes, where it
  // lacks.
  bool Reserve(const Task& task, UnitId unit, const LiveRequests& live);
  void TaskEnded(const Task& task, UnitId unit);
  void RequestEnded(const Task& task);
  bool Load(ModelId model, UnitId unit);  // false where its weights have no room
  void Unload(ModelId model, UnitId unit);

 private:
  MemoryId MemoryOf(UnitId unit) const { return problem_->MemoryOf(unit); }
  std::size_t TensorAt(const Task& task, std::int32_t tensor) const {
    return static_cast<std::size_t>(task.live) * tensors_ + static_cast<std::size_t>(tensor);
  }
  bool MayRunOut(MemoryId memory) const;
  void Free(std::size_t tensor_at);

  const Problem* problem_;
  bool on_ = false;
  std::size_t tensors_ = 0, memories_;
  std::vector<std::int64_t> free_;     // per memory
  std::vector<std::int64_t> held_;     // per request, tensor and memory
  std::vector<std::int32_t> readers_;  // per request and tensor: tasks that have yet to read it
};

}  // namespace tandem
