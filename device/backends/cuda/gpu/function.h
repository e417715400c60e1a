// Activations as kernels know them, and what a group does behind its first layer.
#pragma once

#include <string>

#include "device/backends/cuda/gpu/assembler.h"

namespace tandem::gpu {

Function FunctionOf(const Layer& layer);  // a layer of one number in, one out

// y = after(before(x) + added), by the layers of a group behind its product or scale. With nothing added the
// function stands in `before`.
struct GpuTail {
  Function before, after;
  LayerId added;
  std::string how;  // ", sum, relu"
};
GpuTail TailOf(const GpuAssembler& out, const FusedGroup& group);

}  // namespace tandem::gpu
