// Room device/backends/cpu/loops: loops of our own for what oneDNN has no good primitive for.
//
// Every operation on tensors in plain order (batch, channels, height, width): what runs where oneDNN has no
// good primitive, or a layer stands alone.
#pragma once

#include <functional>
#include <span>
#include <vector>

#include "profiles/model/model.h"
#include "profiles/model/weights.h"

namespace tandem {

// Fills an output, dense and of the layer's shape, which overlaps no input. Batch norm, scale and activations
// may be given their input as output. One thread at a time calls it; from its second run on it allocates
// nothing.
using PlainKernel = std::function<void(std::span<const float* const> inputs, float* output)>;

// What does not depend on the numbers is worked out once. The kernel refers to `layer` and `weights`. Conv,
// deconv, fc and matmul, for which oneDNN is there, are those of the reference.
PlainKernel MakePlainKernel(const Layer& layer, const Weights& weights, std::vector<Shape> inputs);

}  // namespace tandem
