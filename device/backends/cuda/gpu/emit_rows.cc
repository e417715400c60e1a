// Layers that look at whole rows of numbers: softmax, layer norm, means.
#include "device/backends/cuda/gpu/emit.h"
#include "device/lowering/positions.h"

namespace tandem::gpu {
namespace {

std::int64_t Product(const Shape& shape, std::size_t first, std::size_t last) {
  std::int64_t product = 1;
  for (std::size_t i = first; i < last; ++i) product *= shape[i];
  return product;
}

RowsCall SoftmaxOf(const Shape& shape, std::size_t axis, Format format) {
  RowsCall call;
  call.length = shape[axis];
  call.inner = format == Format::kNhwc ? 1 : Product(shape, axis + 1, shape.size());
  call.step = call.inner;
  call.outer = Elements(shape) / (call.length * call.inner);
  call.outer_stride = call.length * call.inner;
  return call;
}

void EmitRows(GpuAssembler& out, LayerId id) {
  const Layer& layer = out.layer(id);
  const LayerId from = layer.inputs[0];
  RowsCall call;
  GpuForm form = out.Made(from).form;
  if (layer.op == Op::kSoftmax) {
    const std::size_t axis = AxisFromFront(layer.As<AxisAttributes>().axis, layer.output);
    if (axis != 1) form.format = Format::kNchw;
    call = SoftmaxOf(layer.output, axis, form.format);
  } else {
    const auto& a = layer.As<LayerNormAttributes>();
    form.format = Format::kNchw;
    call.softmax = false;
    call.length = Product(layer.output, AxisFromFront(a.axis, layer.output), layer.output.size());
    call.outer = Elements(layer.output) / call.length;
    call.outer_stride = call.length;
    call.epsilon = static_cast<float>(a.epsilon);
    const auto count = static_cast<std::size_t>(call.length);
    call.gamma = out.constants().Floats({out.weights().Of(id, "gamma"), count});
    if (a.bias) call.beta = out.constants().Floats({out.weights().Of(id, "beta"), count});
  }
  call.element = form.element;
  const ValueId x = out.Need(from, form), y = out.Make(id, form);
  out.AddCall({id}, std::string(OpName(layer.op)), call, x, y);
}

void EmitMean(GpuAssembler& out, LayerId id) {
  const Layer& layer = out.layer(id);
  const GpuTensor x = out.Made(layer.inputs[0]);
  const Shape& in = out.shape(layer.inputs[0]);
  std::vector<bool> reduced(in.size(), false);
  for (const std::int64_t axis : layer.As<ReduceAttributes>().axes) reduced[AxisFromFront(axis, in)] = true;
  const std::vector<std::int64_t> strides = StridesOf(in, x.form.format);
  std::vector<GpuAxis> kept_axes, reduced_axes;
  for (std::size_t axis = 0; axis < in.size(); ++axis) {
    (reduced[axis] ? reduced_axes : kept_axes).push_back({in[axis], strides[axis], strides[axis], nullptr});
  }
  MeanCall call;
  call.element = x.form.element;
  for (const GpuAxis& axis : Merged(kept_axes)) {
    call.kept_counts[call.kept] = axis.count;
    call.kept_stride[call.kept++] = axis.x;
  }
  for (const GpuAxis& axis : Merged(reduced_axes)) {
    call.reduced_counts[call.reduced] = axis.count;
    call.reduced_stride[call.reduced++] = axis.x;
  }
  const ValueId y = out.Make(id, {x.form.element, Format::kNchw});
  out.AddCall({id}, "mean", call, x.value, y);
}

const Emitters kRows{
    {Op::kSoftmax, Alone<EmitRows>}, {Op::kLayerNorm, Alone<EmitRows>}, {Op::kReduceMean, Alone<EmitMean>}};

}  // namespace
}  // namespace tandem::gpu
