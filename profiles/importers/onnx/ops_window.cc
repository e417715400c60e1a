// Operators that slide a window over an image.
#include <algorithm>

#include "profiles/importers/onnx/ops.h"

namespace tandem {
namespace {

constexpr std::int64_t kLargestWindow = std::int64_t{1} << 31;

Extent ReadExtent(const OnnxNode& node, const char* name, Extent otherwise) {
  const auto values = node.Ints(name);
  if (!values) return otherwise;
  if (values->size() != 2) {
    node.Fail("its " + std::string(name) + " has " + std::to_string(values->size()) +
              " numbers, two are expected: windows are supported over height and width");
  }
  for (const std::int64_t value : *values) {
    if (value < 1 || value > kLargestWindow) {
      node.Fail("its " + std::string(name) + " of " + std::to_string(value) + " is out of range");
    }
  }
  return {(*values)[0], (*values)[1]};
}

Padding ReadPads(const OnnxNode& node) {
  const auto pads = node.Ints("pads");
  if (!pads) return {};
  if (pads->size() != 4) node.Fail("its pads have " + std::to_string(pads->size()) + " numbers, not four");
  for (const std::int64_t pad : *pads) {
    if (pad < 0 || pad > kLargestWindow)
      node.Fail("its padding of " + std::to_string(pad) + " is out of range");
  }
  return {(*pads)[0], (*pads)[1], (*pads)[2], (*pads)[3]};
}

std::int64_t Window(std::int64_t kernel, std::int64_t dilation) { return (kernel - 1) * dilation + 1; }

void ExpectImage(const OnnxNode& node, const Shape& shape) {
  if (shape.size() != 4) {
    node.Fail("only images of 4 axes (batch, channels, height, width) are supported, its input is " +
              ShapeText(shape));
  }
}

std::string AutoPad(const OnnxNode& node) {
  const std::string mode = node.String("auto_pad", "NOTSET");
  if (mode != "NOTSET" && mode != "VALID" && mode != "SAME_UPPER" && mode != "SAME_LOWER") {
    node.Fail("its auto_pad " + mode + " is unknown; known: NOTSET, VALID, SAME_UPPER, SAME_LOWER");
  }
  return mode;
}

// Of conv and pooling; the kernel is known before.
template <class Windowed>
void ReadWindow(const OnnxNode& node, const Shape& in, Windowed& a) {
  a.stride = ReadExtent(node, "strides", {1, 1});
  a.dilation = ReadExtent(node, "dilations", {1, 1});
  const std::string mode = AutoPad(node);
  if (mode == "NOTSET") a.pad = ReadPads(node);
  if (mode == "NOTSET" || mode == "VALID") return;
  const bool upper = mode == "SAME_UPPER";
  const Sides h = SamePads(in[2], Window(a.kernel.h, a.dilation.h), a.stride.h, upper);
  const Sides w = SamePads(in[3], Window(a.kernel.w, a.dilation.w), a.stride.w, upper);
  a.pad = {h.before, w.before, h.after, w.after};
}

Extent ReadConvKernel(const OnnxNode& node) {
  ExpectImage(node, node.Data(0).shape);
  const Shape& weight = node.Constant(1).shape;
  if (weight.size() != 4) {
    node.Fail("only windows over height and width are supported, its weight is " + ShapeText(weight));
  }
  const Extent kernel{weight[2], weight[3]};
  if (kernel.h < 1 || kernel.w < 1 || kernel.h > kLargestWindow || kernel.w > kLargestWindow ||
      !(ReadExtent(node, "kernel_shape", kernel) == kernel)) {
    node.Fail("its kernel_shape does not fit its weight of " + ShapeText(weight));
  }
  return kernel;
}

void AddConv(OnnxNode& node, Op op, ConvAttributes a) {
  a.bias = node.Has(2);
  const auto steps = op == Op::kConv ? StepsOf(node.Constant(1), 0, a.out_channels) : std::nullopt;
  a.quantized = steps.has_value();
  const OnnxActivation output = node.Layer(op, a, {node.Data(0)});
  node.Weight(output, "weight", node.Constant(1), node.Constant(1).shape);
  if (steps) node.Weight(output, "step", *steps, steps->shape);
  if (a.bias) node.Weight(output, "bias", node.Constant(2), {a.out_channels});
  node.Give(0, output);
}

std::int64_t Groups(const OnnxNode& node, std::int64_t channels) {
  const std::int64_t groups = node.Int("group", 1);
  if (groups < 1 || channels % groups != 0) {
    node.Fail("its " + std::to_string(groups) + " groups do not divide " + std::to_string(channels) +
              " input channels");
  }
  return groups;
}

[[noreturn]] void FailOnChannels(const OnnxNode& node) {
  node.Fail("its weight of " + ShapeText(node.Constant(1).shape) + " in " +
            std::to_string(node.Int("group", 1)) + " group(s) does not fit its input of " +
            ShapeText(node.Data(0).shape));
}

// The padding along one axis that makes the output as large as asked for.
Sides DeconvPads(const OnnxNode& node, std::int64_t in, std::int64_t stride, std::int64_t window,
                 std::int64_t extra, std::int64_t out, bool upper) {
  const std::int64_t total = (in - 1) * stride + window + extra - out;
  if (total < 0) node.Fail("its output is asked to be larger than it can be");
  return ShareOf(total, upper);
}

void ReadDeconvPads(const OnnxNode& node, const Shape& in, ConvAttributes& a) {
  const std::string mode = AutoPad(node);
  if (mode == "NOTSET") a.pad = ReadPads(node);
  const bool same = mode == "SAME_UPPER" || mode == "SAME_LOWER";
  if (!same && !node.HasAttribute("output_shape")) return;
  const Extent out = ReadExtent(node, "output_shape", {in[2] * a.stride.h, in[3] * a.stride.w});
  const bool upper = mode == "SAME_UPPER";
  const Sides h =
      DeconvPads(node, in[2], a.stride.h, Window(a.kernel.h, a.dilation.h), a.output_pad.h, out.h, upper);
  const Sides w =
      DeconvPads(node, in[3], a.stride.w, Window(a.kernel.w, a.dilation.w), a.output_pad.w, out.w, upper);
  a.pad = {h.before, w.before, h.after, w.after};
}

Extent ReadOutputPad(const OnnxNode& node) {
  const auto pads = node.Ints("output_padding");
  if (!pads) return {0, 0};
  const auto fits = [](std::int64_t pad) { return pad >= 0 && pad <= kLargestWindow; };
  if (pads->size() != 2 || !std::all_of(pads->begin(), pads->end(), fits)) {
    node.Fail("its output_padding is not two numbers from 0 on");
  }
  return {(*pads)[0], (*pads)[1]};
}

PoolAttributes ReadPool(const OnnxNode& node) {
  const Shape& in = node.Data(0).shape;
  ExpectImage(node, in);
  PoolAttributes a;
  if (!node.HasAttribute("kernel_shape")) node.Fail("its kernel_shape is missing");
  a.kernel = ReadExtent(node, "kernel_shape", {1, 1});
  ReadWindow(node, in, a);
  a.ceil_mode = node.Int("ceil_mode", 0) != 0;
  return a;
}

void TranslateGlobalPool(OnnxNode& node, Op op) {
  ExpectImage(node, node.Data(0).shape);
  PoolAttributes a;
  a.global = true;
  node.Give(0, node.Layer(op, a, {node.Data(0)}));
}

}  // namespace

void TranslateConv(OnnxNode& node) {
  ConvAttributes a;
  a.kernel = ReadConvKernel(node);
  const Shape& in = node.Data(0).shape;
  const Shape& weight = node.Constant(1).shape;
  a.out_channels = weight[0];
  a.groups = Groups(node, in[1]);
  if (weight[1] != in[1] / a.groups) FailOnChannels(node);
  ReadWindow(node, in, a);
  AddConv(node, Op::kConv, a);
}

void TranslateConvTranspose(OnnxNode& node) {
  ConvAttributes a;
  a.kernel = ReadConvKernel(node);
  const Shape& in = node.Data(0).shape;
  const Shape& weight = node.Constant(1).shape;
  a.groups = Groups(node, in[1]);
  if (weight[0] != in[1] || weight[1] > kLargestWindow || a.groups > kLargestWindow) FailOnChannels(node);
  a.out_channels = weight[1] * a.groups;
  a.stride = ReadExtent(node, "strides", {1, 1});
  a.dilation = ReadExtent(node, "dilations", {1, 1});
  a.output_pad = ReadOutputPad(node);
  ReadDeconvPads(node, in, a);
  AddConv(node, Op::kDeconv, a);
}

void TranslateMaxPool(OnnxNode& node) {
  node.Give(0, node.Layer(Op::kMaxPool, ReadPool(node), {node.Data(0)}));
}

void TranslateAveragePool(OnnxNode& node) {
  PoolAttributes a = ReadPool(node);
  a.count_include_pad = node.Int("count_include_pad", 0) != 0;
  node.Give(0, node.Layer(Op::kAvgPool, a, {node.Data(0)}));
}

void TranslateGlobalAveragePool(OnnxNode& node) { TranslateGlobalPool(node, Op::kAvgPool); }
void TranslateGlobalMaxPool(OnnxNode& node) { TranslateGlobalPool(node, Op::kMaxPool); }

void TranslateLrn(OnnxNode& node) {
  LrnAttributes a;
  a.size = node.Int("size", 0);
  a.alpha = node.Float("alpha", 1e-4);
  a.beta = node.Float("beta", 0.75);
  a.k = node.Float("bias", 1);
  node.Give(0, node.Layer(Op::kLrn, a, {node.Data(0)}));
}

}  // namespace tandem
