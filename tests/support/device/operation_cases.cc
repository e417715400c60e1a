#include "tests/support/device/operation_cases.h"

#include <utility>

#include "profiles/model/model_builder.h"

namespace tandem {
namespace {

using Cases = std::vector<OperationCase>;

void AddCase(Cases& cases, std::string name, Op op, Attributes attributes, std::vector<Shape> inputs) {
  cases.push_back({std::move(name), {"x", op, std::move(attributes), {}}, std::move(inputs)});
}
void AddImage(Cases& cases, std::string name, Op op, Attributes attributes, Shape shape = {1, 16, 9, 11}) {
  AddCase(cases, std::move(name), op, std::move(attributes), {std::move(shape)});
}

ConvAttributes Window(std::int64_t out, Extent kernel, Extent stride = {}, Padding pad = {},
                      Extent dilation = {}) {
  ConvAttributes a;
  a.out_channels = out;
  a.kernel = kernel;
  a.stride = stride;
  a.pad = pad;
  a.dilation = dilation;
  return a;
}

void AddConvs(Cases& cases) {
  AddImage(cases, "conv 1x1", Op::kConv, SquareConv(24, 1));
  AddImage(cases, "conv 3x3", Op::kConv, SquareConv(32, 3, 1, 1), {2, 32, 13, 14});
  AddImage(cases, "conv of a picture", Op::kConv, SquareConv(32, 7, 2, 3), {1, 3, 37, 35});
  AddImage(cases, "conv of odd channels", Op::kConv, NoBias(SquareConv(5, 3, 2, 1)), {3, 7, 10, 9});
  AddImage(cases, "conv uneven", Op::kConv, Window(8, {3, 2}, {2, 3}, {2, 1, 0, 1}, {2, 1}), {1, 6, 12, 13});
  AddImage(cases, "conv dilated", Op::kConv, Window(16, {3, 3}, {}, {2, 2, 2, 2}, {2, 2}));
  AddImage(cases, "conv in groups", Op::kConv, Grouped(2, SquareConv(32, 3, 1, 1)), {1, 32, 9, 9});
  AddImage(cases, "conv in odd groups", Op::kConv, Grouped(3, SquareConv(6, 3, 1, 1)), {2, 9, 8, 8});
  AddImage(cases, "conv depthwise", Op::kConv, Grouped(32, NoBias(SquareConv(32, 3, 2, 1))), {1, 32, 14, 14});
  AddImage(cases, "conv depthwise, odd", Op::kConv, Grouped(20, SquareConv(20, 5, 1, 2)), {2, 20, 9, 9});
  AddImage(cases, "conv depthwise, doubling", Op::kConv, Grouped(8, SquareConv(16, 3, 1, 1)), {1, 8, 7, 7});
  AddImage(cases, "deconv", Op::kDeconv, SquareConv(16, 4, 2, 1), {1, 32, 7, 6});
  ConvAttributes odd = Window(6, {3, 2}, {2, 3}, {1, 0, 1, 1});
  odd.output_pad = {1, 2};
  AddImage(cases, "deconv uneven", Op::kDeconv, odd, {2, 5, 6, 5});
  AddImage(cases, "deconv in groups", Op::kDeconv, NoBias(Grouped(2, SquareConv(8, 3, 2))), {1, 4, 5, 5});
}

void AddProducts(Cases& cases) {
  AddImage(cases, "fc", Op::kFc, FcAttributes{10}, {1, 16, 5, 5});
  AddCase(cases, "fc of rows", Op::kFc, FcAttributes{37, false}, {{3, 65}});
  AddCase(cases, "fc of two rows", Op::kFc, FcAttributes{11}, {{2, 37}});
  AddCase(cases, "fc large", Op::kFc, FcAttributes{130}, {{1, 300}});
  AddCase(cases, "fc of the last axis", Op::kFc, FcAttributes{9, true, -1}, {{2, 3, 4, 17}});
  AddImage(cases, "fc of everything", Op::kFc, FcAttributes{5, true, 0}, {2, 3, 4, 5});
  AddCase(cases, "matmul", Op::kMatmul, NoAttributes{}, {{2, 5, 7}, {2, 7, 3}});
  AddCase(cases, "matmul broadcast", Op::kMatmul, NoAttributes{}, {{2, 1, 4, 6}, {3, 6, 5}});
}

void AddPools(Cases& cases) {
  for (const Op op : {Op::kMaxPool, Op::kAvgPool}) {
    const std::string name = op == Op::kMaxPool ? "max_pool " : "avg_pool ";
    AddImage(cases, name + "2x2", op, SquarePool(2, 2), {2, 16, 8, 8});
    AddImage(cases, name + "padded", op, SquarePool(3, 2, 1));
    AddImage(cases, name + "rounded up", op, RoundedUp(SquarePool(3, 2)), {1, 20, 10, 12});
    AddImage(cases, name + "rounded up, padded", op, RoundedUp(SquarePool(3, 2, 1)), {1, 5, 9, 10});
    AddImage(cases, name + "global", op, GlobalPool(), {2, 24, 7, 6});
    AddImage(cases, name + "adaptive", op, AdaptivePool(4), {1, 16, 7, 9});
    PoolAttributes uneven = SquarePool(2, 1);
    uneven.kernel = {2, 3};
    uneven.stride = {2, 1};
    uneven.pad = {1, 0, 0, 2};
    uneven.count_include_pad = false;
    AddImage(cases, name + "uneven", op, uneven);
  }
  PoolAttributes dilated = SquarePool(2, 1);
  dilated.dilation = {2, 3};
  AddImage(cases, "max_pool dilated", Op::kMaxPool, dilated);
  dilated.pad = {2, 0, 1, 3};
  AddImage(cases, "max_pool dilated, padded", Op::kMaxPool, dilated);
  AddImage(cases, "avg_pool dilated, padded", Op::kAvgPool, RoundedUp(dilated));
  dilated.count_include_pad = false;
  dilated.stride = {2, 2};
  AddImage(cases, "avg_pool dilated, padding not counted", Op::kAvgPool, dilated);
  PoolAttributes even;
  even.adaptive = {3, 11};
  AddImage(cases, "avg_pool adaptive, alike", Op::kAvgPool, even);
}

void AddActivations(Cases& cases) {
  for (const Op op :
       {Op::kRelu, Op::kRelu6, Op::kLeakyRelu, Op::kElu, Op::kSigmoid, Op::kHardSigmoid, Op::kHardSwish,
        Op::kTanh, Op::kSoftplus, Op::kGelu, Op::kErf, Op::kExp, Op::kAbs, Op::kNeg, Op::kPrelu}) {
    AddImage(cases, std::string(OpName(op)), op, DefaultAttributes(op), {2, 20, 5, 7});
    AddCase(cases, std::string(OpName(op)) + " of rows", op, DefaultAttributes(op), {{3, 41}});
  }
  AddImage(cases, "leaky_relu 0.2", Op::kLeakyRelu, LeakyReluAttributes{0.2});
  AddImage(cases, "elu 0.5", Op::kElu, EluAttributes{0.5});
  AddImage(cases, "hard_sigmoid of onnx", Op::kHardSigmoid, HardSigmoidAttributes{1.0 / 6, 0.5});
  AddImage(cases, "clip", Op::kClip, ClipAttributes{-0.25, 0.5});
  AddImage(cases, "clip above zero", Op::kClip, ClipAttributes{0.1, 0.5}, {1, 20, 3, 3});
  AddImage(cases, "quantize", Op::kQuantize, QuantizeAttributes{0.015625, 3, GridType::kInt8});
  AddImage(cases, "quantize to uint8", Op::kQuantize, QuantizeAttributes{0.0078125, 128, GridType::kUint8},
           {2, 20, 5, 7});
  AddImage(cases, "prelu shared", Op::kPrelu, PreluAttributes{true}, {1, 20, 3, 3});
}

void AddNorms(Cases& cases) {
  LrnAttributes lrn;
  AddImage(cases, "lrn", Op::kLrn, lrn, {1, 32, 6, 5});
  AddImage(cases, "lrn of odd channels", Op::kLrn, lrn, {2, 11, 4, 4});
  lrn = {3, 0.5, 0.6, 2, false};
  AddImage(cases, "lrn strong", Op::kLrn, lrn);
  lrn.size = 4;
  AddImage(cases, "lrn even", Op::kLrn, lrn);
  lrn = {3, 0.5, 0.75, 1, true};
  AddImage(cases, "lrn within", Op::kLrn, lrn);
  AddImage(cases, "batch_norm", Op::kBatchNorm, BatchNormAttributes{}, {2, 20, 5, 5});
  AddImage(cases, "batch_norm of caffe", Op::kBatchNorm, BatchNormAttributes{1e-3, false});
  AddCase(cases, "batch_norm of rows", Op::kBatchNorm, BatchNormAttributes{}, {{3, 7}});
  AddImage(cases, "scale", Op::kScale, ScaleAttributes{}, {2, 20, 5, 5});
  AddImage(cases, "scale without bias", Op::kScale, ScaleAttributes{false});
  AddCase(cases, "layer_norm", Op::kLayerNorm, LayerNormAttributes{}, {{2, 5, 33}});
  AddCase(cases, "layer_norm of two axes", Op::kLayerNorm, LayerNormAttributes{1e-3, 1, false}, {{2, 3, 7}});
  AddCase(cases, "softmax", Op::kSoftmax, AxisAttributes{1}, {{2, 100}});
  AddImage(cases, "softmax over channels", Op::kSoftmax, AxisAttributes{1}, {1, 20, 3, 4});
  AddImage(cases, "softmax over rows", Op::kSoftmax, AxisAttributes{2}, {2, 3, 9, 70});
  AddCase(cases, "softmax last", Op::kSoftmax, AxisAttributes{-1}, {{2, 3, 9}});
}

ElementwiseAttributes Constant(Shape shape, bool first = false) {
  return {{}, true, std::move(shape), first};
}

void AddElementwise(Cases& cases) {
  const Shape image = {1, 16, 5, 6};
  for (const Op op : {Op::kAdd, Op::kSub, Op::kMul, Op::kMax, Op::kMin}) {
    const std::string& name(OpName(op));
    AddCase(cases, name, op, ElementwiseAttributes{}, {image, image});
    AddCase(cases, name + " odd", op, ElementwiseAttributes{}, {{2, 9, 5, 3}, {2, 9, 5, 3}});
    AddCase(cases, name + " per channel", op, ElementwiseAttributes{}, {image, {1, 16, 1, 1}});
    AddCase(cases, name + " broadcast", op, ElementwiseAttributes{}, {{2, 1, 4}, {3, 1}});
    AddImage(cases, name + " constant per channel", op, Constant({16, 1, 1}));
    AddImage(cases, name + " constant", op, Constant({}, true), {2, 20, 3, 3});
    AddImage(cases, name + " constant row", op, Constant({11}));
  }
  AddImage(cases, "div by a constant", Op::kDiv, Constant({1, 20, 1, 1}), {1, 20, 3, 3});
  AddImage(cases, "pow of a constant", Op::kPow, Constant({}, true));
  AddCase(cases, "add three", Op::kAdd, ElementwiseAttributes{}, {image, image, image});
  AddCase(cases, "add weighted", Op::kAdd, ElementwiseAttributes{{2, -0.5}, false, {}, false},
          {image, image});
}

void AddMoves(Cases& cases) {
  AddCase(cases, "concat", Op::kConcat, AxisAttributes{1}, {{1, 16, 4, 4}, {1, 32, 4, 4}});
  AddCase(cases, "concat odd", Op::kConcat, AxisAttributes{1}, {{2, 3, 4, 4}, {2, 7, 4, 4}, {2, 1, 4, 4}});
  AddCase(cases, "concat last", Op::kConcat, AxisAttributes{-1}, {{2, 3, 4}, {2, 3, 2}});
  AddImage(cases, "dropout", Op::kDropout, DropoutAttributes{});
  AddImage(cases, "identity", Op::kIdentity, NoAttributes{});
  AddImage(cases, "flatten", Op::kFlatten, AxisAttributes{1}, {2, 20, 3, 2});
  AddImage(cases, "reshape", Op::kReshape, ReshapeAttributes{{0, 2, -1}}, {2, 20, 3, 2});
  AddImage(cases, "transpose", Op::kTranspose, TransposeAttributes{{0, 2, 3, 1}});
  AddCase(cases, "transpose of five", Op::kTranspose, TransposeAttributes{{0, 2, 1, 3, 4}},
          {{1, 2, 3, 4, 5}});
  PadAttributes pad{{0, 0, 2, 1}, {0, 0, 0, 3}, PadMode::kConstant, 0.5};
  AddImage(cases, "pad", Op::kPad, pad);
  pad = {{0, 0, 0, 0}, {0, 16, 0, 0}, PadMode::kConstant, 0};
  AddImage(cases, "pad channels", Op::kPad, pad);
  pad = {{0, 3, 0, 0}, {0, 2, 0, 0}, PadMode::kConstant, 0};
  AddImage(cases, "pad odd channels", Op::kPad, pad);
  AddImage(cases, "pad mirrored", Op::kPad, PadAttributes{{0, 0, 2, 1}, {0, 0, 3, 2}, PadMode::kReflect, 0});
  AddImage(cases, "pad with the edge", Op::kPad,
           PadAttributes{{0, 0, 2, 1}, {0, 0, 3, 2}, PadMode::kEdge, 0});
  AddImage(cases, "slice channels", Op::kSlice, SliceAttributes{{1}, {16}, {32}, {1}}, {1, 48, 4, 3});
  AddImage(cases, "slice odd channels", Op::kSlice, SliceAttributes{{1}, {5}, {-2}, {1}}, {2, 20, 4, 3});
  AddImage(cases, "slice with steps", Op::kSlice, SliceAttributes{{2, 3}, {0, 1}, {9, 11}, {2, 2}});
  AddCase(cases, "slice of rows", Op::kSlice, SliceAttributes{{0}, {1}, {3}, {1}}, {{4, 5}});
  UpsampleAttributes up{2, 2, UpsampleMode::kNearest};
  AddImage(cases, "upsample", Op::kUpsample, up);
  up = {1.5, 3, UpsampleMode::kLinear};
  AddImage(cases, "upsample between", Op::kUpsample, up, {2, 5, 4, 6});
  up.align = UpsampleAlign::kCorners;
  AddImage(cases, "upsample between corners", Op::kUpsample, up, {2, 5, 4, 6});
  up.align = UpsampleAlign::kEdges;
  AddImage(cases, "upsample from the edges", Op::kUpsample, up, {2, 5, 4, 6});
  up = {11.0 / 9, 14.0 / 11, UpsampleMode::kNearest};
  AddImage(cases, "upsample by a ratio", Op::kUpsample, up);
  AddImage(cases, "slice of all", Op::kSlice, SliceAttributes{});
  AddImage(cases, "reduce_mean of nothing", Op::kReduceMean, ReduceAttributes{});
  AddImage(cases, "reduce_mean", Op::kReduceMean, ReduceAttributes{{2, 3}, true});
  AddImage(cases, "reduce_mean dropping", Op::kReduceMean, ReduceAttributes{{-1, 1}, false}, {2, 20, 3, 4});
}

// One number, without an axis.
void AddScalars(Cases& cases) {
  const Shape one;
  for (const Op op : {Op::kRelu, Op::kRelu6, Op::kLeakyRelu, Op::kElu, Op::kSigmoid, Op::kHardSigmoid,
                      Op::kTanh, Op::kGelu, Op::kErf, Op::kExp, Op::kAbs, Op::kDropout, Op::kIdentity}) {
    AddCase(cases, std::string(OpName(op)) + " of one number", op, DefaultAttributes(op), {one});
  }
  for (const Op op : {Op::kAdd, Op::kSub, Op::kMul, Op::kMax, Op::kMin}) {
    const std::string& name(OpName(op));
    AddCase(cases, name + " of two numbers", op, ElementwiseAttributes{}, {one, one});
    AddCase(cases, name + " of a number and a constant", op, Constant({}), {one});
    AddCase(cases, name + " of a number and a row", op, ElementwiseAttributes{}, {one, {7}});
  }
  AddCase(cases, "prelu of one number", Op::kPrelu, PreluAttributes{true}, {one});
  AddCase(cases, "pad of one number", Op::kPad, PadAttributes{}, {one});
  AddCase(cases, "slice of one number", Op::kSlice, SliceAttributes{}, {one});
  AddCase(cases, "transpose of one number", Op::kTranspose, TransposeAttributes{}, {one});
  AddCase(cases, "flatten of one number", Op::kFlatten, AxisAttributes{0}, {one});
  AddCase(cases, "reshape of one number", Op::kReshape, ReshapeAttributes{{1, 1}}, {one});
  AddCase(cases, "reshape to one number", Op::kReshape, ReshapeAttributes{}, {{1, 1, 1, 1}});
  AddCase(cases, "reduce_mean of one number", Op::kReduceMean, ReduceAttributes{}, {one});
  AddCase(cases, "reduce_mean of everything", Op::kReduceMean, ReduceAttributes{{0, 1, 2, 3}, false},
          {{2, 16, 3, 4}});
}

}  // namespace

std::vector<OperationCase> OperationCases() {
  Cases cases;
  AddConvs(cases);
  AddProducts(cases);
  AddPools(cases);
  AddActivations(cases);
  AddNorms(cases);
  AddElementwise(cases);
  AddMoves(cases);
  AddScalars(cases);
  return cases;
}

std::vector<OperationCase> PositiveCases() {
  Cases cases;
  AddImage(cases, "log", Op::kLog, NoAttributes{});
  AddImage(cases, "sqrt", Op::kSqrt, NoAttributes{});
  AddCase(cases, "div", Op::kDiv, ElementwiseAttributes{}, {{2, 3, 4}, {3, 1}});
  AddCase(cases, "div three", Op::kDiv, ElementwiseAttributes{}, {{2, 3, 4}, {3, 1}, {2, 3, 4}});
  AddCase(cases, "pow", Op::kPow, ElementwiseAttributes{}, {{2, 3, 4}, {3, 1}});
  return cases;
}

Model ModelOf(const OperationCase& one) {
  std::vector<LayerSpec> specs;
  LayerSpec layer = one.layer;
  for (std::size_t i = 0; i < one.inputs.size(); ++i) {
    layer.inputs.push_back("in" + std::to_string(i));
    specs.push_back({layer.inputs.back(), Op::kInput, InputAttributes{one.inputs[i]}, {}});
  }
  specs.push_back(layer);
  return Model::Build(one.name, specs, one.name);
}

bool FitsBetweenConvs(const OperationCase& one) {
  for (const Shape& shape : one.inputs) {
    if (shape.size() != 4 || shape != one.inputs[0]) return false;
  }
  return ModelOf(one).layers().back().output.size() == 4;
}

Model BetweenConvs(const OperationCase& one) {
  ModelBuilder net(one.name);
  const Shape& shape = one.inputs[0];
  net.Input("in", {shape[0], 16, shape[2], shape[3]});
  std::vector<std::string> inputs;
  for (std::size_t i = 0; i < one.inputs.size(); ++i) {
    inputs.push_back(net.Conv("before" + std::to_string(i), SquareConv(shape[1], 3, 1, 1), "in"));
  }
  net.Add("x", one.layer.op, one.layer.attributes, inputs);
  net.Conv("after", SquareConv(16, 1));
  return net.Build();
}

}  // namespace tandem
