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

}  // namespace

PlainKernel MakePlainKernel(const Layer& layer, const Weights& weights, std::vector<Shape> inputs) {
  const PlainLayer of{layer, weights, std::move(inputs)};
  switch (layer.op) {
    case Op::kConv:
    case Op::kDeconv:
    case Op::kFc:
    case Op::kMatmul:
      return Reference(of);
    case Op::kMaxPool:
    case Op::kAvgPool:
      return PlainPool(of);
    case Op::kLrn:
      return PlainLrn(of);
    case Op::kBatchNorm:
    case Op::kScale:
    case Op::kPrelu:
      return PlainChannels(of);
    case Op::kLayerNorm:
      return PlainLayerNorm(of);
    case Op::kSoftmax:
      return PlainSoftmax(of);
    case Op::kAdd:
    case Op::kSub:
    case Op::kMul:
    case Op::kDiv:
    case Op::kPow:
    case Op::kMax:
    case Op::kMin:
      return PlainElementwise(of);
    case Op::kInput:
    case Op::kDropout:
    case Op::kIdentity:
    case Op::kFlatten:
    case Op::kReshape:
      return PlainCopy(of);
    case Op::kConcat:
      return PlainConcat(of);
    case Op::kTranspose:
      return PlainTranspose(of);
    case Op::kPad:
      return PlainPad(of);
    case Op::kSlice:
      return PlainSlice(of);
    case Op::kUpsample:
      return PlainUpsample(of);
    case Op::kReduceMean:
      return PlainReduceMean(of);
    default:
      return PlainMap(of);
  }
}

}  // namespace tandem
