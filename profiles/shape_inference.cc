#include "profiles/shape_inference.h"

#include <algorithm>
#include <cmath>
#include <initializer_list>
#include <limits>
#include <numeric>

#include "profiles/input_error.h"

namespace tandem {
namespace {

constexpr std::int64_t kMostElements = std::int64_t{1} << 40;
constexpr std::int64_t kLargestExtent = std::int64_t{1} << 31;

[[noreturn]] void Fail(const std::string& what) { throw InputError(what); }

// A product that a file's numbers must not overflow.
std::int64_t Product(std::initializer_list<std::int64_t> factors) {
  std::int64_t product = 1;
  for (const std::int64_t factor : factors) {
    if (__builtin_mul_overflow(product, factor, &product)) Fail("its size is beyond 64 bits");
  }
  return product;
}

std::int64_t Axis(std::int64_t axis, std::size_t rank) {
  const auto signed_rank = static_cast<std::int64_t>(rank);
  if (axis < -signed_rank || axis >= signed_rank) {
    Fail("axis " + std::to_string(axis) + " is outside its input of " + std::to_string(rank) + " axes");
  }
  return axis < 0 ? axis + signed_rank : axis;
}

void ExpectImage(const Shape& shape) {
  if (shape.size() != 4) {
    Fail("expects an input of 4 axes (batch, channels, height, width), has " + ShapeText(shape));
  }
}

void ExpectPositive(std::int64_t value, const char* what) {
  if (value < 1 || value > kLargestExtent)
    Fail(std::string(what) + " " + std::to_string(value) + " is out of range");
}

void ExpectPadding(std::int64_t before, std::int64_t after) {
  if (std::min(before, after) < 0 || std::max(before, after) > kLargestExtent)
    Fail("a padding is out of range");
}

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
  if (in_channels % a.groups != 0 || a.out_channels % a.groups != 0) {
    Fail(std::to_string(a.groups) + " groups divide neither or only one of " + std::to_string(in_channels) +
         " input and " + std::to_string(a.out_channels) + " output channels");
  }
}

Inferred Conv(const ConvAttributes& a, const Shape& in) {
  ExpectImage(in);
  CheckWindow(a);
  CheckGroups(a, in[1]);
  Inferred result{SlideWindow(a, in, a.out_channels, false), {}};
  const std::int64_t weights_per_output = Product({in[1] / a.groups, a.kernel.h, a.kernel.w});
  const Shape& out = result.output;
  result.counts.params = Product({a.out_channels, weights_per_output}) + (a.bias ? a.out_channels : 0);
  result.counts.macs = Product({out[0], out[1], out[2], out[3], weights_per_output});
  return result;
}

Inferred Deconv(const ConvAttributes& a, const Shape& in) {
  ExpectImage(in);
  CheckWindow(a);
  CheckGroups(a, in[1]);
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
  result.counts.params = Product({in[1], weights_per_input}) + (a.bias ? a.out_channels : 0);
  result.counts.macs = Product({Elements(in), weights_per_input});
  return result;
}

Inferred Fc(const FcAttributes& a, const Shape& in) {
  ExpectPositive(a.out_features, "an output feature count of");
  const auto axis = static_cast<std::size_t>(Axis(a.axis, in.size()));
  const auto split = in.begin() + static_cast<std::ptrdiff_t>(axis);
  Inferred result{Shape(in.begin(), split), {}};
  const std::int64_t rows = Elements(result.output);
  const std::int64_t features = Elements(Shape(split, in.end()));
  result.output.push_back(a.out_features);
  result.counts.params = Product({features, a.out_features}) + (a.bias ? a.out_features : 0);
  result.counts.macs = Product({rows, features, a.out_features});
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
  const bool too_much = a.pad.top >= WindowExtent(a.kernel.h, a.dilation.h) ||
                        a.pad.left >= WindowExtent(a.kernel.w, a.dilation.w);
  if (too_much) Fail("its padding is as large as its window, so that a window would see padding alone");
  return SlideWindow(a, in, in[1], a.ceil_mode);
}

Shape Broadcast(const Shape& a, const Shape& b) {
  Shape result(std::max(a.size(), b.size()));
  for (std::size_t i = 0; i < result.size(); ++i) {
    const std::int64_t x = i < a.size() ? a[a.size() - 1 - i] : 1;
    const std::int64_t y = i < b.size() ? b[b.size() - 1 - i] : 1;
    if (x != y && x != 1 && y != 1)
      Fail("its inputs do not fit together: " + ShapeText(a) + " and " + ShapeText(b));
    result[result.size() - 1 - i] = x == 1 ? y : x;
  }
  return result;
}

Inferred Elementwise(Op op, const ElementwiseAttributes& a, const std::vector<Shape>& inputs) {
  if (inputs.size() + (a.has_constant ? 1 : 0) < 2) Fail("needs at least two operands");
  if (!a.coefficients.empty() && (op != Op::kAdd || a.coefficients.size() != inputs.size())) {
    Fail("coefficients belong to add, one per input");
  }
  Inferred result{inputs[0], {}};
  for (const Shape& input : inputs) result.output = Broadcast(result.output, input);
  if (a.has_constant) {
    for (const std::int64_t extent : a.constant_shape) ExpectPositive(extent, "a constant's extent of");
    result.output = Broadcast(result.output, a.constant_shape);
    result.counts.params = 1;
    for (const std::int64_t extent : a.constant_shape)
      result.counts.params = Product({result.counts.params, extent});
  }
  return result;
}

Shape Concat(const AxisAttributes& a, const std::vector<Shape>& inputs) {
  Shape output = inputs[0];
  const auto axis = static_cast<std::size_t>(Axis(a.axis, output.size()));
  for (std::size_t i = 1; i < inputs.size(); ++i) {
    Shape other = inputs[i];
    if (other.size() == output.size()) other[axis] = output[axis];
    if (other != output) {
      Fail("cannot join " + ShapeText(inputs[0]) + " and " + ShapeText(inputs[i]) + " along axis " +
           std::to_string(axis));
    }
    output[axis] += inputs[i][axis];
  }
  return output;
}

Shape Flatten(const AxisAttributes& a, const Shape& in) {
  const auto rank = static_cast<std::int64_t>(in.size());
  const std::int64_t axis = a.axis == rank ? rank : Axis(a.axis, in.size());
  const auto split = in.begin() + axis;
  return {Elements(Shape(in.begin(), split)), Elements(Shape(split, in.end()))};
}

Shape Reshape(const ReshapeAttributes& a, const Shape& in) {
  Shape output = a.shape;
  std::int64_t known = 1;
  std::ptrdiff_t inferred = -1;
  for (std::size_t i = 0; i < output.size(); ++i) {
    if (output[i] == 0) {
      if (i >= in.size())
        Fail("keeps axis " + std::to_string(i) + " of an input that has none: " + ShapeText(in));
      output[i] = in[i];
    }
    if (output[i] == -1) {
      if (inferred >= 0) Fail("infers more than one extent");
      inferred = static_cast<std::ptrdiff_t>(i);
    } else {
      ExpectPositive(output[i], "an extent of");
      if (known > kMostElements / output[i]) Fail("has too many elements");
      known *= output[i];
    }
  }
  const std::int64_t elements = Elements(in);
  if (inferred >= 0 && elements % known == 0) output[static_cast<std::size_t>(inferred)] = elements / known;
  if (inferred >= 0 ? elements % known != 0 : known != elements) {
    Fail("cannot turn " + ShapeText(in) + " into " + ShapeText(a.shape));
  }
  return output;
}

Shape Transpose(const TransposeAttributes& a, const Shape& in) {
  std::vector<std::int64_t> sorted = a.order;
  std::sort(sorted.begin(), sorted.end());
  std::vector<std::int64_t> axes(in.size());
  std::iota(axes.begin(), axes.end(), 0);
  if (sorted != axes) Fail("its order does not name every axis of " + ShapeText(in) + " once");
  Shape output;
  for (const std::int64_t axis : a.order) output.push_back(in[static_cast<std::size_t>(axis)]);
  return output;
}

Shape Pad(const PadAttributes& a, const Shape& in) {
  if (a.before.size() != in.size() || a.after.size() != in.size())
    Fail("needs paddings for each axis of its input");
  Shape output = in;
  for (std::size_t i = 0; i < in.size(); ++i) {
    ExpectPadding(a.before[i], a.after[i]);
    if (a.mode == PadMode::kReflect && std::max(a.before[i], a.after[i]) >= in[i]) {
      Fail("reflects more than its input holds along axis " + std::to_string(i));
    }
    output[i] += a.before[i] + a.after[i];
  }
  return output;
}

Shape Slice(const SliceAttributes& a, const Shape& in) {
  const std::size_t ranges = a.axes.size();
  if (a.starts.size() != ranges || a.ends.size() != ranges || a.steps.size() != ranges) {
    Fail("needs as many starts, ends and steps as axes");
  }
  Shape output = in;
  for (std::size_t i = 0; i < ranges; ++i) {
    const auto axis = static_cast<std::size_t>(Axis(a.axes[i], in.size()));
    const std::int64_t extent = in[axis];
    const auto clamp = [extent](std::int64_t at) {
      return std::clamp(at < 0 ? at + extent : at, std::int64_t{0}, extent);
    };
    const std::int64_t length = clamp(a.ends[i]) - clamp(a.starts[i]);
    if (a.steps[i] < 1) Fail("a slice needs a positive step");
    if (length < 1) Fail("its slice of axis " + std::to_string(axis) + " is empty");
    output[axis] = (length - 1) / a.steps[i] + 1;
  }
  return output;
}

Shape Upsample(const UpsampleAttributes& a, const Shape& in) {
  ExpectImage(in);
  const auto scaled = [](std::int64_t extent, double scale) {
    if (!(scale > 0 && scale <= 1024)) Fail("a scale is out of range");
    return static_cast<std::int64_t>(std::floor(static_cast<double>(extent) * scale));
  };
  return {in[0], in[1], scaled(in[2], a.scale_h), scaled(in[3], a.scale_w)};
}

Shape ReduceMean(const ReduceAttributes& a, const Shape& in) {
  std::vector<bool> reduced(in.size(), false);
  for (const std::int64_t axis : a.axes) reduced[static_cast<std::size_t>(Axis(axis, in.size()))] = true;
  Shape output;
  for (std::size_t i = 0; i < in.size(); ++i) {
    if (!reduced[i]) output.push_back(in[i]);
    if (reduced[i] && a.keep_dims) output.push_back(1);
  }
  return output;
}

Shape Matmul(const Shape& a, const Shape& b) {
  if (a.size() < 2 || b.size() < 2) Fail("expects matrices, has " + ShapeText(a) + " and " + ShapeText(b));
  if (a.back() != b[b.size() - 2]) Fail("cannot multiply " + ShapeText(a) + " by " + ShapeText(b));
  Shape output = Broadcast(Shape(a.begin(), a.end() - 2), Shape(b.begin(), b.end() - 2));
  output.push_back(a[a.size() - 2]);
  output.push_back(b.back());
  return output;
}

std::int64_t Channels(const Shape& in) {
  if (in.size() < 2) Fail("expects an input with channels, has " + ShapeText(in));
  return in[1];
}

Inferred PerChannel(const Shape& in, std::int64_t params_each, std::int64_t state_each) {
  const std::int64_t channels = Channels(in);
  return {in, {channels * params_each, channels * state_each, 0}};
}

Inferred LayerNorm(const LayerNormAttributes& a, const Shape& in) {
  const auto axis = Axis(a.axis, in.size());
  const std::int64_t elements = Elements(Shape(in.begin() + axis, in.end()));
  return {in, {elements * (a.bias ? 2 : 1), 0, 0}};
}

void ExpectInputs(Op op, std::size_t count) {
  const std::string_view name = NameOf(kOpNames, op);
  const bool many = op == Op::kConcat || (op >= Op::kAdd && op <= Op::kMin);
  const std::size_t least = op == Op::kInput ? 0 : op == Op::kMatmul ? 2 : 1;
  if (count < least || (!many && count > least)) {
    Fail(std::string(name) + " takes " + std::to_string(least) + (many ? " or more" : "") + " inputs, has " +
         std::to_string(count));
  }
}

Inferred Dispatch(Op op, const Attributes& attributes, const std::vector<Shape>& in) {
  switch (op) {
    case Op::kInput:
      return {std::get<InputAttributes>(attributes).shape, {}};
    case Op::kConv:
      return Conv(std::get<ConvAttributes>(attributes), in[0]);
    case Op::kDeconv:
      return Deconv(std::get<ConvAttributes>(attributes), in[0]);
    case Op::kFc:
      return Fc(std::get<FcAttributes>(attributes), in[0]);
    case Op::kMatmul:
      return {Matmul(in[0], in[1]), {}};
    case Op::kMaxPool:
    case Op::kAvgPool:
      return {Pool(std::get<PoolAttributes>(attributes), in[0]), {}};
    case Op::kPrelu:
      return std::get<PreluAttributes>(attributes).shared ? Inferred{in[0], {1, 0, 0}}
                                                          : PerChannel(in[0], 1, 0);
    case Op::kBatchNorm:
      return PerChannel(in[0], std::get<BatchNormAttributes>(attributes).affine ? 2 : 0, 2);
    case Op::kLayerNorm:
      return LayerNorm(std::get<LayerNormAttributes>(attributes), in[0]);
    case Op::kScale:
      return PerChannel(in[0], std::get<ScaleAttributes>(attributes).bias ? 2 : 1, 0);
    case Op::kLrn:
      Channels(in[0]);
      ExpectPositive(std::get<LrnAttributes>(attributes).size, "a window of");
      return {in[0], {}};
    case Op::kAdd:
    case Op::kSub:
    case Op::kMul:
    case Op::kDiv:
    case Op::kPow:
    case Op::kMax:
    case Op::kMin:
      return Elementwise(op, std::get<ElementwiseAttributes>(attributes), in);
    case Op::kConcat:
      return {Concat(std::get<AxisAttributes>(attributes), in), {}};
    case Op::kSoftmax:
      Axis(std::get<AxisAttributes>(attributes).axis, in[0].size());
      return {in[0], {}};
    case Op::kFlatten:
      return {Flatten(std::get<AxisAttributes>(attributes), in[0]), {}};
    case Op::kReshape:
      return {Reshape(std::get<ReshapeAttributes>(attributes), in[0]), {}};
    case Op::kTranspose:
      return {Transpose(std::get<TransposeAttributes>(attributes), in[0]), {}};
    case Op::kPad:
      return {Pad(std::get<PadAttributes>(attributes), in[0]), {}};
    case Op::kSlice:
      return {Slice(std::get<SliceAttributes>(attributes), in[0]), {}};
    case Op::kUpsample:
      return {Upsample(std::get<UpsampleAttributes>(attributes), in[0]), {}};
    case Op::kReduceMean:
      return {ReduceMean(std::get<ReduceAttributes>(attributes), in[0]), {}};
    default:
      return {in[0], {}};  // element by element
  }
}

}  // namespace

Inferred InferShape(Op op, const Attributes& attributes, const std::vector<Shape>& inputs) {
  ExpectInputs(op, inputs.size());
  Inferred inferred = Dispatch(op, attributes, inputs);
  double elements = 1;
  for (const std::int64_t extent : inferred.output) {
    ExpectPositive(extent, "an output extent of");
    elements *= static_cast<double>(extent);
  }
  if (elements > static_cast<double>(kMostElements)) Fail("its output has more than 2^40 elements");
  return inferred;
}

}  // namespace tandem
