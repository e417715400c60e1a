#include "device/backends/cuda/gpu/function.h"

#include "profiles/base/check.h"

namespace tandem::gpu {
namespace {

Function With(Function::Kind kind, double alpha = 0, double beta = 0) {
  return {kind, static_cast<float>(alpha), static_cast<float>(beta)};
}

}  // namespace

Function FunctionOf(const Layer& layer) {
  switch (layer.op) {
    case Op::kRelu:
      return With(Function::kRelu);
    case Op::kRelu6:
      return With(Function::kRelu6);
    case Op::kLeakyRelu:
      return With(Function::kLeakyRelu, layer.As<LeakyReluAttributes>().slope);
    case Op::kElu:
      return With(Function::kElu, layer.As<EluAttributes>().alpha);
    case Op::kSigmoid:
      return With(Function::kSigmoid);
    case Op::kHardSigmoid:
      return With(Function::kHardSigmoid, layer.As<HardSigmoidAttributes>().alpha,
                  layer.As<HardSigmoidAttributes>().beta);
    case Op::kHardSwish:
      return With(Function::kHardSwish);
    case Op::kTanh:
      return With(Function::kTanh);
    case Op::kSoftplus:
      return With(Function::kSoftplus);
    case Op::kGelu:
      return With(Function::kGelu);
    case Op::kErf:
      return With(Function::kErf);
    case Op::kExp:
      return With(Function::kExp);
    case Op::kLog:
      return With(Function::kLog);
    case Op::kSqrt:
      return With(Function::kSqrt);
    case Op::kAbs:
      return With(Function::kAbs);
    case Op::kNeg:
      return With(Function::kNeg);
    case Op::kClip:
      return With(Function::kClip, layer.As<ClipAttributes>().min, layer.As<ClipAttributes>().max);
    default:
      TANDEM_CHECK(false, "every operation is one of the card's");
  }
}

GpuTail TailOf(const GpuAssembler& out, const FusedGroup& group) {
  GpuTail tail;
  LayerId last = group[0];
  for (const LayerId id : std::span(group).subspan(1)) {
    const Layer& layer = out.layer(id);
    if (IsPlainSum(out.model(), id)) {
      tail.added = layer.inputs[layer.inputs[0] == last ? 1 : 0];
      tail.how += ", sum";
    } else if (IsActivation(layer.op)) {
      (tail.added.valid() ? tail.after : tail.before) = FunctionOf(layer);
      tail.how += ", " + std::string(OpName(layer.op));
    }
    last = id;
  }
  return tail;
}

}  // namespace tandem::gpu
