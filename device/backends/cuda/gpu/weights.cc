#include "device/backends/cuda/gpu/weights.h"

#include <algorithm>

#include "profiles/base/stored_numbers.h"

namespace tandem::gpu {

const void* GpuWeights::Add(std::span<const float> values, Element element) {
  if (element == Element::kFloat) return Bring(values.data(), values.size_bytes());
  std::vector<std::uint16_t> halves(values.size());
  std::transform(values.begin(), values.end(), halves.begin(), HalfOf);
  return Bring(halves.data(), halves.size() * sizeof(std::uint16_t));
}

const std::int32_t* GpuWeights::Positions(const std::vector<std::int64_t>& positions) {
  const std::vector<std::int32_t> narrow(positions.begin(), positions.end());
  return static_cast<const std::int32_t*>(Bring(narrow.data(), narrow.size() * sizeof(std::int32_t)));
}

const void* GpuWeights::Bring(const void* from, std::size_t bytes) {
  GpuBuffer& buffer = buffers_.emplace_back(card_, Space::kCard, bytes);
  bytes_ += static_cast<std::int64_t>(bytes);
  stream_.Copy(buffer.data(), from, bytes);
  stream_.Wait();
  return buffer.data();
}

std::vector<float> SecondAxisLast(const float* weights, std::int64_t a, std::int64_t b, std::int64_t window) {
  std::vector<float> moved(static_cast<std::size_t>(a * b * window));
  std::size_t to = 0;
  for (std::int64_t i = 0; i < a; ++i) {
    for (std::int64_t k = 0; k < window; ++k) {
      for (std::int64_t j = 0; j < b; ++j) moved[to++] = weights[(i * b + j) * window + k];
    }
  }
  return moved;
}

}  // namespace tandem::gpu
