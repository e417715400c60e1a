#include "device/backends/cuda/gpu/function.h"

#include "profiles/model/op_table.h"

namespace tandem::gpu {
namespace {

Function With(Function::Kind kind, double alpha = 0, double beta = 0) {
  return {kind, static_cast<float>(alpha), static_cast<float>(beta)};
}

template <Function::Kind kKind>
Function Same(const Layer&) {
  return With(kKind);
}

using Functions = OpTable<Function (*)(const Layer& layer)>;
const Functions kFunctions{
    {Op::kRelu, Same<Function::kRelu>},
    {Op::kRelu6, Same<Function::kRelu6>},
    {Op::kLeakyRelu,
     [](const Layer& layer) { return With(Function::kLeakyRelu, layer.As<LeakyReluAttributes>().slope); }},
    {Op::kElu, [](const Layer& layer) { return With(Function::kElu, layer.As<EluAttributes>().alpha); }},
    {Op::kSigmoid, Same<Function::kSigmoid>},
    {Op::kHardSigmoid,
     [](const Layer& layer) {
       const auto& a = layer.As<HardSigmoidAttributes>();
       return With(Function::kHardSigmoid, a.alpha, a.beta);
     }},
    {Op::kHardSwish, Same<Function::kHardSwish>},
    {Op::kTanh, Same<Function::kTanh>},
    {Op::kSoftplus, Same<Function::kSoftplus>},
    {Op::kGelu, Same<Function::kGelu>},
    {Op::kErf, Same<Function::kErf>},
    {Op::kQuantize,
     [](const Layer& layer) {
       const auto& a = layer.As<QuantizeAttributes>();
       return With(Function::kQuantize, a.scale, static_cast<double>(a.least()));
     }},
    {Op::kExp, Same<Function::kExp>},
    {Op::kLog, Same<Function::kLog>},
    {Op::kSqrt, Same<Function::kSqrt>},
    {Op::kAbs, Same<Function::kAbs>},
    {Op::kNeg, Same<Function::kNeg>},
    {Op::kClip,
     [](const Layer& layer) {
       const auto& a = layer.As<ClipAttributes>();
       return With(Function::kClip, a.min, a.max);
     }},
};

}  // namespace

bool HasFunction(Op op) { return Functions::Find(op) != nullptr; }
Function FunctionOf(const Layer& layer) { return Functions::For(layer, kWho)(layer); }

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
