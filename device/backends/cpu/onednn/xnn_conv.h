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

// What a layer of such attributes, of all its input's channels, is to XNNPACK; a pool that is neither global
// nor adaptive. Where the output of a pool was rounded up its last windows reach beyond the padding.
XnnConvProblem XnnProblemOf(const Shape& in, const Shape& out, const ConvAttributes& attributes);
XnnConvProblem XnnProblemOf(const Shape& in, const Shape& out, const PoolAttributes& attributes);

}  // namespace tandem
