// Which of oneDNN's ways to compute a convolution is the fastest on this unit: found by running them.
#pragma once

#include "device/backends/cpu/onednn/dnnl_calls.h"

namespace tandem {

struct ConvChoice {
  ConvProblem problem;  // with the layouts and the algorithm that were chosen
  MadePrimitive made;   // empty: oneDNN has no way
};

// Candidates work between blocked tensors, where oneDNN has kernels for those, or plain ones. One that reads
// another layout than the `available` one pays for the change. What was chosen for a shape and a number of
// threads is kept for the life of the process.
ConvChoice ChooseConv(const DnnlContext& dnnl, const ConvProblem& problem, Layout available,
                      std::size_t threads);

}  // namespace tandem
