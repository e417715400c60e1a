// Layers that only move data: most of them vanish, because what they read or make can lie where it is wanted.
#include "device/backends/cuda/gpu/emit.h"
#include "device/lowering/positions.h"

namespace tandem::gpu {
namespace {

// Extents of the axes that come before `axis` in memory.
std::int64_t RowsBefore(const Shape& shape, std::size_t axis, Format format) {
  std::int64_t rows = 1;
  for (const std::size_t other : MemoryOrder(shape.size(), format)) {
    if (other == axis) return rows;
    rows *= shape[other];
  }
  return rows;
}

// A tensor of `shape` goes into a larger one with the strides of `whole`, from some byte on.
void AddCopyInto(GpuAssembler& out, LayerId id, const Shape& shape, const Shape& whole, GpuForm form,
                 ValueId x, ValueId y, std::int64_t y_at) {
  const auto from = StridesOf(shape, form.format), to = StridesOf(whole, form.format);
  std::vector<GpuAxis> axes;
  for (const std::size_t axis : MemoryOrder(shape.size(), form.format)) {
    axes.push_back({shape[axis], from[axis], to[axis], nullptr});
  }
  out.AddCall({id}, "copy", GatherOf(axes, form.element, form.element), x, y, 0, y_at);
}

// As a part of its input, without a step.
bool EmitPart(GpuAssembler& out, LayerId id, GpuTensor whole) {
  const Layer& layer = out.layer(id);
  const Shape& in = out.shape(layer.inputs[0]);
  const auto range = OnlyRange(layer.As<SliceAttributes>(), in, layer.output);
  if (!range || RowsBefore(in, range->axis, whole.form.format) != 1) return false;
  const std::int64_t step = StridesOf(in, whole.form.format)[range->axis];
  const ValueId part = out.NewValue(layer.output, whole.form.element);
  if (!out.PlaceInside(part, whole.value, range->start * step * BytesOf(whole.form.element))) return false;
  out.Define(id, part, whole.form);
  out.AddNothing(id, "a part of its input");
  return true;
}

// Positions that lie evenly are steps; a table holds all others.
GpuAxis AxisOf(GpuAssembler& out, const std::vector<std::int64_t>& positions, std::int64_t x, std::int64_t y,
               std::int64_t& first) {
  const auto count = static_cast<std::int64_t>(positions.size());
  const std::int64_t step = count > 1 ? positions[1] - positions[0] : 1;
  bool even = positions[0] >= 0 && step > 0;
  for (std::size_t i = 0; i < positions.size(); ++i) {
    even = even && positions[i] == positions[0] + static_cast<std::int64_t>(i) * step;
  }
  if (!even) return {count, x, y, out.constants().Positions(positions)};
  first += positions[0] * x;
  return {count, x * step, y, nullptr};
}

void EmitAlias(GpuAssembler& out, LayerId id) {
  const Layer& layer = out.layer(id);
  GpuForm form = out.Made(layer.inputs[0]).form;
  if (!IsNothing(layer.op)) form.format = Format::kNchw;
  out.Define(id, out.Need(layer.inputs[0], form), form);
  out.AddNothing(id, "nothing to do");
}

void EmitConcat(GpuAssembler& out, LayerId id) {
  const Layer& layer = out.layer(id);
  const GpuForm form = out.Simplest(layer.output, out.CommonForm(layer.inputs));
  const std::size_t axis = AxisFromFront(layer.As<AxisAttributes>().axis, layer.output);
  const bool rows = RowsBefore(layer.output, axis, form.format) != 1;
  const std::int64_t step = StridesOf(layer.output, form.format)[axis] * BytesOf(form.element);
  std::vector<ValueId> inputs;
  for (const LayerId input : layer.inputs) inputs.push_back(out.Need(input, form));
  const ValueId to = out.Make(id, form);
  std::int64_t at = 0;
  if (!rows) out.AddNothing(id, "inputs lie in place");
  for (std::size_t i = 0; i < inputs.size();) {
    const std::size_t joined = rows ? 0 : out.PlaceInConcat(std::span(inputs).subspan(i), to, at);
    const std::size_t end = i + (joined == 0 ? 1 : joined);
    for (; i < end; ++i) {
      const Shape& shape = out.shape(layer.inputs[i]);
      if (joined == 0) AddCopyInto(out, id, shape, layer.output, form, inputs[i], to, at);
      at += shape[axis] * step;
    }
  }
  if (!rows) out.NoteConcat(to, std::move(inputs));
}

void EmitTranspose(GpuAssembler& out, LayerId id) {
  const Layer& layer = out.layer(id);
  const GpuTensor x = out.Made(layer.inputs[0]);
  const auto& order = layer.As<TransposeAttributes>().order;
  const GpuForm form = out.Simplest(layer.output, x.form);
  const auto from = StridesOf(out.shape(layer.inputs[0]), x.form.format);
  const auto to = StridesOf(layer.output, form.format);
  std::vector<GpuAxis> axes;
  for (const std::size_t axis : MemoryOrder(order.size(), form.format)) {
    axes.push_back({layer.output[axis], from[static_cast<std::size_t>(order[axis])], to[axis], nullptr});
  }
  const ValueId y = out.Make(id, form);
  out.AddCall({id}, "transpose", GatherOf(axes, form.element, form.element), x.value, y);
}

const Emitters kMoves{{Op::kConcat, Alone<EmitConcat>}, {Op::kPad, Alone<EmitGather>},
                      {Op::kSlice, Alone<EmitGather>},  {Op::kTranspose, Alone<EmitTranspose>},
                      {Op::kDropout, Alone<EmitAlias>}, {Op::kIdentity, Alone<EmitAlias>},
                      {Op::kFlatten, Alone<EmitAlias>}, {Op::kReshape, Alone<EmitAlias>}};

}  // namespace

void EmitGather(GpuAssembler& out, LayerId id) {
  const Layer& layer = out.layer(id);
  const GpuTensor x = out.Made(layer.inputs[0]);
  if (layer.op == Op::kSlice && EmitPart(out, id, x)) return;
  const Shape& in = out.shape(layer.inputs[0]);
  const GpuForm form = out.Simplest(layer.output, x.form);
  const auto from = StridesOf(in, x.form.format), to = StridesOf(layer.output, form.format);
  const AxisPositions positions = PositionsOf(layer, in);
  std::int64_t first = 0;
  std::vector<GpuAxis> axes;
  for (const std::size_t axis : MemoryOrder(in.size(), form.format)) {
    axes.push_back(AxisOf(out, positions[axis], from[axis], to[axis], first));
  }
  GatherCall call = GatherOf(axes, form.element, form.element);
  if (layer.op == Op::kPad) call.fill = static_cast<float>(layer.As<PadAttributes>().value);
  const ValueId y = out.Make(id, form);
  out.AddCall({id}, std::string(OpName(layer.op)), call, x.value, y, first * BytesOf(form.element));
}

}  // namespace tandem::gpu
