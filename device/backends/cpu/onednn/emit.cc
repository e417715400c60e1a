#include "device/backends/cpu/onednn/emit.h"

#include "device/backends/cpu/loops/ops.h"

namespace tandem {
namespace {

// Dropout and identity behind another layer of its group: the same value.
bool IsNothing(Op op) { return op == Op::kDropout || op == Op::kIdentity; }

// What vanishes behind a layer that has its value has the same.
void PassOn(Assembler& out, const FusedGroup& group) {
  for (const LayerId id : group) {
    const LayerId from = out.layer(id).inputs[0];
    if (id == group[0] || !IsNothing(out.layer(id).op) || out.ValueOf(id).valid()) continue;
    if (out.ValueOf(from).valid()) out.Define(id, out.ValueOf(from), out.LayoutOf(from));
  }
}

void EmitPlainLayer(Assembler& out, LayerId id) {
  const Layer& layer = out.layer(id);
  std::vector<ValueId> reads;
  std::vector<Shape> shapes;
  for (const LayerId input : layer.inputs) {
    reads.push_back(out.Need(input, Layout::kPlain));
    shapes.push_back(out.layer(input).output);
  }
  const ValueId to = out.Make(id, Layout::kPlain);
  std::vector<const float*> inputs(reads.size());
  out.AddKernel({id}, "plain loops", reads, {to},
                [=, kernel = MakePlainKernel(layer, *out.spec().weights, std::move(shapes)),
                 inputs = std::move(inputs)](const Addresses& at) mutable {
                  for (std::size_t i = 0; i < reads.size(); ++i) inputs[i] = at[reads[i]];
                  kernel(inputs, at[to]);
                });
}

bool EmitKnown(Assembler& out, const FusedGroup& group) {
  switch (out.layer(group[0]).op) {
    case Op::kConv:
    case Op::kDeconv:
      return EmitConv(out, group);
    case Op::kFc:
      return EmitFc(out, group);
    case Op::kMaxPool:
    case Op::kAvgPool:
      return EmitPool(out, group);
    case Op::kLrn:
      return EmitLrn(out, group);
    case Op::kConcat:
      return EmitConcat(out, group);
    case Op::kSlice:
      return EmitSlice(out, group) || EmitGather(out, group);
    case Op::kPad:
    case Op::kUpsample:
      return EmitGather(out, group);
    case Op::kDropout:
    case Op::kIdentity:
    case Op::kFlatten:
    case Op::kReshape:
      EmitAlias(out, group);
      return true;
    default:
      return EmitChannelwise(out, group);
  }
}

}  // namespace

void EmitPlain(Assembler& out, const FusedGroup& group) {
  for (const LayerId id : group) {
    if (id == group[0] || !IsNothing(out.layer(id).op)) EmitPlainLayer(out, id);
    PassOn(out, group);
  }
}

void EmitGroup(Assembler& out, const FusedGroup& group) {
  if (!EmitKnown(out, group)) return EmitPlain(out, group);
  PassOn(out, group);
}

}  // namespace tandem
