// Layers that only move data: most of them vanish, because what they read or make can lie where it is wanted.
#include <cstring>

#include "device/backends/cpu/onednn/emit.h"
#include "device/lowering/positions.h"

namespace tandem {
namespace {

std::int64_t Before(const Shape& shape, std::size_t axis) {
  return Elements(Shape(shape.begin(), shape.begin() + static_cast<std::ptrdiff_t>(axis)));
}

// A step that costs nothing, so that the layer is seen where the steps are listed.
void AddNothing(Assembler& out, LayerId id, std::string how) {
  out.AddKernel({id}, std::move(how), {}, {}, [](const Addresses&) {});
}

// Every input but the last has whole blocks of channels.
bool BlocksFit(const Assembler& out, const Layer& layer) {
  for (std::size_t i = 0; i < layer.inputs.size(); ++i) {
    const Shape& shape = out.layer(layer.inputs[i]).output;
    if (!out.CanBlock(shape)) return false;
    if (i + 1 < layer.inputs.size() && shape[1] % out.dnnl().block() != 0) return false;
  }
  return true;
}

bool AnyIs(Layout layout, const Assembler& out, const Layer& layer) {
  return std::any_of(layer.inputs.begin(), layer.inputs.end(),
                     [&](LayerId id) { return out.LayoutOf(id) == layout; });
}

// Channels that are last stay so.
Layout LayoutOfConcat(const Assembler& out, const Layer& layer, std::size_t axis) {
  if (axis != 1 || layer.output.size() != 4) return Layout::kPlain;
  if (BlocksFit(out, layer) && AnyIs(Layout::kBlocked, out, layer)) return Layout::kBlocked;
  return AnyIs(Layout::kLast, out, layer) ? Layout::kLast : Layout::kPlain;
}

// The next input of a concat, `count` elements long in each of `rows`, lies at `offset` in each row of
// `row` elements.
void AddChunkCopy(Assembler& out, LayerId id, ValueId from, ValueId to, std::int64_t rows, std::int64_t count,
                  std::int64_t row, std::int64_t offset) {
  const auto bytes = static_cast<std::size_t>(count) * sizeof(float);
  out.AddKernel({id}, "copy", {from}, {to}, [=](const Addresses& at) {
    for (std::int64_t r = 0; r < rows; ++r)
      std::memcpy(at[to] + r * row + offset, at[from] + r * count, bytes);
  });
}

bool EmitAlias(Assembler& out, const FusedGroup& group) {
  for (const LayerId id : group) {
    const Layer& layer = out.layer(id);
    const LayerId from = layer.inputs[0];
    if (IsNothing(layer.op)) {
      out.Define(id, out.ValueOf(from), out.LayoutOf(from));
    } else {
      out.Define(id, out.Need(from, Layout::kPlain), Layout::kPlain);
    }
    AddNothing(out, id, "nothing to do");
  }
  return true;
}

bool EmitConcat(Assembler& out, const FusedGroup& group) {
  const LayerId id = group[0];
  const Layer& layer = out.layer(id);
  const std::size_t axis = AxisFromFront(layer.As<AxisAttributes>().axis, layer.output);
  const Layout layout = LayoutOfConcat(out, layer, axis);
  std::vector<ValueId> inputs;
  for (const LayerId input : layer.inputs) inputs.push_back(out.Need(input, layout));
  const Shape& shape = layer.output;
  // Channels that are last are joined position by position.
  const bool by_position = out.Simplest(shape, layout) == Layout::kLast;
  const std::int64_t rows = by_position ? shape[0] * shape[2] * shape[3] : Before(shape, axis);
  const ValueId to = out.Make(id, layout);
  const std::int64_t row = out.memory().CountOf(to) / rows;
  std::int64_t offset = 0;
  if (rows == 1) AddNothing(out, id, "inputs lie in place");
  for (std::size_t i = 0; i < inputs.size();) {
    const std::size_t joined =
        rows == 1 ? out.PlaceInConcat({inputs.data() + i, inputs.size() - i}, to, offset) : 0;
    const std::size_t count = joined == 0 ? 1 : joined;
    for (std::size_t k = i; k < i + count; ++k) {
      const std::int64_t own = out.memory().CountOf(inputs[k]) / rows;
      if (joined == 0) AddChunkCopy(out, id, inputs[k], to, rows, own, row, offset);
      offset += own;
    }
    i += count;
  }
  out.NoteConcat(to, std::move(inputs));
  return true;
}

// As a part of its input.
bool EmitPart(Assembler& out, const FusedGroup& group) {
  const LayerId id = group[0], from = out.layer(id).inputs[0];
  const Shape& in = out.layer(from).output;
  const std::optional<AxisRange> range =
      OnlyRange(out.layer(id).As<SliceAttributes>(), in, out.layer(id).output);
  if (!range || Before(in, range->axis) != 1) return false;
  const std::int64_t block = out.dnnl().block();
  const bool blocked = out.LayoutOf(from) == Layout::kBlocked && range->axis == 1 &&
                       range->start % block == 0 && (range->end % block == 0 || range->end == in[1]);
  const Layout layout = blocked ? Layout::kBlocked : Layout::kPlain;
  const ValueId whole = out.Need(from, layout), part = out.Make(id, layout);
  const Shape after(in.begin() + static_cast<std::ptrdiff_t>(range->axis) + 1, in.end());
  out.memory().Place(part, whole, range->start * Elements(after));
  AddNothing(out, id, "a part of its input");
  return true;
}

bool EmitSlice(Assembler& out, const FusedGroup& group) {
  return EmitPart(out, group) || EmitGather(out, group);
}

const Emitters kMovement{{Op::kConcat, EmitConcat},  {Op::kSlice, EmitSlice},   {Op::kDropout, EmitAlias},
                         {Op::kIdentity, EmitAlias}, {Op::kFlatten, EmitAlias}, {Op::kReshape, EmitAlias}};

}  // namespace
}  // namespace tandem
