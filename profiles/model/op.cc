#include "profiles/model/op.h"

namespace tandem {

Attributes DefaultAttributes(Op op) {
  switch (op) {
    case Op::kInput:
      return InputAttributes{};
    case Op::kConv:
    case Op::kDeconv:
      return ConvAttributes{};
    case Op::kFc:
      return FcAttributes{};
    case Op::kMaxPool:
    case Op::kAvgPool:
      return PoolAttributes{};
    case Op::kLeakyRelu:
      return LeakyReluAttributes{};
    case Op::kPrelu:
      return PreluAttributes{};
    case Op::kElu:
      return EluAttributes{};
    case Op::kHardSigmoid:
      return HardSigmoidAttributes{};
    case Op::kClip:
      return ClipAttributes{};
    case Op::kLrn:
      return LrnAttributes{};
    case Op::kBatchNorm:
      return BatchNormAttributes{};
    case Op::kLayerNorm:
      return LayerNormAttributes{};
    case Op::kScale:
      return ScaleAttributes{};
    case Op::kAdd:
    case Op::kSub:
    case Op::kMul:
    case Op::kDiv:
    case Op::kPow:
    case Op::kMax:
    case Op::kMin:
      return ElementwiseAttributes{};
    case Op::kConcat:
    case Op::kSoftmax:
    case Op::kFlatten:
      return AxisAttributes{};
    case Op::kDropout:
      return DropoutAttributes{};
    case Op::kReshape:
      return ReshapeAttributes{};
    case Op::kTranspose:
      return TransposeAttributes{};
    case Op::kPad:
      return PadAttributes{};
    case Op::kSlice:
      return SliceAttributes{};
    case Op::kUpsample:
      return UpsampleAttributes{};
    case Op::kReduceMean:
      return ReduceAttributes{};
    default:
      return NoAttributes{};
  }
}

bool IsFree(Op op) {
  return op == Op::kInput || op == Op::kDropout || op == Op::kIdentity || op == Op::kFlatten ||
         op == Op::kReshape;
}

}  // namespace tandem
