// A convolution as oneDNN is asked for it, asked of XNNPACK: what it takes in, and what is left to be done to
// its output.
#pragma once

#include <optional>
#include <vector>

#include "device/backends/cpu/onednn/dnnl_calls.h"
#include "device/backends/cpu/xnnpack/conv.h"

namespace tandem {

struct XnnFit {
  XnnConvProblem problem;  // an activation at its end, where that is all that follows or comes before a sum
  std::vector<PostOp> after;  // what it does not take in: a sum and what follows, or an activation
};

// Nothing where XNNPACK has no such convolution.
std::optional<XnnFit> FitOf(const ConvProblem& problem);

}  // namespace tandem
