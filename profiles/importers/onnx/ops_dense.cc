// Matrix products, normalisation and reductions.
#include <algorithm>
#include <cmath>
#include <numeric>

#include "profiles/importers/onnx/ops.h"

namespace tandem {
namespace {

constexpr std::int64_t kLargestSize = std::int64_t{1} << 31;

OnnxActivation Transposed(OnnxNode& node, const OnnxActivation& matrix, const std::string& suffix) {
  TransposeAttributes a;
  a.order.resize(matrix.shape.size());
  std::iota(a.order.begin(), a.order.end(), 0);
  if (a.order.size() > 1) std::swap(a.order.back(), a.order[a.order.size() - 2]);
  return node.Layer(Op::kTranspose, a, {matrix}, suffix);
}

// A fully connected layer over the last axis of `data`. The matrix is (out, in) where `out_first`.
OnnxActivation Fc(OnnxNode& node, const OnnxActivation& data, const OnnxConstant& matrix, bool out_first,
                  bool bias, float factor) {
  if (matrix.shape.size() != 2 || data.shape.empty()) {
    node.Fail("cannot multiply " + ShapeText(data.shape) + " by a constant of " + ShapeText(matrix.shape));
  }
  const std::int64_t features = matrix.shape[out_first ? 1 : 0];
  FcAttributes a;
  a.out_features = matrix.shape[out_first ? 0 : 1];
  a.bias = bias;
  // The usual matrix product of a batch of rows is what every other source calls a fully connected layer.
  a.axis = data.shape.size() == 2 ? 1 : -1;
  if (features != data.shape.back() || features > kLargestSize) {
    node.Fail("cannot multiply " + ShapeText(data.shape) + " by a constant of " + ShapeText(matrix.shape) +
              (out_first ? ", transposed" : ""));
  }
  const auto steps = StepsOf(matrix, out_first ? 0 : 1, a.out_features);
  a.quantized = steps.has_value();
  const OnnxActivation output = node.Layer(Op::kFc, a, {data});
  node.Weight(output, "weight", matrix, {a.out_features, features}, !out_first, factor);
  if (steps) node.Weight(output, "step", *steps, steps->shape, false, std::abs(factor));
  return output;
}

// Gemm's third operand broadcasts to the rows: one number, one row or (as a layer of its own) anything else.
bool IsRow(const Shape& shape) {
  return std::all_of(shape.begin(), shape.end() - (shape.empty() ? 0 : 1),
                     [](std::int64_t extent) { return extent == 1; });
}

// One number for all features becomes one for each.
OnnxConstant Spread(const OnnxNode& node, std::size_t i, const Shape& shape) {
  OnnxConstant constant = node.Constant(i);
  if (node.Elements(constant.shape) != 1) return constant;
  const bool known = constant.known();
  constant = {};
  constant.shape = shape;
  if (known) constant.fill = node.FloatOf(i);
  return constant;
}

OnnxActivation AddConstant(OnnxNode& node, const OnnxActivation& to, const OnnxConstant& constant,
                           float factor) {
  ElementwiseAttributes a;
  a.has_constant = true;
  a.constant_shape = constant.shape;
  const OnnxActivation sum = node.Layer(Op::kAdd, a, {to}, "/add");
  node.Weight(sum, "constant", constant, constant.shape, false, factor);
  return sum;
}

OnnxActivation AddThird(OnnxNode& node, const OnnxActivation& product, float beta) {
  if (node.IsConstant(2)) return AddConstant(node, product, node.Constant(2), beta);
  ElementwiseAttributes a;
  if (beta != 1) a.coefficients = {1, beta};
  return node.Layer(Op::kAdd, a, {product, node.Data(2)}, "/add");
}

// Gemm of two activations.
OnnxActivation Product(OnnxNode& node, const OnnxActivation& left, float alpha) {
  if (alpha != 1) node.Fail("its alpha is not 1, which is supported with a constant matrix alone");
  OnnxActivation right = node.Data(1);
  if (node.Int("transB", 0) != 0) right = Transposed(node, right, "/transpose_b");
  return node.Layer(Op::kMatmul, NoAttributes{}, {left, right});
}

void NormWeights(OnnxNode& node, const OnnxActivation& to, const Shape& shape) {
  node.Weight(to, "gamma", node.Constant(1), shape);
  if (node.Has(2)) node.Weight(to, "beta", node.Constant(2), shape);
}

// Softmax over one axis. Before operator set 13 it went over all axes from `axis` on, as if they were one.
OnnxActivation Softmax(OnnxNode& node) {
  const OnnxActivation& in = node.Data(0);
  const bool one_axis = node.opset() >= 13;
  const auto axis = static_cast<std::size_t>(node.Axis(node.Int("axis", one_axis ? -1 : 1), in.shape.size()));
  const auto is_one = [](std::int64_t extent) { return extent == 1; };
  if (one_axis ||
      std::all_of(in.shape.begin() + static_cast<std::ptrdiff_t>(axis) + 1, in.shape.end(), is_one)) {
    return node.Layer(Op::kSoftmax, AxisAttributes{static_cast<std::int64_t>(axis)}, {in});
  }
  const OnnxActivation rows =
      node.Layer(Op::kFlatten, AxisAttributes{static_cast<std::int64_t>(axis)}, {in}, "/flatten");
  const OnnxActivation softmax = node.Layer(Op::kSoftmax, AxisAttributes{1}, {rows});
  return node.Layer(Op::kReshape, BatchlessReshape(rows.shape, in.shape), {softmax}, "/reshape");
}

ReduceAttributes ReadReduce(const OnnxNode& node, std::int64_t axes_as_input_from) {
  const std::size_t rank = node.Data(0).shape.size();
  ReduceAttributes a;
  a.keep_dims = node.Int("keepdims", 1) != 0;
  const auto axes = node.opset() >= axes_as_input_from ? node.IntsFrom("axes", 1) : node.Ints("axes");
  if (axes) a.axes = *axes;
  const bool none = a.axes.empty();
  if (none && node.Int("noop_with_empty_axes", 0) != 0) node.Fail("it reduces nothing");
  for (std::size_t i = 0; none && i < rank; ++i) a.axes.push_back(static_cast<std::int64_t>(i));
  for (std::int64_t& axis : a.axes) axis = node.Axis(axis, rank);
  std::sort(a.axes.begin(), a.axes.end());
  a.axes.erase(std::unique(a.axes.begin(), a.axes.end()), a.axes.end());
  return a;
}

bool IsOverImage(const OnnxNode& node, const ReduceAttributes& a) {
  return node.Data(0).shape.size() == 4 && a.axes == std::vector<std::int64_t>{2, 3};
}

// Over height and width it is a global pooling by another name.
void PoolGlobally(OnnxNode& node, Op op, bool keep_dims) {
  PoolAttributes pool;
  pool.global = true;
  const OnnxActivation pooled = node.Layer(op, pool, {node.Data(0)});
  node.Give(0, keep_dims ? pooled : node.Layer(Op::kFlatten, AxisAttributes{1}, {pooled}, "/flatten"));
}

}  // namespace

void TranslateGemm(OnnxNode& node) {
  const auto alpha = static_cast<float>(node.Float("alpha", 1));
  const auto beta = static_cast<float>(node.Float("beta", 1));
  OnnxActivation left = node.Data(0);
  if (left.shape.size() != 2) node.Fail("expects a matrix, has " + ShapeText(left.shape));
  if (node.Int("transA", 0) != 0) left = Transposed(node, left, "/transpose_a");
  if (!node.IsConstant(1)) {
    const OnnxActivation product = Product(node, left, alpha);
    return node.Give(0, node.Has(2) ? AddThird(node, product, beta) : product);
  }
  const bool bias = node.Has(2) && node.IsConstant(2) && IsRow(node.Constant(2).shape);
  const OnnxActivation product = Fc(node, left, node.Constant(1), node.Int("transB", 0) != 0, bias, alpha);
  const Shape features = {product.shape.back()};
  if (bias) node.Weight(product, "bias", Spread(node, 2, features), features, false, beta);
  node.Give(0, node.Has(2) && !bias ? AddThird(node, product, beta) : product);
}

void TranslateMatMul(OnnxNode& node) {
  if (node.IsConstant(1)) {
    return node.Give(0, Fc(node, node.Data(0), node.Constant(1), false, false, 1));
  }
  node.Give(0, node.Layer(Op::kMatmul, NoAttributes{}, {node.Data(0), node.Data(1)}));
}

bool AddAsBias(OnnxNode& node, std::size_t product, std::size_t constant) {
  const OnnxActivation& made = node.Data(product);
  const Shape& row = node.Constant(constant).shape;
  LayerSpec* layer = node.LayerReadHereAlone(product);
  if (layer == nullptr || layer->op != Op::kFc) return false;
  auto& a = layer->attributes.As<FcAttributes>();
  const bool fits = row.size() <= made.shape.size() && IsRow(row) &&
                    (row.empty() || row.back() == 1 || row.back() == a.out_features);
  if (!a.quantized || a.bias || !fits) return false;
  a.bias = true;
  const Shape features = {a.out_features};
  node.Weight(made, "bias", Spread(node, constant, features), features);
  node.Give(0, made);
  return true;
}

// tandem runs networks, it does not train them: the running statistics are used whatever training_mode says.
void TranslateBatchNormalization(OnnxNode& node) {
  if (node.Int("spatial", 1) == 0) node.Fail("statistics per pixel (spatial = 0) are not supported");
  const OnnxActivation& in = node.Data(0);
  BatchNormAttributes a;
  a.epsilon = node.Float("epsilon", 1e-5);
  const OnnxActivation output = node.Layer(Op::kBatchNorm, a, {in});
  const Shape channels = {in.shape[1]};
  NormWeights(node, output, channels);
  node.Weight(output, "mean", node.Constant(3), channels);
  node.Weight(output, "variance", node.Constant(4), channels);
  node.Give(0, output);
}

void TranslateLayerNormalization(OnnxNode& node) {
  const OnnxActivation& in = node.Data(0);
  LayerNormAttributes a;
  a.epsilon = node.Float("epsilon", 1e-5);
  a.axis = node.Axis(node.Int("axis", -1), in.shape.size());
  a.bias = node.Has(2);
  const OnnxActivation output = node.Layer(Op::kLayerNorm, a, {in});
  NormWeights(node, output, Shape(in.shape.begin() + a.axis, in.shape.end()));
  node.Give(0, output);
}

void TranslateSoftmax(OnnxNode& node) { node.Give(0, Softmax(node)); }

void TranslateLogSoftmax(OnnxNode& node) {
  node.Give(0, node.Layer(Op::kLog, NoAttributes{}, {Softmax(node)}, "/log"));
}

void TranslateReduceMean(OnnxNode& node) {
  const ReduceAttributes a = ReadReduce(node, 18);
  if (IsOverImage(node, a)) return PoolGlobally(node, Op::kAvgPool, a.keep_dims);
  node.Give(0, node.Layer(Op::kReduceMean, a, {node.Data(0)}));
}

void TranslateReduceMax(OnnxNode& node) {
  const ReduceAttributes a = ReadReduce(node, 18);
  if (!IsOverImage(node, a)) node.Fail("only a maximum over height and width is supported");
  PoolGlobally(node, Op::kMaxPool, a.keep_dims);
}

}  // namespace tandem
