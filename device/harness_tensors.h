// The tensors between the tasks of the requests under way: who writes and reads which memory. Memory is taken
// when a task begins that fills it and given back when its last reader has ended; all of it is there
// beforehand.
#pragma once

#include <cstdint>
#include <deque>
#include <map>
#include <span>
#include <vector>

#include "device/buffer.h"
#include "policies/problem.h"
#include "policies/task.h"
#include "scenarios/span.h"

namespace tandem {

// The parts of a split layer make one tensor together. Per tensor of a cut: the first of its layer, and how
// many floats the layer makes.
struct WholeTensor {
  std::int32_t first = 0;
  std::int64_t elements = 0;
};
std::vector<WholeTensor> WholeTensorsOf(const Cut& cut);

// How many buffers of so many floats are in use at most.
using BufferCounts = std::map<std::int64_t, std::int64_t>;

// Of a run that went like this.
BufferCounts BuffersInUse(const Problem& problem, std::span<const Span> spans);

class LiveTensors {
 public:
  // More than these are made when they are needed.
  LiveTensors(const Problem& problem, const BufferCounts& counts);

  // A task begins: memory for what it makes and others read.
  void Begin(const Task& task);
  // Where the tensor of the task's cut lies, the whole of it; one of those between tasks.
  float* At(const Task& task, std::int32_t tensor) const;
  // The task has ended: gives back what nobody is to read any more.
  void Ended(const Task& task);

 private:
  struct Request {
    std::vector<float*> at;                  // per tensor of the cut, at the first of a layer; null: not now
    std::vector<std::int32_t> readers_left;  // the same
  };
  Request& Of(const Task& task) { return requests_[static_cast<std::size_t>(task.live)]; }
  // The first tensor of the layer, and all that its parts make.
  const WholeTensor& Whole(const Task& task, std::int32_t tensor) const {
    return whole_[problem_->cut_of(task.stream).index()][static_cast<std::size_t>(tensor)];
  }

  const Problem* problem_;
  std::vector<std::vector<WholeTensor>> whole_;  // per cut
  std::size_t most_tensors_ = 0;                 // of any cut
  std::deque<Buffer> buffers_;
  std::map<std::int64_t, std::vector<float*>> free_;  // by size in floats
  std::deque<Request> requests_;                      // by Task::live
};

}  // namespace tandem
