// One layer on the kernels of the cuda backend, called as plainly as can be, so that they are held to the
// reference without the rest of that backend.
#pragma once

#include <optional>
#include <vector>

#include "device/backends/cuda/kernel_calls.h"
#include "profiles/model/model.h"
#include "profiles/model/weights.h"

namespace tandem {

struct KernelSetting {
  gpu::Element element = gpu::Element::kFloat;
  bool channels_last = false;
};

// Empty: no kernel of our own computes it, or not with its tensors so.
std::optional<Tensor> RunOnKernels(const Layer& layer, const Weights& weights,
                                   const std::vector<const Tensor*>& inputs, KernelSetting setting);

// Every number as it is when it is stored as a half one.
void RoundToHalf(Tensor& tensor);

}  // namespace tandem
