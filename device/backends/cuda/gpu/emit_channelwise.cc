// Batch norms, scales, sums and activations that no other kernel took in, in whatever form they find.
#include <algorithm>

#include "device/backends/cuda/gpu/emit.h"
#include "device/backends/cuda/gpu/function.h"

namespace tandem::gpu {
namespace {

// The value that the group writes: over its input where nobody needs that any more.
ValueId OverOrNew(GpuAssembler& out, ValueId value, LayerId to, GpuForm form) {
  if (!out.MayOverwrite(value)) return out.Make(to, form);
  out.Define(to, value, form);
  return value;
}

// Over all elements of such a tensor; its channels are the second axis.
ChannelCall CallOver(const Shape& shape, GpuForm form) {
  ChannelCall call;
  call.element = form.element;
  call.count = Elements(shape);
  if (shape.size() > 1) {
    call.channels = shape[1];
    call.inner = form.format == Format::kNhwc ? 1 : Elements(Shape(shape.begin() + 2, shape.end()));
  }
  return call;
}

std::vector<float> Narrow(const std::vector<double>& values) { return {values.begin(), values.end()}; }

}  // namespace

void EmitAffine(GpuAssembler& out, const FusedGroup& group) {
  const Layer& layer = out.layer(group[0]);
  const GpuTensor x = out.Made(layer.inputs[0]);
  const GpuTail tail = TailOf(out, group);
  const ChannelAffine affine = AffineOf(out.weights(), group, layer.output[1]);
  ChannelCall call = CallOver(layer.output, x.form);
  call.factor = out.constants().Floats(Narrow(affine.factor));
  call.offset = out.constants().Floats(Narrow(affine.offset));
  call.before = tail.before;
  const ValueId y = OverOrNew(out, x.value, group.back(), x.form);
  out.AddCall(group, "scale and offset" + tail.how, call, x.value, y);
}

void EmitSum(GpuAssembler& out, const FusedGroup& group) {
  const Layer& layer = out.layer(group[0]);
  const GpuForm form = out.CommonForm(layer.inputs);
  const ValueId x = out.Need(layer.inputs[0], form), added = out.Need(layer.inputs[1], form);
  const GpuTail tail = TailOf(out, group);
  ChannelCall call = CallOver(layer.output, form);
  call.after = tail.before;
  const ValueId y = OverOrNew(out, x, group.back(), form);
  out.AddStep(group, "sum" + tail.how, {x, added, y},
              [=](CardStream& stream, const GpuAddresses& at) mutable {
                call.x = at[x];
                call.added = at[added];
                call.y = at[y];
                stream.Run(call);
              });
}

void EmitFunction(GpuAssembler& out, const FusedGroup& group) {
  const Layer& layer = out.layer(group[0]);
  const GpuTensor x = out.Made(layer.inputs[0]);
  ChannelCall call = CallOver(layer.output, x.form);
  if (layer.op == Op::kPrelu) {
    const bool shared = layer.As<PreluAttributes>().shared;
    call.slopes = shared ? 1 : call.channels;
    call.slope =
        out.constants().Floats({out.weights().Of(group[0], "slope"), static_cast<std::size_t>(call.slopes)});
  } else {
    call.before = FunctionOf(layer);
  }
  const ValueId y = OverOrNew(out, x.value, group.back(), x.form);
  out.AddCall(group, std::string(OpName(layer.op)), call, x.value, y);
}

namespace {

const Emitters kChannelwise{
    {Op::kBatchNorm, EmitAffine}, {Op::kScale, EmitAffine}, {Op::kPrelu, EmitFunction}};

}  // namespace
}  // namespace tandem::gpu
