// What the steps of a segment read beside its tensors, in the card's memory.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "device/backends/cuda/gpu/buffer.h"

namespace tandem::gpu {

// The same numbers lie on a card once, for all who hold them: segments of a model, its slots, its parts.
class GpuWeights {
 public:
  // Copies come back when they are done; throw std::bad_alloc, EnvironmentError.
  GpuWeights(Card& card, CardStream& stream) : card_(card), stream_(stream) {}

  const void* Add(std::span<const float> values, Element element);
  const float* Floats(std::span<const float> values) {
    return static_cast<const float*>(Add(values, Element::kFloat));
  }
  const std::int32_t* Positions(const std::vector<std::int64_t>& positions);

  std::int64_t bytes() const { return bytes_; }  // those that others hold, too, among them

 private:
  const void* Bring(std::span<const std::byte> numbers);

  Card& card_;
  CardStream& stream_;
  std::vector<std::shared_ptr<const GpuBuffer>> buffers_;
  std::int64_t bytes_ = 0;
};

// Weights (a, b, h, w) with the second axis last.
std::vector<float> SecondAxisLast(const float* weights, std::int64_t a, std::int64_t b, std::int64_t window);

}  // namespace tandem::gpu
