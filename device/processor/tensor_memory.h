// Where tensors lie: in the host's memory, or in one that a processor brings with it.
#pragma once

#include <cstddef>
#include <cstdint>

namespace tandem {

// What a memory has free by the word of whoever manages it, whatever takes the rest: these tensors, the
// libraries, other programs. `least`: since that was last asked, as far as it was looked at.
struct MemoryRoom {
  std::int64_t free_bytes = 0, least_bytes = 0;
};
// What went from one word of it to the next: at most, and what is held still.
struct MemoryTaken {
  std::int64_t peak_bytes = 0, held_bytes = 0;
};
inline MemoryTaken TakenBetween(const MemoryRoom& before, const MemoryRoom& after) {
  return {before.free_bytes - after.least_bytes, before.free_bytes - after.free_bytes};
}

// A block that lies in a whole tensor: `runs` runs of `length` floats, `stride` apart, the first at `first`.
struct TensorBlock {
  std::size_t runs = 1, length = 0, stride = 0, first = 0;

  bool Dense() const { return runs == 1; }
  std::size_t size() const { return runs * length; }
};
inline TensorBlock WholeBlock(std::size_t floats) { return {1, floats, floats, 0}; }

// From any thread. Lives as long as the program.
class TensorMemory {
 public:
  virtual ~TensorMemory() = default;
  // Aligned to 64 bytes, zeros; throws std::bad_alloc.
  virtual float* Allocate(std::size_t floats) = 0;
  virtual void Free(float* at) noexcept = 0;
  // May the host's own code read and write what lies there?
  virtual bool HostReads() const = 0;
};

// The host's, as every program takes it.
TensorMemory& HostMemory();

// The block to the same place of another tensor, both in memory that the host reads.
void CopyOnHost(float* to, const float* from, const TensorBlock& block);

// Copies tensors between the host's memory and one of a unit, either way, or within one of them.
class Copier {
 public:
  virtual ~Copier() = default;
  // The block of `from` to the same place of `to`; both point to the beginnings of whole tensors, in plain
  // order. Back when it is done. Throws EnvironmentError. From the thread that opened it; allocates nothing.
  virtual void Copy(float* to, const float* from, const TensorBlock& block) = 0;
};

}  // namespace tandem
