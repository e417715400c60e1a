#include "device/backends/cuda/gpu/emit.h"

#include "profiles/base/check.h"

namespace tandem::gpu {
namespace {

void EmitKnown(GpuAssembler& out, const FusedGroup& group) {
  const LayerId id = group[0];
  switch (out.layer(id).op) {
    case Op::kConv:
    case Op::kDeconv:
      return EmitConv(out, group);
    case Op::kFc:
      return EmitFc(out, group);
    case Op::kMatmul:
      return EmitMatmul(out, id);
    case Op::kMaxPool:
    case Op::kAvgPool:
      return EmitPool(out, id);
    case Op::kLrn:
      return EmitLrn(out, id);
    case Op::kBatchNorm:
    case Op::kScale:
      return EmitAffine(out, group);
    case Op::kAdd:
    case Op::kSub:
    case Op::kMul:
    case Op::kDiv:
    case Op::kPow:
    case Op::kMax:
    case Op::kMin:
      if (IsAffine(out.model(), id)) return EmitAffine(out, group);
      return IsPlainSum(out.model(), id) ? EmitSum(out, group) : EmitElementwise(out, id);
    case Op::kSoftmax:
    case Op::kLayerNorm:
      return EmitRows(out, id);
    case Op::kReduceMean:
      return EmitMean(out, id);
    case Op::kConcat:
      return EmitConcat(out, id);
    case Op::kUpsample:
      if (out.layer(id).As<UpsampleAttributes>().mode == UpsampleMode::kLinear) return EmitResize(out, id);
      return EmitGather(out, id);
    case Op::kPad:
    case Op::kSlice:
      return EmitGather(out, id);
    case Op::kTranspose:
      return EmitTranspose(out, id);
    case Op::kDropout:
    case Op::kIdentity:
    case Op::kFlatten:
    case Op::kReshape:
      return EmitAlias(out, id);
    default:
      return EmitFunction(out, group);
  }
}

}  // namespace

// Those above see to the first layer and what works on its output; what vanishes behind them has its value.
void EmitGroup(GpuAssembler& out, const FusedGroup& group) {
  EmitKnown(out, group);
  for (const LayerId id : group) {
    const Op op = out.layer(id).op;
    if (out.IsMade(id) || (op != Op::kDropout && op != Op::kIdentity)) continue;
    const LayerId from = out.layer(id).inputs[0];
    if (out.IsMade(from)) out.Define(id, out.Made(from).value, out.Made(from).form);
  }
  TANDEM_CHECK(out.IsMade(group.back()), "a group makes what its last layer makes");
}

}  // namespace tandem::gpu
