// Which of oneDNN's ways to compute a convolution, or XNNPACK's, is the fastest on this unit: found by
// running them.
#pragma once

#include <cstdint>
#include <string>

#include "device/backends/cpu/onednn/dnnl_calls.h"
#include "device/backends/cpu/onednn/xnn_conv.h"

namespace tandem {

struct ConvChoice {
  ConvProblem problem;  // with the layouts and the algorithm that were chosen
  MadePrimitive made;   // empty: it is XNNPACK's, or nobody has a way
  bool xnn = false;     // XNNPACK's
  std::string text;     // "blocked to blocked, winograd, jit_wino:avx512_core"; empty: there is no other
  bool anew = true;     // not taken as a profile has it
};

// Candidates work between blocked tensors, where oneDNN has kernels for those, or plain ones, XNNPACK's
// between tensors with their channels last (without `xnn` there are none). One that reads another layout than
// the `available` one pays for the change, and so does one that writes another than most do here. What was
// chosen for a shape and a number of threads is kept for the life of the process. `take`, the text of a
// choice, is taken where oneDNN has it for this problem: nothing is measured then.
ConvChoice ChooseConv(const DnnlContext& dnnl, const ConvProblem& problem, Layout available,
                      std::size_t threads, const std::string& take = {}, bool xnn = false);
// How often this process has measured candidates.
std::int64_t ConvsMeasured();

}  // namespace tandem
