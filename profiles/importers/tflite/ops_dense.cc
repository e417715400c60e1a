// Matrix products, softmax and reductions.
#include <algorithm>

#include "profiles/importers/tflite/layout.h"
#include "profiles/importers/tflite/ops.h"

namespace tandem::tflite_ops {
namespace {

// How the rows of a matrix are had from what comes in, and its weights in the order of their numbers.
struct Rows {
  TfliteActivation from;
  Shape view;                      // of the weights, before their axes are moved
  std::vector<std::size_t> order;  // empty: they are not
};

// The numbers of an image are in another order than the file has them: the weights are moved instead.
Rows RowsOfImage(TfliteNode& node, const TfliteActivation& image, std::int64_t outputs) {
  const Shape of_file = FileShape(image.shape);
  TfliteActivation rows = node.Layer(Op::kFlatten, AxisAttributes{1}, {image}, "/flatten");
  rows.grid = image.grid;
  return {rows, {outputs, of_file[1], of_file[2], of_file[3]}, {0, 3, 1, 2}};
}

Rows RowsOf(TfliteNode& node, const TfliteActivation& in, const Shape& matrix) {
  if (in.image && Elements(in.shape) / in.shape[0] == matrix[1])
    return RowsOfImage(node, *in.image, matrix[0]);
  if (in.shape.size() == 4 && Elements(in.shape) / in.shape[0] == matrix[1]) {
    return RowsOfImage(node, in, matrix[0]);
  }
  if (in.shape.size() == 2 && in.shape[1] == matrix[1]) return {in, {}, {}};
  const std::int64_t elements = node.Elements(in.shape);
  if (elements % matrix[1] != 0) {
    node.Fail("cannot multiply " + ShapeText(FileShape(in.shape)) + " by weights of " + ShapeText(matrix));
  }
  return {node.Reshaped(in, {elements / matrix[1], matrix[1]}, "/rows"), {}, {}};
}

void CheckMatrix(const TfliteNode& node, const tfl::FullyConnectedOptions& options) {
  if (options.weights_format() != tfl::FullyConnectedOptionsWeightsFormat::DEFAULT) {
    node.Fail("its weights are shuffled for one processor's kernels, which is not supported");
  }
  const Shape& matrix = node.Constant(1).shape;
  if (matrix.size() != 2 || matrix[0] < 1 || matrix[1] < 1) {
    node.Fail("its weights of " + ShapeText(matrix) + " are no matrix");
  }
}

void GiveProduct(TfliteNode& node, const TfliteActivation& out, const Shape& shape, const Rows& rows,
                 const std::optional<std::vector<float>>& steps) {
  const std::int64_t outputs = node.Constant(1).shape[0];
  node.Weight(out, "weight", node.Constant(1), shape, rows.view, rows.order);
  if (steps) node.Weight(out, "step", MakeTfliteConstant({outputs}, *steps), {outputs});
  if (node.Has(2)) node.Weight(out, "bias", node.Constant(2), {outputs});
  node.Give(0, node.Activated(out, node.OptionsAs<tfl::FullyConnectedOptions>().fused_activation_function()));
}

// Axes of the layer that are reduced, in ascending order.
std::vector<std::int64_t> ReducedAxes(const TfliteNode& node) {
  const std::size_t rank = node.Data(0).shape.size();
  std::vector<std::int64_t> axes;
  for (const std::int64_t axis : node.IntsOf(1)) {
    axes.push_back(static_cast<std::int64_t>(LayerAxis(node.Axis(axis, rank), rank)));
  }
  std::sort(axes.begin(), axes.end());
  axes.erase(std::unique(axes.begin(), axes.end()), axes.end());
  if (axes.empty()) node.Fail("it reduces nothing");
  return axes;
}

Shape WithoutReduced(const TfliteNode& node) {
  const Shape in = FileShape(node.Data(0).shape);
  std::vector<bool> reduced(in.size(), false);
  for (const std::int64_t axis : node.IntsOf(1)) reduced[node.Axis(axis, in.size())] = true;
  Shape out;
  for (std::size_t i = 0; i < in.size(); ++i) {
    if (!reduced[i]) out.push_back(in[i]);
  }
  return out;
}

bool IsOverImage(const TfliteNode& node) {
  return node.Data(0).shape.size() == 4 && ReducedAxes(node) == std::vector<std::int64_t>{2, 3};
}

TfliteActivation MeanOf(TfliteNode& node) {
  if (IsOverImage(node)) return PooledGlobally(node, Op::kAvgPool);
  return node.Layer(Op::kReduceMean, ReduceAttributes{ReducedAxes(node), true}, {node.Data(0)});
}

// On its grid before its axes go: kernels on whole numbers end with the grid.
void GiveReduced(TfliteNode& node, const TfliteActivation& reduced) {
  const TfliteActivation on_grid = node.OnGridOf(0, reduced);
  if (node.OptionsAs<tfl::ReducerOptions>().keep_dims()) return node.Give(0, on_grid);
  node.Give(0, node.Reshaped(on_grid, WithoutReduced(node), "/squeeze"));
}

TfliteActivation TimesNumber(TfliteNode& node, const TfliteActivation& in, float number,
                             const std::string& suffix) {
  ElementwiseAttributes a;
  a.has_constant = true;
  const TfliteActivation out = node.Layer(Op::kMul, a, {in}, suffix);
  node.Weight(out, "constant", MakeTfliteConstant({}, std::vector<float>{number}), {});
  return out;
}

TfliteActivation SoftmaxOf(TfliteNode& node, float beta) {
  TfliteActivation in = node.Data(0);
  if (in.shape.empty()) node.Fail("its input has no axes");
  const std::size_t last = LayerAxis(in.shape.size() - 1, in.shape.size());
  if (beta != 1) in = TimesNumber(node, in, beta, "/beta");
  return node.Layer(Op::kSoftmax, AxisAttributes{static_cast<std::int64_t>(last)}, {in});
}

}  // namespace

TfliteActivation PooledGlobally(TfliteNode& node, Op op) {
  PoolAttributes pool;
  pool.global = true;
  return node.Layer(op, pool, {node.Data(0)});
}

void FullyConnected(TfliteNode& node) {
  const auto& options = node.OptionsAs<tfl::FullyConnectedOptions>();
  CheckMatrix(node, options);
  const TfliteActivation& in = node.Data(0);
  if (in.shape.empty()) node.Fail("its input has no axes");
  const Shape& matrix = node.Constant(1).shape;
  const auto steps = node.IsQuantized(0) ? TfliteSteps(node.Constant(1), 0, matrix[0]) : std::nullopt;
  const bool keeps = options.keep_num_dims() && in.shape.size() > 2;
  if (keeps && in.shape.size() == 4) {  // at every position: a convolution of 1 x 1
    ConvAttributes a;
    a.out_channels = matrix[0];
    a.bias = node.Has(2);
    a.quantized = steps.has_value();
    const TfliteActivation out = node.Layer(Op::kConv, a, {in});
    return GiveProduct(node, out, {matrix[0], matrix[1], 1, 1}, {}, steps);
  }
  const Rows rows = keeps ? Rows{in, {}, {}} : RowsOf(node, in, matrix);
  FcAttributes a;
  a.out_features = matrix[0];
  a.bias = node.Has(2);
  a.quantized = steps.has_value();
  a.axis = keeps ? -1 : 1;
  const TfliteActivation out = node.Layer(Op::kFc, a, {rows.from});
  GiveProduct(node, out, matrix, rows, steps);
}

void Softmax(TfliteNode& node) {
  node.Give(0, SoftmaxOf(node, node.OptionsAs<tfl::SoftmaxOptions>().beta()));
}

void LogSoftmax(TfliteNode& node) {
  node.Give(0, node.Layer(Op::kLog, NoAttributes{}, {SoftmaxOf(node, 1)}, "/log"));
}

void Mean(TfliteNode& node) { GiveReduced(node, MeanOf(node)); }

void Sum(TfliteNode& node) {
  const TfliteActivation mean = MeanOf(node);
  const std::int64_t summed = node.Elements(node.Data(0).shape) / node.Elements(mean.shape);
  GiveReduced(node, TimesNumber(node, mean, static_cast<float>(summed), "/sum"));
}

void ReduceMax(TfliteNode& node) {
  if (!IsOverImage(node)) node.Fail("only a maximum over height and width is supported");
  TfliteActivation pooled = PooledGlobally(node, Op::kMaxPool);
  pooled.grid = node.Data(0).grid;
  GiveReduced(node, pooled);
}

// Channels over the root of the sum of their squares: a response normalisation whose window holds them all.
void L2Normalization(TfliteNode& node) {
  const TfliteActivation& in = node.Data(0);
  if (in.shape.size() != 2 && in.shape.size() != 4) {
    node.Fail("only rows and images are supported, its input is " + ShapeText(in.shape));
  }
  LrnAttributes a;
  a.size = 2 * in.shape[1] - 1;
  a.alpha = static_cast<double>(a.size);
  a.beta = 0.5;
  a.k = 1e-12;  // the file's rule divides by 1e-6 at least
  node.Give(0, node.Layer(Op::kLrn, a, {in}));
}

}  // namespace tandem::tflite_ops
