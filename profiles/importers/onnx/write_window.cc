// Layers whose window slides over an image, as ONNX nodes.
#include <algorithm>
#include <limits>

#include "profiles/importers/onnx/writer.h"

namespace tandem {
namespace {

using Ints = std::vector<std::int64_t>;
using Value = OnnxWriter::Value;

Ints Both(const Extent& extent) { return {extent.h, extent.w}; }
Ints All(const Padding& pad) { return {pad.top, pad.left, pad.bottom, pad.right}; }

// Positions [first, end) of an axis that one output sees.
struct Span1d {
  std::int64_t first, end;
};

// How far the last window reaches beyond the padding, where the output was rounded up.
std::int64_t Overhang(std::int64_t in, std::int64_t out, std::int64_t window, std::int64_t stride,
                      std::int64_t pads) {
  return std::max<std::int64_t>(0, (out - 1) * stride + window - in - pads);
}

std::int64_t Reach(std::int64_t kernel, std::int64_t dilation) { return (kernel - 1) * dilation + 1; }

// As padding at the bottom and right: runtimes differ in what they do with ceil_mode.
Padding Overhang(const PoolAttributes& a, const Shape& in, const Shape& out) {
  return {0, 0,
          Overhang(in[2], out[2], Reach(a.kernel.h, a.dilation.h), a.stride.h, a.pad.top + a.pad.bottom),
          Overhang(in[3], out[3], Reach(a.kernel.w, a.dilation.w), a.stride.w, a.pad.left + a.pad.right)};
}

Padding Sum(const Padding& a, const Padding& b) {
  return {a.top + b.top, a.left + b.left, a.bottom + b.bottom, a.right + b.right};
}

Value Surround(OnnxWriter& to, const Padding& pad, float value) {
  const Value pads = to.Integers("pads", {0, 0, pad.top, pad.left, 0, 0, pad.bottom, pad.right});
  return to.Node("Pad", {to.In(), pads, to.Number("value", value)}, {}, "/pad");
}

Value MaxPool(OnnxWriter& to, const PoolAttributes& a, Padding pad) {
  Value in = to.In();
  // Runtimes refuse padding as large as the kernel, which a dilated window may have.
  if (std::max(pad.top, pad.bottom) >= a.kernel.h || std::max(pad.left, pad.right) >= a.kernel.w) {
    in = Surround(to, pad, std::numeric_limits<float>::lowest());
    pad = {};
  }
  return to.Node("MaxPool", {in},
                 {{"kernel_shape", Both(a.kernel)},
                  {"strides", Both(a.stride)},
                  {"pads", All(pad)},
                  {"dilations", Both(a.dilation)}});
}

// How many positions the windows along one axis look at.
std::vector<float> CountsOfAxis(std::int64_t out, std::int64_t kernel, std::int64_t stride,
                                std::int64_t dilation, std::int64_t before, Span1d inside) {
  std::vector<float> counts;
  for (std::int64_t at = 0; at < out; ++at) {
    std::int64_t count = 0;
    for (std::int64_t k = 0; k < kernel; ++k) {
      const std::int64_t position = at * stride - before + k * dilation;
      count += position >= inside.first && position < inside.end ? 1 : 0;
    }
    counts.push_back(static_cast<float>(std::max<std::int64_t>(count, 1)));
  }
  return counts;
}

// Operator set 17 has no dilated mean: sums by a convolution with ones, divided by how many they are.
Value DilatedMean(OnnxWriter& to, const PoolAttributes& a, const Padding& overhang) {
  const Shape &in = to.InShape(), &out = to.layer().output;
  const bool padded = a.count_include_pad;
  const auto rows = CountsOfAxis(out[2], a.kernel.h, a.stride.h, a.dilation.h, a.pad.top,
                                 {padded ? -a.pad.top : 0, in[2] + (padded ? a.pad.bottom : 0)});
  const auto columns = CountsOfAxis(out[3], a.kernel.w, a.stride.w, a.dilation.w, a.pad.left,
                                    {padded ? -a.pad.left : 0, in[3] + (padded ? a.pad.right : 0)});
  std::vector<float> counts;
  for (const float row : rows) {
    for (const float column : columns) counts.push_back(row * column);
  }
  const Shape ones = {in[1], 1, a.kernel.h, a.kernel.w};
  const std::vector<float> weights(static_cast<std::size_t>(Elements(ones)), 1.0F);
  const Value sums = to.Node("Conv", {to.In(), to.Floats("ones", ones, weights)},
                             {{"kernel_shape", Both(a.kernel)},
                              {"strides", Both(a.stride)},
                              {"pads", All(Sum(a.pad, overhang))},
                              {"dilations", Both(a.dilation)},
                              {"group", in[1]}},
                             "/sum");
  return to.Node("Div", {sums, to.Floats("counts", {1, 1, out[2], out[3]}, counts)});
}

// Padding counts in the divisor where the layer says so; what a window reaches beyond it never does.
Value MeanPool(OnnxWriter& to, const PoolAttributes& a, const Padding& overhang) {
  if (!(a.dilation == Extent{1, 1})) return DilatedMean(to, a, overhang);
  const bool reaches_beyond = overhang.bottom > 0 || overhang.right > 0;
  const bool surround = reaches_beyond && a.count_include_pad && !(a.pad == Padding{});
  const Value in = surround ? Surround(to, a.pad, 0) : to.In();
  const std::int64_t count_include_pad = a.count_include_pad && !reaches_beyond ? 1 : 0;
  return to.Node("AveragePool", {in},
                 {{"kernel_shape", Both(a.kernel)},
                  {"strides", Both(a.stride)},
                  {"pads", All(surround ? overhang : Sum(a.pad, overhang))},
                  {"count_include_pad", count_include_pad}});
}

Value SlidingPool(OnnxWriter& to, const PoolAttributes& a) {
  const Padding overhang = Overhang(a, to.InShape(), to.layer().output);
  return to.layer().op == Op::kMaxPool ? MaxPool(to, a, Sum(a.pad, overhang)) : MeanPool(to, a, overhang);
}

std::vector<Span1d> AdaptiveSpans(std::int64_t in, std::int64_t out) {
  std::vector<Span1d> spans;
  for (std::int64_t i = 0; i < out; ++i) spans.push_back({i * in / out, ((i + 1) * in + out - 1) / out});
  return spans;
}

// The step between windows where all are alike, else 0.
std::int64_t CommonStride(const std::vector<Span1d>& spans) {
  const std::int64_t size = spans[0].end - spans[0].first;
  const std::int64_t stride = spans.size() == 1 ? size : spans[1].first - spans[0].first;
  for (std::size_t i = 0; i < spans.size(); ++i) {
    const bool alike =
        spans[i].first == static_cast<std::int64_t>(i) * stride && spans[i].end - spans[i].first == size;
    if (!alike) return 0;
  }
  return stride;
}

// Reduces one axis, window by window.
Value PoolAxis(OnnxWriter& to, const Value& in, std::int64_t axis, const std::vector<Span1d>& spans,
               const std::string& suffix) {
  const char* type = to.layer().op == Op::kMaxPool ? "MaxPool" : "AveragePool";
  std::vector<Value> parts;
  for (const Span1d& span : spans) {
    const Value part = to.Node(
        "Slice",
        {in, to.Integers("start", {span.first}), to.Integers("end", {span.end}), to.Integers("axis", {axis})},
        {}, "/slice");
    const std::int64_t size = span.end - span.first;
    const Ints kernel = axis == 2 ? Ints{size, 1} : Ints{1, size};
    parts.push_back(to.Node(type, {part}, {{"kernel_shape", kernel}}, "/pool"));
  }
  return to.Node("Concat", parts, {{"axis", axis}}, suffix);
}

Value AdaptivePool(OnnxWriter& to, const PoolAttributes& a) {
  const auto rows = AdaptiveSpans(to.InShape()[2], a.adaptive.h);
  const auto columns = AdaptiveSpans(to.InShape()[3], a.adaptive.w);
  PoolAttributes plain;
  plain.kernel = {rows[0].end, columns[0].end};
  plain.stride = {CommonStride(rows), CommonStride(columns)};
  if (plain.stride.h > 0 && plain.stride.w > 0) return SlidingPool(to, plain);
  return PoolAxis(to, PoolAxis(to, to.In(), 2, rows, "/rows"), 3, columns, "");
}

// x / (k + alpha * mean of x^2)^beta, the mean over a square of positions.
Value LrnWithinChannel(OnnxWriter& to, const LrnAttributes& a) {
  const std::int64_t before = (a.size - 1) / 2, after = a.size - 1 - before;
  const Value squares = to.Node("Mul", {to.In(), to.In()}, {}, "/square");
  const Value mean = to.Node("AveragePool", {squares},
                             {{"kernel_shape", Ints{a.size, a.size}},
                              {"pads", Ints{before, before, after, after}},
                              {"count_include_pad", 1}},
                             "/mean");
  const Value scaled = to.Node("Mul", {mean, to.Number("alpha", a.alpha)}, {}, "/alpha");
  const Value sum = to.Node("Add", {scaled, to.Number("k", a.k)}, {}, "/k");
  return to.Node("Div", {to.In(), to.Node("Pow", {sum, to.Number("beta", a.beta)}, {}, "/beta")});
}

Value Conv(OnnxWriter& to) {
  const auto& a = to.As<ConvAttributes>();
  std::vector<Value> inputs = {to.In(), a.quantized ? to.WeightOnGrid() : to.Weight("weight")};
  if (a.bias) inputs.push_back(to.Weight("bias"));
  OnnxWrittenAttributes attributes = {{"kernel_shape", Both(a.kernel)},
                                      {"strides", Both(a.stride)},
                                      {"pads", All(a.pad)},
                                      {"dilations", Both(a.dilation)},
                                      {"group", a.groups}};
  if (to.layer().op == Op::kConv) return to.Node("Conv", inputs, attributes);
  attributes.push_back({"output_padding", Both(a.output_pad)});
  return to.Node("ConvTranspose", inputs, attributes);
}

Value Pool(OnnxWriter& to) {
  const auto& a = to.As<PoolAttributes>();
  const bool max = to.layer().op == Op::kMaxPool;
  if (a.global) return to.Node(max ? "GlobalMaxPool" : "GlobalAveragePool", {to.In()});
  return a.adaptive == Extent{0, 0} ? SlidingPool(to, a) : AdaptivePool(to, a);
}

Value Lrn(OnnxWriter& to) {
  const auto& a = to.As<LrnAttributes>();
  if (a.within_channel) return LrnWithinChannel(to, a);
  return to.Node("LRN", {to.In()}, {{"size", a.size}, {"alpha", a.alpha}, {"beta", a.beta}, {"bias", a.k}});
}

const OnnxWriters kWindowWriters{
    {Op::kConv, Conv}, {Op::kDeconv, Conv}, {Op::kMaxPool, Pool}, {Op::kAvgPool, Pool}, {Op::kLrn, Lrn}};

}  // namespace
}  // namespace tandem
