// The tensors of the requests under way: who writes and reads which memory. A tensor has a place in each
// memory of the platform where somebody makes it or brings it; memory is taken when the first begins to and
// given back, everywhere, when its last reader has ended or, of what leaves the model, when it is back.
#pragma once

#include <cstdint>
#include <deque>
#include <vector>

#include "device/harness/buffers.h"
#include "device/harness/units.h"
#include "policies/problem/task.h"

namespace tandem {

class LiveTensors {
 public:
  // More buffers than these are made when they are needed. `units` is prepared for the problem.
  LiveTensors(const Problem& problem, const HarnessUnits& units, const BufferCounts& counts);

  // The first tensor of the layer, and all that its parts make.
  const WholeTensor& Whole(const Task& task, std::int32_t tensor) const { return Of(task, tensor).whole; }
  // Where in it the tensor lies.
  const TensorBlock& Block(const Task& task, std::int32_t tensor) const { return Of(task, tensor).block; }

  // The whole of it, in that memory; memory is taken where it has none there. What a model reads and makes in
  // the first memory is not here.
  float* Take(const Task& task, std::int32_t tensor, MemoryId memory);
  float* At(const Task& task, std::int32_t tensor, MemoryId memory);  // null: nothing of it is there
  bool Here(const Task& task, std::int32_t tensor, MemoryId memory);  // that part of it
  void Arrived(const Task& task, std::int32_t tensor, MemoryId memory);
  // A reader has ended, or it has come back as an output.
  void Used(const Task& task, std::int32_t tensor);

  // On a way over several links: what lies in a memory in between, until the next link has taken it on.
  float* TakeBetween(const Task& task, std::int32_t tensor, MemoryId memory);
  void ArrivedBetween(const Task& task, const float* at);
  float* FindBetween(const Task& task, std::int32_t tensor, MemoryId memory);  // that arrived; null: none
  void LeftBetween(const Task& task, const float* at);  // nothing where that is not such a place

  // For a reader alone.
  float* Borrow(const Task& task, std::int32_t tensor, MemoryId memory) {
    return pools_.Take(PoolOf(task, tensor, memory));
  }
  void Return(const Task& task, std::int32_t tensor, MemoryId memory, float* at) {
    pools_.GiveBack(PoolOf(task, tensor, memory), at);
  }

  // A request of one task: lets go of its state where nothing of it is left.
  void Settle(const Task& task);

 private:
  struct CutTensorHere {
    WholeTensor whole;
    TensorBlock block;
    std::vector<std::size_t> pools;  // per memory
  };
  struct OfCut {
    std::vector<CutTensorHere> tensors;
    std::vector<std::int32_t> uses;  // per tensor, at the first of a layer
  };
  enum class Stay : std::uint8_t { kComing, kThere, kLeaving };
  struct Between {
    std::int32_t tensor = 0;
    MemoryId memory;
    Stay stay = Stay::kComing;
    float* at = nullptr;
  };
  struct Request {
    StreamId stream;  // invalid: none
    std::int32_t index = -1, held = 0;
    std::vector<float*> at;               // per tensor (the first of a layer) and memory; null: not there
    std::vector<char> here;               // per tensor and memory
    std::vector<std::int32_t> uses_left;  // per tensor, at the first of a layer
    std::vector<Between> between;
  };

  const CutTensorHere& Of(const Task& task, std::int32_t tensor) const {
    return cuts_[problem_->cut_of(task.stream).index()].tensors[static_cast<std::size_t>(tensor)];
  }
  std::size_t PoolOf(const Task& task, std::int32_t tensor, MemoryId memory) const {
    return Of(task, tensor).pools[memory.index()];
  }
  std::size_t Index(std::int32_t tensor, MemoryId memory) const {
    return static_cast<std::size_t>(tensor) * memories_ + memory.index();
  }
  void Describe(const HarnessUnits& units, const Cut& cut);
  Request MakeRequest() const;
  Request& StateOf(const Task& task);
  Request& Loose(const Task& task);

  const Problem* problem_;
  std::size_t memories_, most_tensors_ = 0;
  std::vector<OfCut> cuts_;
  BufferPools pools_;
  std::deque<Request> requests_;  // by Task::live
  std::deque<Request> loose_;     // of one task, which have no place among those
};

}  // namespace tandem
