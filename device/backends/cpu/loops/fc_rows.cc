#include "device/backends/cpu/loops/fc_rows.h"

#include <algorithm>
#include <cstring>

#include "device/backends/cpu/loops/simd.h"

namespace tandem {
namespace {

// Rows of weights that are read side by side: as many streams keep memory busy.
constexpr std::int64_t kStreams = 8;
// What the compiler has registers for: of vectors that are longer it makes loops through memory on ARM. The
// sums of all streams stay in registers.
#if defined(__aarch64__)
constexpr std::int64_t kLanes = 4, kVectors = 2;
constexpr bool kInterleaved = true;  // one stream, of which two vectors are one load
#else
constexpr std::int64_t kLanes = 16, kVectors = 1;
constexpr bool kInterleaved = false;
#endif
constexpr std::int64_t kStep = kLanes * kVectors;
using Vector = float __attribute__((vector_size(kLanes * sizeof(float))));

// Where the weight of feature `i` lies among those of kStreams outputs, for the one of stream `s`.
TANDEM_INLINE inline std::int64_t At(std::int64_t s, std::int64_t i, std::int64_t stride) {
  if (!kInterleaved) return s * stride + i;
  return i / kStep * (kStep * kStreams) + s * kStep + i % kStep;
}

std::int64_t Padded(std::int64_t features) { return (features + kStep - 1) / kStep * kStep; }

// kStreams outputs from the first on, of one row of the input.
TANDEM_INLINE inline void SumStreams(const float* weights, std::int64_t stride, const float* x,
                                     std::int64_t features, float* sums) {
  Vector total[kStreams][kVectors] = {};
  const std::int64_t whole = features / kStep * kStep;
  const std::int64_t apart = At(1, 0, stride), ahead = At(0, kStep, stride);
  const float* of_streams = weights;
  for (std::int64_t i = 0; i < whole; i += kStep, of_streams += ahead) {
    Vector value[kVectors], weight;  // copied, since a row of the input begins anywhere
    for (std::int64_t v = 0; v < kVectors; ++v) std::memcpy(&value[v], x + i + v * kLanes, sizeof weight);
    for (std::int64_t s = 0; s < kStreams; ++s) {
      for (std::int64_t v = 0; v < kVectors; ++v) {
        std::memcpy(&weight, of_streams + s * apart + v * kLanes, sizeof weight);
        total[s][v] += value[v] * weight;
      }
    }
  }
  for (std::int64_t s = 0; s < kStreams; ++s) {
    for (std::int64_t v = 1; v < kVectors; ++v) total[s][0] += total[s][v];
    float sum = 0;
    for (std::int64_t lane = 0; lane < kLanes; ++lane) sum += total[s][0][lane];
    for (std::int64_t i = whole; i < features; ++i) sum += x[i] * weights[At(s, i, stride)];
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
    float* const of_streams = packed.data() + o / kStreams * (kStreams * stride);
    const float* const own = weights + o * problem.features;
    for (std::int64_t i = 0; i < problem.features; i += kStep) {  // what lies together
      std::copy_n(own + i, std::min(kStep, problem.features - i), of_streams + At(o % kStreams, i, stride));
    }
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
