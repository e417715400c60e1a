// Which tensors a run keeps where, and how many buffers of each size that takes: all of them are made before
// the run begins.
#pragma once

#include <cstdint>
#include <deque>
#include <map>
#include <span>
#include <utility>
#include <vector>

#include "device/processor/buffer.h"
#include "policies/problem/problem.h"
#include "scenarios/trace/span.h"

namespace tandem {

// The parts of a split layer make one tensor together. Per tensor of a cut: the first of its layer, how many
// they are, and how many floats the layer makes.
struct WholeTensor {
  std::int32_t first = 0, parts = 1;
  std::int64_t elements = 0;
};
std::vector<WholeTensor> WholeTensorsOf(const Cut& cut);

// Buffers come in powers of two: tensors of nearly a size take turns in the same few, which are still in the
// caches then.
std::int64_t RoomFor(std::int64_t floats);

// How many buffers of so much room are in use at most, in each memory of the platform.
using BufferCounts = std::map<std::pair<MemoryId, std::int64_t>, std::int64_t>;

// Of a run that went like this.
BufferCounts BuffersInUse(const Problem& problem, std::span<const Span> spans);

// How many requests of streams that form batches are under way at most, from their first copy to their last,
// by the memory of the units that run them.
using RequestsInFlight = std::map<MemoryId, std::int64_t>;
RequestsInFlight BatchesInFlight(const Problem& problem, std::span<const Span> spans);

// Buffers of a few sizes, taken and given back. Makes more where they run out.
class BufferPools {
 public:
  // The same for the same memory and room.
  std::size_t PoolOf(TensorMemory& memory, MemoryId id, std::int64_t floats);
  void Reserve(std::size_t pool, std::int64_t count);

  float* Take(std::size_t pool);
  void GiveBack(std::size_t pool, float* at) { pools_[pool].free.push_back(at); }

 private:
  struct Pool {
    TensorMemory* memory = nullptr;
    std::size_t floats = 0;
    std::vector<float*> free;
  };
  std::vector<Pool> pools_;
  std::map<std::pair<MemoryId, std::int64_t>, std::size_t> known_;
  std::deque<Buffer> buffers_;
};

}  // namespace tandem
