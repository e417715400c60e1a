// Operators that slide a window over an image. Filters are stated as output channels, height, width, input
// channels.
#include <algorithm>

#include "profiles/importers/tflite/layout.h"
#include "profiles/importers/tflite/ops.h"

namespace tandem::tflite_ops {
namespace {

constexpr std::int64_t kLargestImage = std::int64_t{1} << 31;

std::int64_t WindowOver(std::int64_t kernel, std::int64_t dilation) { return (kernel - 1) * dilation + 1; }

void ExpectAtLeast1(const TfliteNode& node, std::int64_t value, const char* what) {
  if (value < 1) node.Fail("its " + std::string(what) + " of " + std::to_string(value) + " is out of range");
}

void CheckPadding(const TfliteNode& node, tfl::Padding padding) {
  if (padding == tfl::Padding::SAME || padding == tfl::Padding::VALID) return;
  node.Fail("its padding, number " + std::to_string(static_cast<int>(padding)) +
            ", is unknown; known: 0 (SAME), 1 (VALID)");
}

// Kernel, stride and dilation are known before.
template <class Windowed>
void ReadWindow(const TfliteNode& node, const Shape& in, tfl::Padding padding, Windowed& a) {
  CheckPadding(node, padding);
  for (const Extent& extent : {a.kernel, a.stride, a.dilation}) {
    ExpectAtLeast1(node, std::min(extent.h, extent.w), "kernel, stride or dilation");
  }
  if (padding == tfl::Padding::VALID) return;
  const Sides h = SamePads(in[2], WindowOver(a.kernel.h, a.dilation.h), a.stride.h);
  const Sides w = SamePads(in[3], WindowOver(a.kernel.w, a.dilation.w), a.stride.w);
  a.pad = {h.before, w.before, h.after, w.after};
}

const TfliteConstant& Filter(const TfliteNode& node) {
  const TfliteConstant& filter = node.Constant(1);
  if (filter.shape.size() != 4) {
    node.Fail("its filter of " + ShapeText(filter.shape) + " has not four axes");
  }
  return filter;
}

[[noreturn]] void FailOnFilter(const TfliteNode& node, const Shape& in) {
  node.Fail("its filter of " + ShapeText(node.Constant(1).shape) + " does not fit its input of " +
            ShapeText(FileShape(in)));
}

// The axis of the filter that holds the outputs, and the order that makes it that of the layer's.
struct FilterOrder {
  std::size_t outputs;
  std::vector<std::size_t> order;
};

void AddProduct(TfliteNode& node, Op op, ConvAttributes a, const TfliteActivation& in,
                const FilterOrder& filter, std::size_t bias, tfl::ActivationFunctionType function) {
  const TfliteConstant& weight = node.Constant(1);
  a.bias = node.Has(bias);
  const bool quantized = op == Op::kConv && node.IsQuantized(0);
  const auto steps = quantized ? TfliteSteps(weight, filter.outputs, a.out_channels) : std::nullopt;
  a.quantized = steps.has_value();
  const TfliteActivation output = node.Layer(op, a, {in});
  Shape shape;
  for (const std::size_t axis : filter.order) shape.push_back(weight.shape[axis]);
  node.Weight(output, "weight", weight, shape, weight.shape, filter.order);
  if (steps) node.Weight(output, "step", MakeTfliteConstant({a.out_channels}, *steps), {a.out_channels});
  if (a.bias) node.Weight(output, "bias", node.Constant(bias), {a.out_channels});
  node.Give(0, node.Activated(output, function));
}

// Zeros that an operator of its own has put around the image are the convolution's where it has none.
TfliteActivation WithoutZeros(const TfliteActivation& in, tfl::Padding padding, ConvAttributes& a) {
  if (!in.inside || padding != tfl::Padding::VALID) return in;
  a.pad = in.around;
  return *in.inside;
}

// Either convolution, whose channels and groups are known.
template <typename Options>
void AddConv(TfliteNode& node, const Options& options, ConvAttributes a, const TfliteActivation& in,
             const FilterOrder& order) {
  const Shape& filter = Filter(node).shape;
  a.kernel = {filter[1], filter[2]};
  a.stride = {options.stride_h(), options.stride_w()};
  a.dilation = {options.dilation_h_factor(), options.dilation_w_factor()};
  ReadWindow(node, in.shape, options.padding(), a);
  const TfliteActivation from = WithoutZeros(in, options.padding(), a);
  AddProduct(node, Op::kConv, a, from, order, 2, options.fused_activation_function());
}

// The padding along one axis of which a convolution of the output would give the input.
void DeconvPads(std::int64_t in, std::int64_t out, std::int64_t kernel, std::int64_t stride, bool same,
                std::int64_t& before, std::int64_t& after, std::int64_t& extra) {
  before = same ? SamePads(out, kernel, stride).before : 0;
  after = (in - 1) * stride + kernel - before - out;
  extra = std::max<std::int64_t>(-after, 0);
  after = std::max<std::int64_t>(after, 0);
}

PoolAttributes ReadPool(const TfliteNode& node, const tfl::Pool2DOptions& options) {
  const Shape& in = node.Data(0).shape;
  ExpectImage(node, in);
  PoolAttributes a;
  a.kernel = {options.filter_height(), options.filter_width()};
  a.stride = {options.stride_h(), options.stride_w()};
  ReadWindow(node, in, options.padding(), a);
  a.count_include_pad = false;
  // One window over all there is.
  if (options.padding() == tfl::Padding::VALID && a.kernel == Extent{in[2], in[3]}) {
    a = PoolAttributes{};
    a.global = true;
  }
  return a;
}

void Pool(TfliteNode& node, Op op) {
  const auto& options = node.OptionsAs<tfl::Pool2DOptions>();
  const TfliteActivation& in = node.Data(0);
  TfliteActivation out = node.Layer(op, ReadPool(node, options), {in});
  if (op == Op::kMaxPool) out.grid = in.grid;
  if (options.fused_activation_function() != tfl::ActivationFunctionType::NONE) {
    out = node.Activated(out, options.fused_activation_function());
  }
  node.Give(0, out);
}

}  // namespace

void ExpectImage(const TfliteNode& node, const Shape& of_layer) {
  if (of_layer.size() == 4) return;
  node.Fail("only images of 4 axes (batch, height, width, channels) are supported, its input is " +
            ShapeText(of_layer));
}

void Conv(TfliteNode& node) {
  const auto& options = node.OptionsAs<tfl::Conv2DOptions>();
  const TfliteActivation& in = node.Data(0);
  const Shape& filter = Filter(node).shape;
  ExpectImage(node, in.shape);
  if (filter[3] < 1 || in.shape[1] % filter[3] != 0) FailOnFilter(node, in.shape);
  ConvAttributes a;
  a.out_channels = filter[0];
  a.groups = in.shape[1] / filter[3];
  AddConv(node, options, a, in, {0, {0, 3, 1, 2}});
}

// Output channel i is of input channel i / multiplier, which is how groups have it.
void DepthwiseConv(TfliteNode& node) {
  const auto& options = node.OptionsAs<tfl::DepthwiseConv2DOptions>();
  const TfliteActivation& in = node.Data(0);
  const Shape& filter = Filter(node).shape;
  ExpectImage(node, in.shape);
  if (filter[0] != 1 || filter[3] % in.shape[1] != 0) FailOnFilter(node, in.shape);
  ConvAttributes a;
  a.out_channels = filter[3];
  a.groups = in.shape[1];
  AddConv(node, options, a, in, {3, {3, 0, 1, 2}});
}

// Inputs: the shape of the output, the filter, the image, perhaps a bias.
void TransposeConv(TfliteNode& node) {
  const auto& options = node.OptionsAs<tfl::TransposeConvOptions>();
  const TfliteActivation& in = node.Data(2);
  const Shape& filter = Filter(node).shape;
  ExpectImage(node, in.shape);
  const Shape out = node.IntsOf(0);
  node.Elements(out);
  if (filter[3] != in.shape[1] || out.size() != 4 || out[3] != filter[0]) FailOnFilter(node, in.shape);
  CheckPadding(node, options.padding());
  ConvAttributes a;
  a.out_channels = filter[0];
  a.kernel = {filter[1], filter[2]};
  a.stride = {options.stride_h(), options.stride_w()};
  ExpectAtLeast1(node, std::min({a.stride.h, a.stride.w, out[1], out[2]}), "stride or output");
  if (std::max(in.shape[2], in.shape[3]) > kLargestImage) node.Fail("its image is too large");
  const bool same = options.padding() == tfl::Padding::SAME;
  DeconvPads(in.shape[2], out[1], filter[1], a.stride.h, same, a.pad.top, a.pad.bottom, a.output_pad.h);
  DeconvPads(in.shape[3], out[2], filter[2], a.stride.w, same, a.pad.left, a.pad.right, a.output_pad.w);
  AddProduct(node, Op::kDeconv, a, in, {0, {3, 0, 1, 2}}, 3, options.fused_activation_function());
}

void AveragePool(TfliteNode& node) { Pool(node, Op::kAvgPool); }
void MaxPool(TfliteNode& node) { Pool(node, Op::kMaxPool); }

// Its sum is of the squares themselves, the layer's of their mean.
void LocalResponseNormalization(TfliteNode& node) {
  const auto& options = node.OptionsAs<tfl::LocalResponseNormalizationOptions>();
  ExpectImage(node, node.Data(0).shape);
  if (options.radius() < 0 || options.radius() > (1 << 20)) node.Fail("its radius is out of range");
  LrnAttributes a;
  a.size = 2 * std::int64_t{options.radius()} + 1;
  a.alpha = ShortestDecimal(options.alpha()) * static_cast<double>(a.size);
  a.beta = ShortestDecimal(options.beta());
  a.k = ShortestDecimal(options.bias());
  node.Give(0, node.Layer(Op::kLrn, a, {node.Data(0)}));
}

}  // namespace tandem::tflite_ops
