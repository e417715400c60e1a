#include "device/backends/cpu/onednn/emit.h"

#include <algorithm>

#include "device/backends/cpu/loops/ops.h"
#include "profiles/base/check.h"

namespace tandem {
namespace {

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
  // A kernel points into the weights that it is given, and keeps them.
  const bool has_weights = !WeightShapes(out.model(), id).empty();
  auto weights = has_weights ? out.spec().weights : std::make_shared<const Weights>();
  out.AddKernel({id}, "plain loops", reads, {to},
                [=, kernel = MakePlainKernel(layer, *weights, std::move(shapes)), kept = weights,
                 inputs = std::move(inputs)](const Addresses& at) mutable {
                  for (std::size_t i = 0; i < reads.size(); ++i) inputs[i] = at[reads[i]];
                  kernel(inputs, at[to]);
                });
}

// May oneDNN take in every activation of the group?
bool KnowsActivations(const Assembler& out, const FusedGroup& group) {
  return std::all_of(group.begin(), group.end(), [&](LayerId id) {
    return !IsActivation(out.layer(id).op) || !PostOpsOf(out.layer(id)).empty();
  });
}

bool EmitKnown(Assembler& out, const FusedGroup& group) {
  if (!KnowsActivations(out, group)) return false;
  const auto emit = Emitters::Find(out.layer(group[0]).op);
  return emit != nullptr ? emit(out, group) : EmitChannelwise(out, group);
}

}  // namespace

void PassOn(Assembler& out, const FusedGroup& group) {
  for (const LayerId id : group) {
    const LayerId from = out.layer(id).inputs[0];
    if (id == group[0] || !IsNothing(out.layer(id).op) || out.ValueOf(id).valid()) continue;
    if (out.ValueOf(from).valid()) out.Define(id, out.ValueOf(from), out.LayoutOf(from));
  }
}

void EmitPlain(Assembler& out, const FusedGroup& group) {
  for (const LayerId id : group) {
    if (id == group[0] || !IsNothing(out.layer(id).op)) EmitPlainLayer(out, id);
    PassOn(out, group);
  }
}

void AddMap(Assembler& out, const FusedGroup& group, LayerId activation, ValueId from, ValueId to) {
  const Layer& layer = out.layer(activation);
  out.AddKernel(group, std::string(OpName(layer.op)) + " by loops", {from}, {to},
                [=, kernel = MakePlainKernel(layer, Weights(), {layer.output})](const Addresses& at) {
                  const float* const input = at[from];
                  kernel({&input, 1}, at[to]);
                });
}

void EmitGroup(Assembler& out, const FusedGroup& group) {
  const auto is_grid = [&](LayerId id) { return out.layer(id).op == Op::kQuantize; };
  TANDEM_CHECK(std::none_of(group.begin() + 1, group.end(), is_grid),
               "a quantize is a group of its own among numbers: no emitter of these sees it");
  if (!EmitKnown(out, group)) {
    EmitPlain(out, group);
  } else {
    PassOn(out, group);
  }
  TANDEM_CHECK(out.IsMade(group.back()), "a group makes what its last layer makes");
}

}  // namespace tandem
