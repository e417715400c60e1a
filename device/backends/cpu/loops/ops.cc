#include "device/backends/cpu/loops/ops.h"

#include "device/backends/cpu/loops/kernels.h"
#include "device/backends/reference/reference.h"

namespace tandem {
namespace {

// By the reference, whose tensors are of its own.
PlainKernel Reference(const PlainLayer& of) {
  return [&layer = of.layer, &weights = of.weights, shapes = of.inputs](std::span<const float* const> inputs,
                                                                        float* output) {
    std::vector<Tensor> tensors;
    for (std::size_t i = 0; i < shapes.size(); ++i) {
      tensors.push_back({shapes[i], std::vector<float>(inputs[i], inputs[i] + Elements(shapes[i]))});
    }
    std::vector<const Tensor*> read;
    for (const Tensor& tensor : tensors) read.push_back(&tensor);
    const Tensor result = RunReferenceLayer(layer, weights, read);
    std::copy(result.values.begin(), result.values.end(), output);
  };
}

const PlainKernels kProducts{
    {Op::kConv, Reference}, {Op::kDeconv, Reference}, {Op::kFc, Reference}, {Op::kMatmul, Reference}};

}  // namespace

PlainKernel MakePlainKernel(const Layer& layer, const Weights& weights, std::vector<Shape> inputs) {
  return PlainKernels::For(layer, "the backend cpu")({layer, weights, std::move(inputs)});
}

}  // namespace tandem
