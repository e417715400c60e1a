#include "device/backends/cpu/loops/fc_rows.h"

#include <algorithm>
#include <cstring>

#include "device/backends/cpu/loops/simd.h"

namespace tandem {
namespace {

constexpr std::int64_t kLanes = 16;
// Rows of weights that are read side by side: as many streams keep memory busy.
constexpr std::int64_t kStreams = 8;
using Vector = float __attribute__((vector_size(64)));

std::int64_t Padded(std::int64_t features) { return (features + kLanes - 1) / kLanes * kLanes; }

// kStreams outputs from the first on, of one row of the input.
TANDEM_INLINE inline void SumStreams(const float* weights, std::int64_t stride, const float* x,
                                     std::int64_t features, float* sums) {
  Vector total[kStreams] = {};
  const std::int64_t whole = features / kLanes * kLanes;
  for (std::int64_t i = 0; i < whole; i += kLanes) {
    Vector value, weight;  // copied, since a row of the input begins anywhere
    std::memcpy(&value, x + i, sizeof value);
    for (std::int64_t s = 0; s < kStreams; ++s) {
      std::memcpy(&weight, weights + s * stride + i, sizeof weight);
      total[s] += value * weight;
    }
  }
  for (std::int64_t s = 0; s < kStreams; ++s) {
    float sum = 0;
    for (std::int64_t lane = 0; lane < kLanes; ++lane) sum += total[s][lane];
    for (std::int64_t i = whole; i < features; ++i) sum += x[i] * weights[s * stride + i];
    sums[s] = sum;
  }
}

}  // namespace

AlignedFloats PackFc(const FcProblem& problem, const float* weights) {
  const std::int64_t stride = Padded(problem.features);
  const std::int64_t outputs = (problem.outputs + kStreams - 1) / kStreams * kStreams;
  AlignedFloats packed(static_cast<std::size_t>(outputs * stride));
  std::fill_n(packed.data(), packed.size(), 0.0f);
  for (std::int64_t o = 0; o < problem.outputs; ++o) {
    std::copy_n(weights + o * problem.features, problem.features, packed.data() + o * stride);
  }
  return packed;
}

void RunFc(const FcProblem& problem, const float* weights, const float* bias,
           const SimpleActivation& activation, const float* from, float* to) {
  const std::int64_t stride = Padded(problem.features), features = problem.features;
  const std::int64_t outputs = problem.outputs;
#pragma omp parallel for
  for (std::int64_t first = 0; first < outputs; first += kStreams) {
    for (std::int64_t row = 0; row < problem.rows; ++row) {
      RunSimd([=]() TANDEM_INLINE {
        float sums[kStreams];
        SumStreams(weights + first * stride, stride, from + row * features, features, sums);
        for (std::int64_t s = 0; s < std::min(kStreams, outputs - first); ++s) {
          to[row * outputs + first + s] = Activate(sums[s] + bias[first + s], activation);
        }
      });
    }
  }
}

}  // namespace tandem
