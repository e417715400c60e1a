#include "profiles/model/shape_inference.h"

#include <algorithm>

#include "profiles/model/shape_rules.h"

namespace tandem {
namespace {

using namespace shapes;

constexpr std::size_t kMostAxes = 16;  // more is a mistake, and would make messages unreadable

Inferred Fc(const FcAttributes& a, const Shape& in) {
  ExpectPositive(a.out_features, "an output feature count of");
  const auto axis = static_cast<std::size_t>(Axis(a.axis, in.size()));
  const auto split = in.begin() + static_cast<std::ptrdiff_t>(axis);
  Inferred result{Shape(in.begin(), split), {}};
  const std::int64_t rows = Elements(result.output);
  const std::int64_t features = Elements(Shape(split, in.end()));
  result.output.push_back(a.out_features);
  result.counts.params = Weights({features, a.out_features}) + (a.bias ? a.out_features : 0);
  result.counts.macs = Product({rows, features, a.out_features});
  return result;
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
      result.counts.params = Weights({result.counts.params, extent});
  }
  return result;
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
    Fail(std::string(name) + " takes " + std::to_string(least) + (many ? " or more" : "") +
         (least == 1 && !many ? " input" : " inputs") + ", has " + std::to_string(count));
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
  if (inferred.output.size() > kMostAxes) Fail("its output has more than 16 axes");
  double elements = 1;
  for (const std::int64_t extent : inferred.output) {
    ExpectPositive(extent, "an output extent of");
    elements *= static_cast<double>(extent);
  }
  if (elements > static_cast<double>(kMostElements)) Fail("its output has more than 2^40 elements");
  return inferred;
}

}  // namespace tandem
