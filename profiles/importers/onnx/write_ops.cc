// Every other layer as ONNX nodes.
#include <algorithm>
#include <cmath>
#include <numbers>

#include "profiles/base/suggest.h"
#include "profiles/importers/onnx/writer.h"

namespace tandem {
namespace {

using Ints = std::vector<std::int64_t>;
using Value = OnnxWriter::Value;

// Operators without attributes that mean the same.
using Operators = OpTable<const char*>;
const Operators kOperators{{Op::kRelu, "Relu"}, {Op::kSigmoid, "Sigmoid"},   {Op::kHardSwish, "HardSwish"},
                           {Op::kTanh, "Tanh"}, {Op::kSoftplus, "Softplus"}, {Op::kErf, "Erf"},
                           {Op::kExp, "Exp"},   {Op::kLog, "Log"},           {Op::kSqrt, "Sqrt"},
                           {Op::kAbs, "Abs"},   {Op::kNeg, "Neg"},           {Op::kIdentity, "Identity"},
                           {Op::kAdd, "Add"},   {Op::kSub, "Sub"},           {Op::kMul, "Mul"},
                           {Op::kDiv, "Div"},   {Op::kPow, "Pow"},           {Op::kMax, "Max"},
                           {Op::kMin, "Min"},   {Op::kMatmul, "MatMul"}};

// {channels, 1, 1, ...}: broadcast over a tensor of `rank` axes, one number stands for a channel.
Shape ChannelShape(std::int64_t channels, std::size_t rank) {
  Shape shape(rank - 1, 1);
  shape[0] = channels;
  return shape;
}

std::int64_t FromFront(std::int64_t axis, const Shape& shape) {
  return axis < 0 ? axis + static_cast<std::int64_t>(shape.size()) : axis;
}

Value WriteFc(OnnxWriter& to) {
  const auto& a = to.As<FcAttributes>();
  const Shape& in = to.InShape();
  const std::int64_t axis = FromFront(a.axis, in);
  Value rows = to.In();
  if (in.size() != 2 || axis != 1) rows = to.Node("Flatten", {rows}, {{"axis", axis}}, "/flatten");
  std::vector<Value> inputs = {rows, a.quantized ? to.WeightOnGrid() : to.Weight("weight")};
  if (a.bias) inputs.push_back(to.Weight("bias"));
  const Value product = to.Node("Gemm", inputs, {{"transB", 1}});
  if (axis == 1) return product;
  Shape out = to.layer().output;
  if (to.open_batch()) out[0] = -1;
  return to.Node("Reshape", {product, to.Integers("shape", out)}, {}, "/reshape");
}

Value Clip(OnnxWriter& to, double min, double max) {
  return to.Node("Clip", {to.In(), to.Number("min", min), to.Number("max", max)});
}

Value Quantize(OnnxWriter& to) {
  const auto& a = to.As<QuantizeAttributes>();
  const Value scale = to.Number("scale", a.scale), zero = to.Bytes("zero_point", {}, a.type, {a.zero_point});
  return to.Node("DequantizeLinear", {to.Node("QuantizeLinear", {to.In(), scale, zero}), scale, zero}, {},
                 "/dequantize");
}

Value Prelu(OnnxWriter& to) {
  const Shape& in = to.InShape();
  const bool shared = to.As<PreluAttributes>().shared;
  return to.Node("PRelu", {to.In(), to.Weight("slope", shared ? Shape{1} : ChannelShape(in[1], in.size()))});
}

// x * 0.5 * (1 + erf(x / sqrt(2))), as exporters wrote it before there was an operator.
Value Gelu(OnnxWriter& to) {
  const Value ratio = to.Node("Div", {to.In(), to.Number("sqrt2", std::numbers::sqrt2)}, {}, "/div");
  const Value share = to.Node("Add", {to.Node("Erf", {ratio}, {}, "/erf"), to.Number("one", 1)}, {}, "/add");
  const Value product = to.Node("Mul", {to.In(), share}, {}, "/mul");
  return to.Node("Mul", {product, to.Number("half", 0.5)});
}

Value BatchNorm(OnnxWriter& to) {
  const auto& a = to.As<BatchNormAttributes>();
  const std::int64_t channels = to.InShape()[1];
  const auto constant = [&](const char* role, float value) {
    return to.Floats(role, {channels}, std::vector<float>(static_cast<std::size_t>(channels), value));
  };
  const Value gamma = a.affine ? to.Weight("gamma") : constant("gamma", 1);
  const Value beta = a.affine ? to.Weight("beta") : constant("beta", 0);
  return to.Node("BatchNormalization", {to.In(), gamma, beta, to.Weight("mean"), to.Weight("variance")},
                 {{"epsilon", a.epsilon}});
}

Value LayerNorm(OnnxWriter& to) {
  const auto& a = to.As<LayerNormAttributes>();
  std::vector<Value> inputs = {to.In(), to.Weight("gamma")};
  if (a.bias) inputs.push_back(to.Weight("beta"));
  return to.Node("LayerNormalization", inputs, {{"axis", a.axis}, {"epsilon", a.epsilon}});
}

Value Scale(OnnxWriter& to) {
  const Shape shape = ChannelShape(to.InShape()[1], to.InShape().size());
  const Value product = to.Node("Mul", {to.In(), to.Weight("gamma", shape)});
  if (!to.As<ScaleAttributes>().bias) return product;
  return to.Node("Add", {product, to.Weight("beta", shape)}, {}, "/add");
}

std::vector<Value> Operands(OnnxWriter& to) {
  const auto& a = to.As<ElementwiseAttributes>();
  std::vector<Value> operands;
  for (std::size_t i = 0; i < to.layer().inputs.size(); ++i) {
    const bool scaled = !a.coefficients.empty() && a.coefficients[i] != 1;
    operands.push_back(
        scaled ? to.Node("Mul", {to.In(i), to.Number("coefficient", a.coefficients[i])}, {}, "/coefficient")
               : to.In(i));
  }
  if (a.has_constant) {
    operands.insert(a.constant_first ? operands.begin() : operands.end(), to.Weight("constant"));
  }
  return operands;
}

Value Elementwise(OnnxWriter& to) {
  const Op op = to.layer().op;
  const char* type = Operators::Find(op);
  const std::vector<Value> operands = Operands(to);
  if (op == Op::kMax || op == Op::kMin) return to.Node(type, operands);
  if (op == Op::kAdd && operands.size() > 2) return to.Node("Sum", operands);
  Value result = operands[0];
  for (std::size_t i = 1; i < operands.size(); ++i) {
    const bool last = i + 1 == operands.size();
    result = to.Node(type, {result, operands[i]}, {}, last ? "" : "/fold");
  }
  return result;
}

Value Pad(OnnxWriter& to) {
  const auto& a = to.As<PadAttributes>();
  Ints pads = a.before;
  pads.insert(pads.end(), a.after.begin(), a.after.end());
  return to.Node("Pad", {to.In(), to.Integers("pads", pads), to.Number("value", a.value)},
                 {{"mode", std::string(NameOf(kPadModeNames, a.mode))}});
}

Value Slice(OnnxWriter& to) {
  const auto& a = to.As<SliceAttributes>();
  if (a.axes.empty()) return to.Node("Identity", {to.In()});
  return to.Node("Slice", {to.In(), to.Integers("starts", a.starts), to.Integers("ends", a.ends),
                           to.Integers("axes", a.axes), to.Integers("steps", a.steps)});
}

// An ONNX file states either the scales, as floats, or the output's shape, from which runtimes take the
// scales again.
Value Upsample(OnnxWriter& to) {
  const auto& a = to.As<UpsampleAttributes>();
  const Shape &in = to.InShape(), &out = to.layer().output;
  const auto as_float = [](double scale) { return static_cast<double>(static_cast<float>(scale)); };
  const auto as_ratio = [&](std::size_t axis) {
    return static_cast<double>(out[axis]) / static_cast<double>(in[axis]);
  };
  const bool exact = as_float(a.scale_h) == a.scale_h && as_float(a.scale_w) == a.scale_w;
  const bool sizes = !exact && as_ratio(2) == a.scale_h && as_ratio(3) == a.scale_w;
  const auto keeps = [&](double scale, std::size_t axis) {
    return static_cast<std::int64_t>(std::floor(static_cast<double>(in[axis]) * as_float(scale))) ==
           out[axis];
  };
  if (!sizes && !(keeps(a.scale_h, 2) && keeps(a.scale_w, 3))) {
    to.Fail("its scales have more digits than an ONNX file holds");
  }
  std::vector<Value> inputs = {to.In(), "", ""};
  if (sizes && to.open_batch()) {
    const Value batch = to.Node("Shape", {to.In()}, {{"start", 0}, {"end", 1}}, "/batch");
    const Value others = to.Integers("sizes", {out.begin() + 1, out.end()});
    inputs.push_back(to.Node("Concat", {batch, others}, {{"axis", 0}}, "/sizes"));
  } else if (sizes) {
    inputs.push_back(to.Integers("sizes", out));
  } else {
    const std::vector<float> scales = {1, 1, static_cast<float>(a.scale_h), static_cast<float>(a.scale_w)};
    inputs.back() = to.Floats("scales", {4}, scales);
  }
  const bool linear = a.mode == UpsampleMode::kLinear;
  const char* rule = !linear || a.align == UpsampleAlign::kEdges ? "asymmetric"
                     : a.align == UpsampleAlign::kCorners        ? "align_corners"
                                                                 : "half_pixel";
  return to.Node("Resize", inputs,
                 {{"mode", linear ? "linear" : "nearest"},
                  {"coordinate_transformation_mode", rule},
                  {"nearest_mode", "floor"}});
}

Value ReduceMean(OnnxWriter& to) {
  const auto& a = to.As<ReduceAttributes>();
  if (a.axes.empty()) return to.Node("Identity", {to.In()});  // ONNX would reduce all
  return to.Node("ReduceMean", {to.In()}, {{"axes", a.axes}, {"keepdims", a.keep_dims ? 1 : 0}});
}

Value Concat(OnnxWriter& to) {
  std::vector<Value> inputs;
  for (std::size_t i = 0; i < to.layer().inputs.size(); ++i) inputs.push_back(to.In(i));
  return to.Node("Concat", inputs, {{"axis", to.As<AxisAttributes>().axis}});
}

Value WithAxis(OnnxWriter& to, const char* type) {
  return to.Node(type, {to.In()}, {{"axis", to.As<AxisAttributes>().axis}});
}

Value Matmul(OnnxWriter& to) { return to.Node("MatMul", {to.In(0), to.In(1)}); }
Value Relu6(OnnxWriter& to) { return Clip(to, 0, 6); }
Value BoundedBy(OnnxWriter& to) { return Clip(to, to.As<ClipAttributes>().min, to.As<ClipAttributes>().max); }
Value LeakyRelu(OnnxWriter& to) {
  return to.Node("LeakyRelu", {to.In()}, {{"alpha", to.As<LeakyReluAttributes>().slope}});
}
Value Elu(OnnxWriter& to) { return to.Node("Elu", {to.In()}, {{"alpha", to.As<EluAttributes>().alpha}}); }
Value HardSigmoid(OnnxWriter& to) {
  const auto& a = to.As<HardSigmoidAttributes>();
  return to.Node("HardSigmoid", {to.In()}, {{"alpha", a.alpha}, {"beta", a.beta}});
}
Value Dropout(OnnxWriter& to) {
  return to.Node("Dropout", {to.In(), to.Number("ratio", to.As<DropoutAttributes>().ratio)});
}
Value WriteSoftmax(OnnxWriter& to) { return WithAxis(to, "Softmax"); }
Value Flatten(OnnxWriter& to) { return WithAxis(to, "Flatten"); }
Value Reshape(OnnxWriter& to) {
  return to.Node("Reshape", {to.In(), to.Integers("shape", to.As<ReshapeAttributes>().shape)});
}
Value Transpose(OnnxWriter& to) {
  return to.Node("Transpose", {to.In()}, {{"perm", to.As<TransposeAttributes>().order}});
}

const OnnxWriters kWriters{
    {Op::kFc, WriteFc},
    {Op::kMatmul, Matmul},
    {Op::kRelu6, Relu6},
    {Op::kLeakyRelu, LeakyRelu},
    {Op::kPrelu, Prelu},
    {Op::kQuantize, Quantize},
    {Op::kElu, Elu},
    {Op::kHardSigmoid, HardSigmoid},
    {Op::kGelu, Gelu},
    {Op::kClip, BoundedBy},
    {Op::kBatchNorm, BatchNorm},
    {Op::kLayerNorm, LayerNorm},
    {Op::kScale, Scale},
    {Op::kAdd, Elementwise},
    {Op::kSub, Elementwise},
    {Op::kMul, Elementwise},
    {Op::kDiv, Elementwise},
    {Op::kPow, Elementwise},
    {Op::kMax, Elementwise},
    {Op::kMin, Elementwise},
    {Op::kConcat, Concat},
    {Op::kSoftmax, WriteSoftmax},
    {Op::kDropout, Dropout},
    {Op::kFlatten, Flatten},
    {Op::kReshape, Reshape},
    {Op::kTranspose, Transpose},
    {Op::kPad, Pad},
    {Op::kSlice, Slice},
    {Op::kUpsample, Upsample},
    {Op::kReduceMean, ReduceMean},
};

}  // namespace

Value WriteOnnxLayer(OnnxWriter& to) {
  const Op op = to.layer().op;
  if (const auto write = OnnxWriters::Find(op)) return write(to);
  if (const char* type = Operators::Find(op)) return to.Node(type, {to.In()});
  to.Fail("nothing is known of how ONNX says " + Quoted(OpName(op)));
}

}  // namespace tandem
