#include "tests/support/device/kernel_layer_parts.h"

namespace tandem {

using gpu::HostKernels;

namespace {

template <class Attributes, class Call>
void SetWindow(const Attributes& a, Call& call) {
  call.kernel_h = a.kernel.h;
  call.kernel_w = a.kernel.w;
  call.stride_h = a.stride.h;
  call.stride_w = a.stride.w;
  call.dilation_h = a.dilation.h;
  call.dilation_w = a.dilation.w;
  call.pad_top = a.pad.top;
  call.pad_left = a.pad.left;
}

}  // namespace

bool KernelLayer::Pool() {
  const auto& a = layer_.As<PoolAttributes>();
  gpu::PoolCall call;
  call.element = setting_.element;
  call.max = layer_.op == Op::kMaxPool;
  call.count_padding = a.count_include_pad;
  call.x = x_[0].data();
  call.y = y_.data();
  call.in = in_[0].Image();
  call.out = out_.Image();
  if (!(a.adaptive == Extent{0, 0})) {
    call.adaptive_h = call.adaptive_w = true;
  } else if (a.global) {
    call.kernel_h = call.in.h;
    call.kernel_w = call.in.w;
  } else {
    SetWindow(a, call);
    call.pad_bottom = a.pad.bottom;
    call.pad_right = a.pad.right;
  }
  return Done(HostKernels().pool(call, nullptr));
}

bool KernelLayer::Lrn() {
  const auto& a = layer_.As<LrnAttributes>();
  gpu::LrnCall call;
  call.element = setting_.element;
  call.x = x_[0].data();
  call.y = y_.data();
  call.in = in_[0].Image();
  call.size = a.size;
  call.alpha = static_cast<float>(a.alpha);
  call.beta = static_cast<float>(a.beta);
  call.k = static_cast<float>(a.k);
  call.within_channel = a.within_channel;
  return Done(HostKernels().lrn(call, nullptr));
}

bool KernelLayer::Softmax() {
  const Shape& shape = layer_.output;
  const std::size_t axis = reference::AxisOf(layer_.As<AxisAttributes>().axis, shape);
  if (out_.last && axis != 1) return false;
  gpu::RowsCall call;
  call.element = setting_.element;
  call.x = x_[0].data();
  call.y = y_.data();
  call.length = shape[axis];
  call.step = call.inner = out_.last ? 1 : reference::Strides(shape)[axis];
  call.outer = Elements(shape) / call.length / call.inner;
  call.outer_stride = call.length * call.inner;
  return Done(HostKernels().rows(call, nullptr));
}

bool KernelLayer::LayerNorm() {
  if (out_.last) return false;
  const auto& a = layer_.As<LayerNormAttributes>();
  const std::size_t axis = reference::AxisOf(a.axis, layer_.output);
  gpu::RowsCall call;
  call.element = setting_.element;
  call.softmax = false;
  call.x = x_[0].data();
  call.y = y_.data();
  call.length = call.outer_stride =
      Elements(Shape(layer_.output.begin() + static_cast<std::ptrdiff_t>(axis), layer_.output.end()));
  call.outer = Elements(layer_.output) / call.length;
  call.gamma = Weight("gamma");
  call.beta = Weight("beta");
  call.epsilon = static_cast<float>(a.epsilon);
  return Done(HostKernels().rows(call, nullptr));
}

bool KernelLayer::Mean() {
  const Shape& shape = in_[0].shape;
  const std::vector<std::int64_t> strides = in_[0].Strides();
  std::vector<bool> reduced(shape.size(), false);
  for (const std::int64_t axis : layer_.As<ReduceAttributes>().axes)
    reduced[reference::AxisOf(axis, shape)] = true;
  gpu::MeanCall call;
  call.element = setting_.element;
  call.x = x_[0].data();
  call.y = y_.data();
  for (std::size_t axis = 0; axis < shape.size(); ++axis) {
    const int at = reduced[axis] ? call.reduced++ : call.kept++;
    (reduced[axis] ? call.reduced_counts : call.kept_counts)[at] = shape[axis];
    (reduced[axis] ? call.reduced_stride : call.kept_stride)[at] = strides[axis];
  }
  out_.last = false;
  return Done(HostKernels().mean(call, nullptr));
}

bool KernelLayer::Depthwise() {
  const auto& a = layer_.As<ConvAttributes>();
  if (a.groups != in_[0].shape[1]) return false;
  const Tensor& weight = weights_.at({layer_.name, "weight"});
  // (out, 1, h, w): its channels to the end.
  const Shape as_image = {1, weight.shape[0], weight.shape[2], weight.shape[3]};
  const gpu::CardTensor laid(setting_.element, Laid(as_image, out_.last).Lay(weight.values));
  gpu::DepthwiseCall call;
  call.element = setting_.element;
  call.channels_last = out_.last;
  call.x = x_[0].data();
  call.weight = laid.data();
  call.bias = Weight("bias");
  call.y = y_.data();
  call.in = in_[0].Image();
  call.out = out_.Image();
  SetWindow(a, call);
  return Done(HostKernels().depthwise(call, nullptr));
}

bool KernelLayer::Fc() {
  if (in_[0].last || out_.last) return false;
  const Tensor& weight = weights_.at({layer_.name, "weight"});
  const gpu::CardTensor laid(setting_.element, weight.values);
  gpu::MatvecCall call;
  call.element = setting_.element;
  call.x = x_[0].data();
  call.weight = laid.data();
  call.bias = Weight("bias");
  call.y = y_.data();
  call.outputs = weight.shape[0];
  call.features = weight.shape[1];
  call.rows = Elements(in_[0].shape) / call.features;
  return Done(HostKernels().matvec(call, nullptr));
}

}  // namespace tandem
