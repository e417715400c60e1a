// Elements as kernels see them, with nothing around them that they might read.
#pragma once

#include <cstddef>
#include <cstring>
#include <limits>
#include <vector>

#include "device/backends/cuda/kernel_calls.h"
#include "tests/support/device/cuda_on_host/cuda_fp16.h"

namespace tandem::gpu {

class CardTensor {
 public:
  // No numbers at first. It begins `shift` elements after an address that packs can be read at.
  CardTensor(Element element, std::size_t count, std::size_t shift = 0)
      : CardTensor(element, std::vector<float>(count, std::numeric_limits<float>::quiet_NaN()), shift) {}
  CardTensor(Element element, const std::vector<float>& values, std::size_t shift = 0)
      : element_(element), count_(values.size()), shift_(shift), bytes_((count_ + shift) * Size()) {
    for (std::size_t i = 0; i < count_; ++i) {
      const __half half = __float2half(values[i]);
      if (element == Element::kHalf) {
        std::memcpy(At(i), &half, sizeof half);
      } else {
        std::memcpy(At(i), &values[i], sizeof(float));
      }
    }
  }

  Element element() const { return element_; }
  std::size_t size() const { return count_; }
  void* At(std::size_t i) { return bytes_.data() + (shift_ + i) * Size(); }
  const void* At(std::size_t i) const { return bytes_.data() + (shift_ + i) * Size(); }
  void* data() { return At(0); }
  const void* data() const { return At(0); }
  float operator[](std::size_t i) const {
    if (element_ == Element::kHalf) {
      __half half{};
      std::memcpy(&half, At(i), sizeof half);
      return __half2float(half);
    }
    float value = 0;
    std::memcpy(&value, At(i), sizeof value);
    return value;
  }
  std::vector<float> values() const {
    std::vector<float> all;
    for (std::size_t i = 0; i < count_; ++i) all.push_back((*this)[i]);
    return all;
  }

 private:
  std::size_t Size() const { return element_ == Element::kHalf ? 2 : 4; }

  Element element_;
  std::size_t count_, shift_;
  std::vector<std::byte> bytes_;
};

}  // namespace tandem::gpu
