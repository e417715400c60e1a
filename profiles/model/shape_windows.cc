// Layers whose window slides over an image: conv, deconv, pooling.
#include <algorithm>

#include "profiles/model/shape_rules.h"

namespace tandem::shapes {
namespace {

std::int64_t WindowExtent(std::int64_t kernel, std::int64_t dilation) {
  return Product({dilation, kernel - 1}) + 1;
}

// Positions of a window along one axis.
std::int64_t Positions(std::int64_t input, std::int64_t before, std::int64_t after, std::int64_t window,
                       std::int64_t stride, bool ceil_mode) {
  const std::int64_t room = input + before + after - window;
  if (room < 0) {
    Fail("its window of " + std::to_string(window) + " is larger than its padded input of " +
         std::to_string(input + before + after));
  }
  std::int64_t positions = room / stride + 1;
  if (ceil_mode && room % stride != 0 && positions * stride < input + before) ++positions;
  return positions;
}

template <class Windowed>
void CheckWindow(const Windowed& a) {
  for (const Extent& extent : {a.kernel, a.stride, a.dilation}) {
    ExpectPositive(extent.h, "a kernel, stride or dilation of");
    ExpectPositive(extent.w, "a kernel, stride or dilation of");
  }
  ExpectPadding(a.pad.top, a.pad.bottom);
  ExpectPadding(a.pad.left, a.pad.right);
}

template <class Windowed>
Shape SlideWindow(const Windowed& a, const Shape& in, std::int64_t channels, bool ceil_mode) {
  return {in[0], channels,
          Positions(in[2], a.pad.top, a.pad.bottom, WindowExtent(a.kernel.h, a.dilation.h), a.stride.h,
                    ceil_mode),
          Positions(in[3], a.pad.left, a.pad.right, WindowExtent(a.kernel.w, a.dilation.w), a.stride.w,
                    ceil_mode)};
}

void CheckGroups(const ConvAttributes& a, std::int64_t in_channels) {
  ExpectPositive(a.groups, "a group count of");
  ExpectPositive(a.out_channels, "an output channel count of");
  const auto divide = [&a](std::int64_t channels, const char* which) {
    if (channels % a.groups == 0) return;
    Fail(std::to_string(channels) + which + " channels cannot be divided into " + std::to_string(a.groups) +
         " groups");
  };
  divide(in_channels, " input");
  divide(a.out_channels, " output");
}

}  // namespace

Inferred Conv(const ConvAttributes& a, const Shape& in) {
  ExpectImage(in);
  CheckWindow(a);
  CheckGroups(a, in[1]);
  Inferred result{SlideWindow(a, in, a.out_channels, false), {}};
  const std::int64_t weights_per_output = Product({in[1] / a.groups, a.kernel.h, a.kernel.w});
  const Shape& out = result.output;
  result.counts.params = Weights({a.out_channels, weights_per_output}) + (a.bias ? a.out_channels : 0);
  result.counts.macs = Product({out[0], out[1], out[2], out[3], weights_per_output});
  return result;
}

Inferred Deconv(const ConvAttributes& a, const Shape& in) {
  ExpectImage(in);
  CheckWindow(a);
  CheckGroups(a, in[1]);
  ExpectPadding(a.output_pad.h, a.output_pad.w);
  const auto extent = [](std::int64_t input, std::int64_t stride, std::int64_t window, std::int64_t pads,
                         std::int64_t extra) {
    return Product({input - 1, stride}) + window - pads + extra;
  };
  const std::int64_t h = extent(in[2], a.stride.h, WindowExtent(a.kernel.h, a.dilation.h),
                                a.pad.top + a.pad.bottom, a.output_pad.h);
  const std::int64_t w = extent(in[3], a.stride.w, WindowExtent(a.kernel.w, a.dilation.w),
                                a.pad.left + a.pad.right, a.output_pad.w);
  Inferred result{{in[0], a.out_channels, h, w}, {}};
  const std::int64_t weights_per_input = Product({a.out_channels / a.groups, a.kernel.h, a.kernel.w});
  result.counts.params = Weights({in[1], weights_per_input}) + (a.bias ? a.out_channels : 0);
  result.counts.macs = Product({Elements(in), weights_per_input});
  return result;
}

Shape Pool(const PoolAttributes& a, const Shape& in) {
  ExpectImage(in);
  if (a.global) return {in[0], in[1], 1, 1};
  if (a.adaptive != Extent{0, 0}) {
    ExpectPositive(a.adaptive.h, "an adaptive extent of");
    ExpectPositive(a.adaptive.w, "an adaptive extent of");
    return {in[0], in[1], a.adaptive.h, a.adaptive.w};
  }
  CheckWindow(a);
  const bool too_much = std::max(a.pad.top, a.pad.bottom) >= WindowExtent(a.kernel.h, a.dilation.h) ||
                        std::max(a.pad.left, a.pad.right) >= WindowExtent(a.kernel.w, a.dilation.w);
  if (too_much) Fail("its padding is as large as its window, so that a window would see padding alone");
  return SlideWindow(a, in, in[1], a.ceil_mode);
}

}  // namespace tandem::shapes
