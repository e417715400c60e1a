// A fully connected layer of few rows (batch 1 above all): as fast as its weights can be read.
#pragma once

#include <cstdint>

#include "device/backends/cpu/loops/channel_loops.h"
#include "device/backends/cpu/loops/step.h"

namespace tandem {

constexpr std::int64_t kMostRows = 2;  // more are a matrix product: oneDNN's is better

struct FcProblem {
  std::int64_t rows = 1, features = 0, outputs = 0;
};

// The weights (outputs, features) in large pages, rows filled up with zeros to whole vectors.
AlignedFloats PackFc(const FcProblem& problem, const float* weights);
// `bias` has an entry for every output.
void RunFc(const FcProblem& problem, const float* weights, const float* bias,
           const SimpleActivation& activation, const float* from, float* to);

}  // namespace tandem
