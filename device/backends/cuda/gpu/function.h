// Activations as kernels know them, and what a group does behind its first layer.
#pragma once

#include <string>

#include "device/backends/cuda/gpu/assembler.h"

namespace tandem::gpu {

inline constexpr const char* kWho = "the backend cuda";  // in messages

// Of operations of one number in, one out. FunctionOf throws EnvironmentError where the card has none.
bool HasFunction(Op op);
Function FunctionOf(const Layer& layer);

// y = after(before(x) + added), by the layers of a group behind its product or scale. With nothing added the
// function stands in `before`.
struct GpuTail {
  Function before, after;
  LayerId added;
  std::string how;  // ", sum, relu"
};
GpuTail TailOf(const GpuAssembler& out, const FusedGroup& group);

}  // namespace tandem::gpu
