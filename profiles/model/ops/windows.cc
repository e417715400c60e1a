// Operations whose window slides over an image: conv, deconv, pooling, lrn.
#include <algorithm>

#include "profiles/model/op_rules.h"

namespace tandem::ops {
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

Shape ConvShape(const LayerShapes& of) {
  const auto& a = of.As<ConvAttributes>();
  ExpectImage(of.in());
  CheckWindow(a);
  CheckGroups(a, of.in()[1]);
  return SlideWindow(a, of.in(), a.out_channels, false);
}

std::vector<WeightRole> WithBias(WeightRole weight, const ConvAttributes& a) {
  std::vector<WeightRole> roles = {std::move(weight)};
  if (a.bias) roles.push_back(Offset("bias", {a.out_channels}));
  if (a.quantized) roles.push_back(StepOfGrid({a.out_channels}));
  return roles;
}

std::vector<WeightRole> ConvWeights(const LayerShapes& of) {
  const auto& a = of.As<ConvAttributes>();
  const std::int64_t channels = of.in()[1] / a.groups;
  const std::int64_t fan_in = Product({channels, a.kernel.h, a.kernel.w});
  return WithBias({"weight",
                   {a.out_channels, channels, a.kernel.h, a.kernel.w},
                   SpreadOfProduct,
                   static_cast<double>(fan_in)},
                  a);
}

std::int64_t ConvMacs(const LayerShapes& of) {
  const auto& a = of.As<ConvAttributes>();
  const Shape& out = of.out;
  const std::int64_t weights_per_output = Product({of.in()[1] / a.groups, a.kernel.h, a.kernel.w});
  return Product({out[0], out[1], out[2], out[3], weights_per_output});
}

CostClass ConvClass(const LayerShapes& of) {
  const auto& a = of.As<ConvAttributes>();
  if (a.groups > 1 && of.in().size() > 1 && a.groups == of.in()[1]) return CostClass::kConvDepthwise;
  const std::int64_t taps = a.kernel.h * a.kernel.w;
  if (taps == 1) return CostClass::kConv1x1;
  return taps <= 9 ? CostClass::kConv3x3 : CostClass::kConvLarge;
}

Shape DeconvShape(const LayerShapes& of) {
  const auto& a = of.As<ConvAttributes>();
  const Shape& in = of.in();
  ExpectImage(in);
  CheckWindow(a);
  CheckGroups(a, in[1]);
  ExpectPadding(a.output_pad.h, a.output_pad.w);
  if (a.quantized) Fail("transposed convolutions are not quantized");
  const auto extent = [](std::int64_t input, std::int64_t stride, std::int64_t window, std::int64_t pads,
                         std::int64_t extra) {
    return Product({input - 1, stride}) + window - pads + extra;
  };
  const std::int64_t h = extent(in[2], a.stride.h, WindowExtent(a.kernel.h, a.dilation.h),
                                a.pad.top + a.pad.bottom, a.output_pad.h);
  const std::int64_t w = extent(in[3], a.stride.w, WindowExtent(a.kernel.w, a.dilation.w),
                                a.pad.left + a.pad.right, a.output_pad.w);
  return {in[0], a.out_channels, h, w};
}

std::vector<WeightRole> DeconvWeights(const LayerShapes& of) {
  const auto& a = of.As<ConvAttributes>();
  const double overlap =
      static_cast<double>(a.kernel.h * a.kernel.w) / static_cast<double>(a.stride.h * a.stride.w);
  const std::int64_t channels = of.in()[1] / a.groups;  // exact: the groups divide the channels
  return WithBias({"weight",
                   {of.in()[1], a.out_channels / a.groups, a.kernel.h, a.kernel.w},
                   SpreadOfProduct,
                   std::max(1.0, static_cast<double>(channels) * overlap)},
                  a);
}

std::int64_t DeconvMacs(const LayerShapes& of) {
  const auto& a = of.As<ConvAttributes>();
  return Product({Elements(of.in()), Product({a.out_channels / a.groups, a.kernel.h, a.kernel.w})});
}

AttributesType ConvFields() {
  using A = ConvAttributes;
  return Fields<A>()
      .Needed("out_channels", &A::out_channels, as::AnyInteger())
      .Needed("kernel", &A::kernel, as::HeightWidth())
      .Optional("stride", &A::stride, as::HeightWidth())
      .Optional("pad", &A::pad, as::FourPaddings())
      .Optional("dilation", &A::dilation, as::HeightWidth())
      .Optional("groups", &A::groups, as::AnyInteger())
      .Optional("bias", &A::bias, as::Boolean())
      .Optional("output_pad", &A::output_pad, as::HeightWidth())
      .Optional("quantized", &A::quantized, as::Boolean());
}

Shape PoolShape(const LayerShapes& of) {
  const auto& a = of.As<PoolAttributes>();
  const Shape& in = of.in();
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

double PoolOperations(const LayerShapes& of) {
  const auto& a = of.As<PoolAttributes>();
  if (a.global) return of.ElementsRead();
  return of.ElementsWritten() * static_cast<double>(a.kernel.h) * static_cast<double>(a.kernel.w);
}

AttributesType PoolFields() {
  using A = PoolAttributes;
  return Fields<A>()
      .Optional("global", &A::global, as::Boolean())
      .Optional("kernel", &A::kernel, as::HeightWidth())
      .Optional("stride", &A::stride, as::HeightWidth())
      .Optional("pad", &A::pad, as::FourPaddings())
      .Optional("dilation", &A::dilation, as::HeightWidth())
      .Optional("ceil_mode", &A::ceil_mode, as::Boolean())
      .Optional("count_include_pad", &A::count_include_pad, as::Boolean());
}

OpDeclaration Pool(const char* name, double (*moment)(const MomentsRead&)) {
  return {.name = name,
          .attributes = PoolFields(),
          .shape = PoolShape,
          .parts = PartRule::kPool,
          .cost_class = CostClass::kPool,
          .operations = PoolOperations,
          .moment = moment};
}

Shape LrnShape(const LayerShapes& of) {
  Channels(of.in());
  ExpectPositive(of.As<LrnAttributes>().size, "a window of");
  return of.in();
}

AttributesType LrnFields() {
  using A = LrnAttributes;
  return Fields<A>()
      .Optional("size", &A::size, as::AnyInteger())
      .Optional("alpha", &A::alpha, as::AnyNumber())
      .Optional("beta", &A::beta, as::AnyNumber())
      .Optional("k", &A::k, as::AnyNumber())
      .Optional("within_channel", &A::within_channel, as::Boolean());
}

const OpRegistration kConv{Op::kConv,
                           {.name = "conv",
                            .attributes = ConvFields(),
                            .kind = OpKind::kProduct,
                            .shape = ConvShape,
                            .weights = ConvWeights,
                            .macs = ConvMacs,
                            .parts = PartRule::kConvolution,
                            .cost_class_of = ConvClass,
                            .moment = UnitMoment,
                            .takes_in = true}};
const OpRegistration kDeconv{Op::kDeconv,
                             {.name = "deconv",
                              .attributes = ConvFields(),
                              .kind = OpKind::kProduct,
                              .shape = DeconvShape,
                              .weights = DeconvWeights,
                              .macs = DeconvMacs,
                              .cost_class = CostClass::kConvLarge,
                              .moment = UnitMoment,
                              .takes_in = true}};
const OpRegistration kMaxPool{Op::kMaxPool,
                              Pool("max_pool", [](const MomentsRead& read) { return 2 * read.in[0]; })};
const OpRegistration kAvgPool{Op::kAvgPool,
                              Pool("avg_pool", [](const MomentsRead& read) { return 0.7 * read.in[0]; })};
const OpRegistration kLrn{Op::kLrn,
                          {.name = "lrn",
                           .attributes = LrnFields(),
                           .shape = LrnShape,
                           .cost_class = CostClass::kLrn,
                           .operations = [](const LayerShapes& of) {
                             return of.ElementsWritten() * static_cast<double>(of.As<LrnAttributes>().size);
                           }}};

}  // namespace
}  // namespace tandem::ops
