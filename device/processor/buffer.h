// Floats that kernels can work on: aligned to a cache line, every page touched.
#pragma once

#include <cstddef>
#include <memory>
#include <span>

#include "device/processor/tensor_memory.h"
#include "profiles/model/weights.h"

namespace tandem {

class Buffer {
 public:
  Buffer() = default;
  explicit Buffer(std::size_t floats, TensorMemory& memory = HostMemory());  // zeros; throws std::bad_alloc
  explicit Buffer(std::span<const float> values, TensorMemory& memory = HostMemory());  // that the host reads

  float* data() { return floats_.get(); }
  const float* data() const { return floats_.get(); }
  std::size_t size() const { return size_; }
  // Only where the host reads the memory.
  std::span<float> values() { return {floats_.get(), size_}; }
  std::span<const float> values() const { return {floats_.get(), size_}; }

 private:
  struct Free {
    TensorMemory* memory;  // not initialised here: clang would take the default constructor away
    void operator()(float* floats) const { memory->Free(floats); }
  };
  std::unique_ptr<float[], Free> floats_;
  std::size_t size_ = 0;
};

}  // namespace tandem
