// Batch norms, scales, sums and activations that no other kernel took in, in whatever layout they find.
#include "device/backends/cpu/loops/channel_loops.h"
#include "device/backends/cpu/onednn/emit.h"
#include "device/lowering/folded_weights.h"

namespace tandem {
namespace {

// The value that the group writes: over its input where nobody needs that any more.
ValueId OverOrNew(Assembler& out, ValueId value, LayerId to, Layout layout) {
  if (!out.MayOverwrite(value)) return out.Make(to, layout);
  out.Define(to, value, layout);
  return value;
}

// The activation among the group's layers; false where there is one that is not simple.
bool FindActivation(const Assembler& out, const FusedGroup& group, SimpleActivation& activation,
                    std::string& how) {
  for (const LayerId id : group) {
    const Layer& layer = out.layer(id);
    if (!IsActivation(layer.op)) continue;
    how += ", " + std::string(OpName(layer.op));
    if (!IsSimple(layer, activation)) return false;
  }
  return activation.KeepsZero();
}

bool EmitAffine(Assembler& out, const FusedGroup& group) {
  const LayerId from = out.layer(group[0]).inputs[0];
  const Shape& shape = out.layer(from).output;
  SimpleActivation activation;
  std::string how = "scale and offset";
  if (shape.size() < 2 || !FindActivation(out, group, activation, how)) return false;
  const Layout layout = out.LayoutOf(from);
  AffineLoop loop;
  loop.lanes = out.LanesOf(shape, layout);
  loop.channels = (shape[1] + loop.lanes - 1) / loop.lanes * loop.lanes;
  loop.rows = shape[0] * loop.channels / loop.lanes;
  loop.length = Elements(Shape(shape.begin() + 2, shape.end()));
  const ChannelAffine affine = AffineOf(out.weights(), group, shape[1]);
  std::vector<float> factor(affine.factor.begin(), affine.factor.end());
  std::vector<float> offset(affine.offset.begin(), affine.offset.end());
  factor.resize(static_cast<std::size_t>(loop.channels));
  offset.resize(factor.size());
  const ValueId x = out.ValueOf(from), y = OverOrNew(out, x, group.back(), layout);
  out.AddKernel(group, how, {x}, {y},
                [=, factor = std::move(factor), offset = std::move(offset)](const Addresses& at) {
                  RunAffine(loop, factor.data(), offset.data(), activation, at[x], at[y]);
                });
  return true;
}

bool EmitSum(Assembler& out, const FusedGroup& group) {
  const Layer& sum = out.layer(group[0]);
  SimpleActivation activation;
  std::string how = "sum";
  if (!FindActivation(out, group, activation, how)) return false;
  const LayerId a = sum.inputs[0], b = sum.inputs[1];
  // Blocks before channels that are last, these before plain ones.
  const auto either = [&](Layout layout) { return out.LayoutOf(a) == layout || out.LayoutOf(b) == layout; };
  const Layout layout = either(Layout::kBlocked) ? Layout::kBlocked
                        : either(Layout::kLast)  ? Layout::kLast
                                                 : Layout::kPlain;
  const ValueId x = out.Need(a, layout), y = out.Need(b, layout);
  const ValueId to = OverOrNew(out, x, group.back(), layout);
  const std::int64_t count = out.memory().CountOf(to);
  out.AddKernel(group, how, {x, y}, {to},
                [=](const Addresses& at) { RunSum(count, activation, at[x], at[y], at[to]); });
  return true;
}

bool EmitSimple(Assembler& out, const FusedGroup& group, const SimpleActivation& activation) {
  const LayerId from = out.layer(group[0]).inputs[0];
  const ValueId x = out.ValueOf(from), y = OverOrNew(out, x, group.back(), out.LayoutOf(from));
  const std::int64_t count = out.memory().CountOf(y);
  out.AddKernel(group, std::string(OpName(out.layer(group[0]).op)), {x}, {y},
                [=](const Addresses& at) { RunActivation(count, activation, at[x], at[y]); });
  return true;
}

// oneDNN's exp and clip make numbers of what is none, on ARM its sigmoid too. Alone, where they fuse with
// nothing, ours do not.
bool LosesWhatIsNoNumber(Op op) {
#if defined(__aarch64__)
  if (op == Op::kSigmoid) return true;
#endif
  return op == Op::kExp || op == Op::kHardSigmoid || op == Op::kClip;
}

bool EmitMap(Assembler& out, const FusedGroup& group) {
  const LayerId from = out.layer(group[0]).inputs[0];
  if (out.LayoutOf(from) != Layout::kPlain && out.LayoutOf(from) != Layout::kLast) return false;
  const ValueId x = out.ValueOf(from), y = OverOrNew(out, x, group.back(), out.LayoutOf(from));
  AddMap(out, group, group[0], x, y);
  return true;
}

// By oneDNN, which keeps the padding of blocks at zero.
bool EmitActivation(Assembler& out, const FusedGroup& group) {
  const Layer& layer = out.layer(group[0]);
  SimpleActivation simple;
  if (IsSimple(layer, simple) && simple.KeepsZero()) return EmitSimple(out, group, simple);
  const std::vector<PostOp> functions = PostOpsOf(layer);
  if (functions.empty() || LosesWhatIsNoNumber(layer.op)) return EmitMap(out, group);
  const LayerId from = layer.inputs[0];
  const Layout layout = out.LayoutOf(from);
  std::vector<MadePrimitive> primitives;
  for (const PostOp& function : functions) {
    primitives.push_back(out.dnnl().Eltwise(layer.output, layout, function));
    if (!primitives.back() || primitives.back().IsReference()) return EmitMap(out, group);
  }
  ValueId x = out.ValueOf(from);
  const ValueId y = OverOrNew(out, x, group.back(), layout);
  const std::string& name(OpName(layer.op));
  for (const MadePrimitive& made : primitives) {
    auto step =
        std::make_unique<PrimitiveStep>(group, name + " " + made.implementation, out.dnnl(), made.primitive);
    step->Use(DNNL_ARG_SRC, made.src, x);
    step->Use(DNNL_ARG_DST, made.dst, y);
    out.AddPrimitive(std::move(step), made, {x}, {y});
    x = y;
  }
  return true;
}

}  // namespace

bool EmitChannelwise(Assembler& out, const FusedGroup& group) {
  const Op op = out.layer(group[0]).op;
  if (IsAffine(out.model(), group[0])) return EmitAffine(out, group);
  if (IsPlainSum(out.model(), group[0])) return EmitSum(out, group);
  return IsActivation(op) && EmitActivation(out, group);
}

}  // namespace tandem
