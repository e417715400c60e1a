#include "tests/support/device/kernel_layer_parts.h"

namespace tandem {

bool KernelLayer::Moves() {
  switch (layer_.op) {
    case Op::kConcat:
      return Concat();
    case Op::kTranspose:
      return Transpose();
    case Op::kPad:
      return Pad();
    case Op::kSlice:
      return Slice();
    case Op::kUpsample:
      return Upsample();
    default: {
      // The same elements in plain order: axes of the input on both sides.
      out_.last = false;
      gpu::GatherCall call = Gather(x_[0], {});
      call.axes = static_cast<int>(in_[0].shape.size());
      const std::vector<std::int64_t> strides = in_[0].Strides(), plain = reference::Strides(in_[0].shape);
      std::copy(in_[0].shape.begin(), in_[0].shape.end(), call.counts);
      std::copy(strides.begin(), strides.end(), call.x_stride);
      std::copy(plain.begin(), plain.end(), call.y_stride);
      return Run(call);
    }
  }
}

bool KernelLayer::Concat() {
  const std::size_t axis = reference::AxisOf(layer_.As<AxisAttributes>().axis, layer_.output);
  std::int64_t first = 0;
  for (std::size_t i = 0; i < x_.size(); ++i) {
    gpu::GatherCall call = Gather(x_[i], in_[i].Strides());
    call.counts[axis] = in_[i].shape[axis];
    call.y = y_.At(static_cast<std::size_t>(first * out_.Strides()[axis]));
    first += in_[i].shape[axis];
    Run(call);
  }
  return true;
}

bool KernelLayer::Transpose() {
  std::vector<std::int64_t> strides;
  for (const std::int64_t axis : layer_.As<TransposeAttributes>().order) {
    strides.push_back(in_[0].Strides()[static_cast<std::size_t>(axis)]);
  }
  return Run(Gather(x_[0], strides));
}

bool KernelLayer::Slice() {
  const auto& a = layer_.As<SliceAttributes>();
  const Shape& in = in_[0].shape;
  std::vector<std::int64_t> strides = in_[0].Strides();
  std::int64_t first = 0;
  for (std::size_t i = 0; i < a.axes.size(); ++i) {
    const std::size_t axis = reference::AxisOf(a.axes[i], in);
    const std::int64_t start = a.starts[i] < 0 ? a.starts[i] + in[axis] : a.starts[i];
    first += std::clamp(start, std::int64_t{0}, in[axis]) * strides[axis];
    strides[axis] *= a.steps[i];
  }
  gpu::GatherCall call = Gather(x_[0], strides);
  call.x = x_[0].At(static_cast<std::size_t>(first));
  return Run(call);
}

bool KernelLayer::Pad() {
  const auto& a = layer_.As<PadAttributes>();
  const Shape& in = in_[0].shape;
  gpu::GatherCall call = Gather(x_[0], in_[0].Strides());
  call.fill = static_cast<float>(a.value);
  std::vector<std::vector<std::int32_t>> tables(in.size());
  for (std::size_t axis = 0; axis < in.size(); ++axis) {
    if (a.before[axis] == 0 && a.after[axis] == 0) continue;
    for (std::int64_t i = 0; i < layer_.output[axis]; ++i) {
      const std::int64_t at = i - a.before[axis], end = in[axis] - 1;
      std::int64_t from = at;
      if (at < 0 || at > end) {
        from = a.mode == PadMode::kConstant ? -1 : at < 0 ? (a.mode == PadMode::kEdge ? 0 : -at) : end;
        if (a.mode == PadMode::kReflect && at > end) from = 2 * end - at;
      }
      tables[axis].push_back(static_cast<std::int32_t>(from));
    }
    call.table[axis] = tables[axis].data();
  }
  return Run(call);
}

bool KernelLayer::Upsample() {
  const auto& a = layer_.As<UpsampleAttributes>();
  if (a.mode == UpsampleMode::kLinear) {
    const gpu::Image in = in_[0].Image(), out = out_.Image();
    const LinearPlaces rows = PlacesOf(a.align, a.scale_h, in.h, out.h);
    const LinearPlaces columns = PlacesOf(a.align, a.scale_w, in.w, out.w);
    const gpu::ResizeCall call = {setting_.element, x_[0].data(),  y_.data(), in, out,
                                  rows.scale,       columns.scale, rows.shift};
    return Done(gpu::HostKernels().resize(call, nullptr));
  }
  gpu::GatherCall call = Gather(x_[0], in_[0].Strides());
  std::vector<std::int32_t> tables[2];
  for (const std::size_t axis : {2, 3}) {
    const double scale = axis == 2 ? a.scale_h : a.scale_w;
    for (std::int64_t i = 0; i < layer_.output[axis]; ++i) {
      const auto from = static_cast<std::int64_t>(static_cast<double>(i) / scale);
      tables[axis - 2].push_back(static_cast<std::int32_t>(std::min(from, in_[0].shape[axis] - 1)));
    }
    call.table[axis] = tables[axis - 2].data();
  }
  return Run(call);
}

}  // namespace tandem
