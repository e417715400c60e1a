// Layers that look at windows of images, or between their elements.
#include "device/backends/cuda/gpu/emit.h"

namespace tandem::gpu {
namespace {

void EmitPool(GpuAssembler& out, LayerId id) {
  const Layer& layer = out.layer(id);
  const auto& a = layer.As<PoolAttributes>();
  const GpuTensor x = out.Made(layer.inputs[0]);
  const Shape& in = out.shape(layer.inputs[0]);
  const GpuForm form = out.Simplest(layer.output, x.form);
  PoolCall call;
  call.element = form.element;
  call.max = layer.op == Op::kMaxPool;
  call.count_padding = a.count_include_pad;
  call.in = ImageOf(in, x.form.format);
  call.out = ImageOf(layer.output, form.format);
  const bool adaptive = !(a.adaptive == Extent{0, 0});
  if (a.global) {
    call.kernel_h = in[2];
    call.kernel_w = in[3];
  } else if (adaptive) {
    call.adaptive_h = call.adaptive_w = true;
  } else {
    call.kernel_h = a.kernel.h;
    call.kernel_w = a.kernel.w;
    call.stride_h = a.stride.h;
    call.stride_w = a.stride.w;
    call.dilation_h = a.dilation.h;
    call.dilation_w = a.dilation.w;
    call.pad_top = a.pad.top;
    call.pad_left = a.pad.left;
    call.pad_bottom = a.pad.bottom;
    call.pad_right = a.pad.right;
  }
  const ValueId y = out.Make(id, form);
  out.AddCall({id}, "pool", call, x.value, y);
}

void EmitLrn(GpuAssembler& out, LayerId id) {
  const Layer& layer = out.layer(id);
  const auto& a = layer.As<LrnAttributes>();
  const GpuTensor x = out.Made(layer.inputs[0]);
  LrnCall call;
  call.element = x.form.element;
  call.in = ImageOf(layer.output, x.form.format);
  call.size = a.size;
  call.alpha = static_cast<float>(a.alpha);
  call.beta = static_cast<float>(a.beta);
  call.k = static_cast<float>(a.k);
  call.within_channel = a.within_channel;
  const ValueId y = out.Make(id, x.form);
  out.AddCall({id}, "lrn", call, x.value, y);
}

void EmitResize(GpuAssembler& out, LayerId id) {
  const Layer& layer = out.layer(id);
  const auto& a = layer.As<UpsampleAttributes>();
  const GpuTensor x = out.Made(layer.inputs[0]);
  const GpuForm form = out.Simplest(layer.output, x.form);
  ResizeCall call;
  call.element = form.element;
  call.in = ImageOf(out.shape(layer.inputs[0]), x.form.format);
  call.out = ImageOf(layer.output, form.format);
  const LinearPlaces rows = PlacesOf(a.align, a.scale_h, call.in.h, call.out.h);
  const LinearPlaces columns = PlacesOf(a.align, a.scale_w, call.in.w, call.out.w);
  call.scale_h = rows.scale;
  call.scale_w = columns.scale;
  call.shift = rows.shift;
  const ValueId y = out.Make(id, form);
  out.AddCall({id}, "resize", call, x.value, y);
}

void EmitUpsample(GpuAssembler& out, LayerId id) {
  const bool linear = out.layer(id).As<UpsampleAttributes>().mode == UpsampleMode::kLinear;
  return linear ? EmitResize(out, id) : EmitGather(out, id);
}

const Emitters kWindows{{Op::kMaxPool, Alone<EmitPool>},
                        {Op::kAvgPool, Alone<EmitPool>},
                        {Op::kLrn, Alone<EmitLrn>},
                        {Op::kUpsample, Alone<EmitUpsample>}};

}  // namespace
}  // namespace tandem::gpu
