// Does every operation get the shape and the counts that frameworks give it?
#include "profiles/model/shape_inference.h"

#include <gtest/gtest.h>

#include <limits>

#include "profiles/model/model_builder.h"
#include "tests/support/error_of.h"

namespace tandem {
namespace {

Inferred Of(Op op, const Attributes& attributes, const std::vector<Shape>& inputs) {
  return InferShape(op, attributes, inputs);
}
Shape Out(Op op, const Attributes& attributes, const std::vector<Shape>& inputs) {
  return Of(op, attributes, inputs).output;
}
Shape Out(Op op, const Shape& input) { return Out(op, DefaultAttributes(op), {input}); }
std::string Error(Op op, const Attributes& attributes, const std::vector<Shape>& inputs) {
  return ErrorOf([&] { InferShape(op, attributes, inputs); });
}

constexpr std::int64_t kHuge = std::numeric_limits<std::int64_t>::max();
const Shape kImage = {1, 3, 224, 224};

TEST(ShapeOfConv, CountsWindowsWeightsAndWork) {
  const Inferred conv = Of(Op::kConv, SquareConv(64, 7, 2, 3), {kImage});
  EXPECT_EQ(conv.output, (Shape{1, 64, 112, 112}));
  EXPECT_EQ(conv.counts.params, 64 * 3 * 49 + 64);
  EXPECT_EQ(conv.counts.macs, 118'013'952);
}

TEST(ShapeOfOpaque, IsWhatItSaysForEveryInferenceOfTheBatch) {
  const Op opaque = *FindOp("opaque");
  const Inferred engine = Of(opaque, OpaqueAttributes{{1, 84, 8400}, 3'200'000}, {{4, 3, 640, 640}});
  EXPECT_EQ(engine.output, (Shape{4, 84, 8400}));
  EXPECT_EQ(engine.counts.params, 3'200'000);
  EXPECT_EQ(engine.counts.macs, 0);
  EXPECT_NE(Error(opaque, OpaqueAttributes{{4, 10}, 0}, {kImage}).find("begins with 1"), std::string::npos);
}

TEST(ShapeOfConv, GroupsSeeTheirOwnChannelsAlone) {
  const Inferred conv = Of(Op::kConv, NoBias(Grouped(32, SquareConv(32, 3, 1, 1))), {{2, 32, 10, 10}});
  EXPECT_EQ(conv.output, (Shape{2, 32, 10, 10}));
  EXPECT_EQ(conv.counts.params, 32 * 9);
  EXPECT_EQ(conv.counts.macs, 2 * 32 * 100 * 9);
}

TEST(ShapeOfConv, DilationAndLopsidedWindows) {
  ConvAttributes attributes;
  attributes.out_channels = 5;
  attributes.kernel = {3, 1};
  attributes.dilation = {2, 7};
  attributes.stride = {1, 2};
  attributes.pad = {1, 0, 2, 3};
  EXPECT_EQ(Out(Op::kConv, attributes, {{1, 4, 10, 10}}), (Shape{1, 5, 9, 7}));
}

TEST(ShapeOfConv, SaysWhatDoesNotFit) {
  EXPECT_EQ(Error(Op::kConv, SquareConv(8, 3), {{1, 3, 2, 5}}),
            "its window of 3 is larger than its padded input of 2");
  EXPECT_EQ(Error(Op::kConv, Grouped(2, SquareConv(8, 1)), {{1, 3, 4, 4}}),
            "3 input channels cannot be divided into 2 groups");
  EXPECT_EQ(Error(Op::kConv, Grouped(2, SquareConv(7, 1)), {{1, 4, 4, 4}}),
            "7 output channels cannot be divided into 2 groups");
  EXPECT_EQ(Error(Op::kConv, SquareConv(8, 0), {kImage}),
            "a kernel, stride or dilation of 0 is out of range");
  EXPECT_EQ(Error(Op::kConv, SquareConv(8, 3, 1, -1), {kImage}), "a padding is out of range");
  EXPECT_EQ(Error(Op::kConv, SquareConv(0, 1), {kImage}), "an output channel count of 0 is out of range");
  EXPECT_EQ(Error(Op::kConv, Grouped(0, SquareConv(8, 1)), {kImage}), "a group count of 0 is out of range");
  EXPECT_EQ(Error(Op::kConv, SquareConv(8, 1), {kImage, kImage}), "conv takes 1 input, has 2");
}

TEST(ShapeOfConv, HugeNumbersAreErrorsAndNoOverflow) {
  EXPECT_EQ(Error(Op::kConv, SquareConv(kHuge, 1), {kImage}),
            "an output channel count of 9223372036854775807 is out of range");
  EXPECT_EQ(Error(Op::kConv, SquareConv(1 << 30, 1 << 10, 1, 1 << 10), {kImage}),
            "it has more than 2^40 weights");
  EXPECT_EQ(Error(Op::kConv, SquareConv(8, 1, 1, 1 << 30), {kImage}), "its size is beyond 64 bits");
  EXPECT_EQ(Error(Op::kConv, SquareConv(8, 1, 1, 1 << 25), {kImage}),
            "its output has more than 2^40 elements");
}

TEST(ShapeOfDeconv, IsTheConvolutionBackwards) {
  ConvAttributes attributes = SquareConv(16, 4, 2, 1);
  const Inferred deconv = Of(Op::kDeconv, attributes, {{1, 8, 7, 7}});
  EXPECT_EQ(deconv.output, (Shape{1, 16, 14, 14}));
  EXPECT_EQ(deconv.counts.params, 8 * 16 * 16 + 16);
  EXPECT_EQ(deconv.counts.macs, 8 * 49 * 16 * 16);
  attributes.output_pad = {1, 0};
  EXPECT_EQ(Out(Op::kDeconv, attributes, {{1, 8, 7, 7}}), (Shape{1, 16, 15, 14}));
  attributes.output_pad = {kHuge, 0};
  EXPECT_EQ(Error(Op::kDeconv, attributes, {{1, 8, 7, 7}}), "a padding is out of range");
}

TEST(ShapeOfFc, FlattensFromItsAxisOn) {
  FcAttributes attributes;
  attributes.out_features = 10;
  const Inferred fc = Of(Op::kFc, attributes, {{4, 2, 3, 3}});
  EXPECT_EQ(fc.output, (Shape{4, 10}));
  EXPECT_EQ(fc.counts.params, 18 * 10 + 10);
  EXPECT_EQ(fc.counts.macs, 4 * 18 * 10);
  attributes.axis = -1;
  attributes.bias = false;
  const Inferred last = Of(Op::kFc, attributes, {{4, 2, 3}});
  EXPECT_EQ(last.output, (Shape{4, 2, 10}));
  EXPECT_EQ(last.counts.params, 30);
  EXPECT_EQ(last.counts.macs, 4 * 2 * 30);
  EXPECT_EQ(Error(Op::kFc, FcAttributes{10}, {{5}}), "axis 1 is outside its input of 1 axes");
  EXPECT_EQ(Error(Op::kFc, FcAttributes{}, {{4, 2}}), "an output feature count of 0 is out of range");
}

struct Pooling {
  std::int64_t input, kernel, stride, pad, floor, ceil;
};

TEST(ShapeOfPool, RoundsDownOrUp) {
  // The first three: GoogLeNet's, ResNet's with and without padding. Then the clip rule: a window that would
  // start in the padding behind the input, or at its very end, is none.
  const Pooling cases[] = {{112, 3, 2, 0, 55, 56}, {112, 3, 2, 1, 56, 57}, {224, 2, 2, 0, 112, 112},
                           {7, 2, 2, 0, 3, 4},     {5, 2, 2, 1, 3, 3},     {6, 2, 2, 1, 4, 4},
                           {3, 1, 3, 0, 1, 1},     {4, 3, 2, 1, 2, 3},     {2, 2, 3, 1, 1, 1}};
  for (const Pooling& c : cases) {
    const PoolAttributes pool = SquarePool(c.kernel, c.stride, c.pad);
    EXPECT_EQ(Out(Op::kMaxPool, pool, {{1, 1, c.input, c.input}}), (Shape{1, 1, c.floor, c.floor}))
        << c.input;
    EXPECT_EQ(Out(Op::kAvgPool, RoundedUp(pool), {{1, 1, c.input, c.input}}), (Shape{1, 1, c.ceil, c.ceil}))
        << c.input;
  }
}

TEST(ShapeOfPool, GlobalAndAdaptive) {
  EXPECT_EQ(Out(Op::kAvgPool, GlobalPool(), {{2, 5, 7, 9}}), (Shape{2, 5, 1, 1}));
  EXPECT_EQ(Out(Op::kAvgPool, AdaptivePool(6), {{2, 5, 7, 3}}), (Shape{2, 5, 6, 6}));
  PoolAttributes half;
  half.adaptive = {0, 3};
  EXPECT_EQ(Error(Op::kAvgPool, half, {kImage}), "an adaptive extent of 0 is out of range");
}

TEST(ShapeOfPool, RefusesWindowsOfPaddingAlone) {
  const std::string error = "its padding is as large as its window, so that a window would see padding alone";
  EXPECT_EQ(Error(Op::kMaxPool, SquarePool(2, 2, 2), {kImage}), error);
  PoolAttributes behind = SquarePool(2, 2);
  behind.pad = {0, 0, 0, 2};
  EXPECT_EQ(Error(Op::kMaxPool, behind, {kImage}), error);
}

TEST(ShapeOfElementwise, BroadcastsAsNumpyDoes) {
  const ElementwiseAttributes plain;
  EXPECT_EQ(Out(Op::kMul, plain, {{1, 8, 4, 4}, {1, 8, 1, 1}}), (Shape{1, 8, 4, 4}));
  EXPECT_EQ(Out(Op::kAdd, plain, {{5}, {2, 3, 1}, {1, 1, 5}}), (Shape{2, 3, 5}));
  EXPECT_EQ(Error(Op::kAdd, plain, {{1, 8}, {1, 7}}), "its inputs do not fit together: 1x8 and 1x7");
  EXPECT_EQ(Error(Op::kSub, plain, {{1, 8}}), "needs at least two operands");
  EXPECT_EQ(Error(Op::kMax, plain, {}), "max takes 1 or more inputs, has 0");
}

TEST(ShapeOfElementwise, AConstantsElementsAreParameters) {
  ElementwiseAttributes constant;
  constant.has_constant = true;
  EXPECT_EQ(Of(Op::kMul, constant, {{1, 8, 4, 4}}).counts.params, 1);
  constant.constant_shape = {8, 1, 1};
  const Inferred mul = Of(Op::kMul, constant, {{1, 8, 4, 4}});
  EXPECT_EQ(mul.output, (Shape{1, 8, 4, 4}));
  EXPECT_EQ(mul.counts.params, 8);
}

TEST(ShapeOfElementwise, CoefficientsBelongToAdd) {
  ElementwiseAttributes weighted;
  weighted.coefficients = {1, -1};
  EXPECT_EQ(Out(Op::kAdd, weighted, {{1, 8}, {1, 8}}), (Shape{1, 8}));
  EXPECT_EQ(Error(Op::kMul, weighted, {{1, 8}, {1, 8}}), "coefficients belong to add, one per input");
  EXPECT_EQ(Error(Op::kAdd, weighted, {{1}, {1}, {1}}), "coefficients belong to add, one per input");
}

TEST(ShapeOfNormalisation, CountsParametersAndState) {
  const Inferred bn = Of(Op::kBatchNorm, BatchNormAttributes{}, {kImage});
  EXPECT_EQ(bn.counts.params, 6);
  EXPECT_EQ(bn.counts.state, 6);
  const Inferred caffe = Of(Op::kBatchNorm, BatchNormAttributes{1e-5, false}, {kImage});
  EXPECT_EQ(caffe.counts.params, 0);
  EXPECT_EQ(caffe.counts.state, 6);
  EXPECT_EQ(Of(Op::kScale, ScaleAttributes{}, {kImage}).counts.params, 6);
  EXPECT_EQ(Of(Op::kScale, ScaleAttributes{false}, {kImage}).counts.params, 3);
  EXPECT_EQ(Of(Op::kLayerNorm, LayerNormAttributes{}, {{1, 197, 768}}).counts.params, 2 * 768);
  EXPECT_EQ(Of(Op::kPrelu, PreluAttributes{}, {kImage}).counts.params, 3);
  EXPECT_EQ(Of(Op::kPrelu, PreluAttributes{true}, {kImage}).counts.params, 1);
  EXPECT_EQ(Out(Op::kLrn, kImage), kImage);
  EXPECT_EQ(Error(Op::kBatchNorm, BatchNormAttributes{}, {{5}}), "expects an input with channels, has 5");
}

TEST(ShapeOfConcat, AddsUpAlongItsAxis) {
  EXPECT_EQ(Out(Op::kConcat, AxisAttributes{1}, {{1, 2, 4, 4}, {1, 3, 4, 4}, {1, 4, 4, 4}}),
            (Shape{1, 9, 4, 4}));
  EXPECT_EQ(Out(Op::kConcat, AxisAttributes{-1}, {{2, 3}, {2, 1}}), (Shape{2, 4}));
  EXPECT_EQ(Error(Op::kConcat, AxisAttributes{1}, {{1, 2, 4, 4}, {1, 2, 5, 4}}),
            "cannot join 1x2x4x4 and 1x2x5x4 along axis 1");
  EXPECT_EQ(Error(Op::kConcat, AxisAttributes{1}, {{1, 2}, {1, 2, 3}}),
            "cannot join 1x2 and 1x2x3 along axis 1");
}

TEST(ShapeOfReshape, KeepsInfersAndRefuses) {
  EXPECT_EQ(Out(Op::kReshape, ReshapeAttributes{{0, 2, -1, 4}}, {{3, 8, 5, 1}}), (Shape{3, 2, 5, 4}));
  EXPECT_EQ(Error(Op::kReshape, ReshapeAttributes{{0, 7}}, {{1, 8}}), "cannot turn 1x8 into 0x7");
  EXPECT_EQ(Error(Op::kReshape, ReshapeAttributes{{-1, 3}}, {{1, 8}}), "cannot turn 1x8 into -1x3");
  EXPECT_EQ(Error(Op::kReshape, ReshapeAttributes{{-1, -1}}, {{1, 8}}), "infers more than one extent");
  EXPECT_EQ(Error(Op::kReshape, ReshapeAttributes{{1, 8, 0}}, {{1, 8}}),
            "keeps axis 2 of an input that has none: 1x8");
  EXPECT_EQ(Error(Op::kReshape, ReshapeAttributes{{-2}}, {{1, 8}}), "an extent of -2 is out of range");
}

TEST(ShapeOfFlatten, MakesTwoAxes) {
  EXPECT_EQ(Out(Op::kFlatten, {2, 3, 4, 5}), (Shape{2, 60}));
  EXPECT_EQ(Out(Op::kFlatten, AxisAttributes{0}, {{2, 3}}), (Shape{1, 6}));
  EXPECT_EQ(Out(Op::kFlatten, AxisAttributes{2}, {{2, 3}}), (Shape{6, 1}));
  EXPECT_EQ(Error(Op::kFlatten, AxisAttributes{3}, {{2, 3}}), "axis 3 is outside its input of 2 axes");
}

TEST(ShapeOfTranspose, NamesEveryAxisOnce) {
  EXPECT_EQ(Out(Op::kTranspose, TransposeAttributes{{0, 2, 1, 3}}, {{1, 2, 3, 4}}), (Shape{1, 3, 2, 4}));
  EXPECT_EQ(Error(Op::kTranspose, TransposeAttributes{{0, 1, 1}}, {{1, 2, 3}}),
            "its order does not name every axis of 1x2x3 once");
}

TEST(ShapeOfPad, GrowsEachAxis) {
  PadAttributes pad{{0, 0, 1, 2}, {0, 3, 1, 0}};
  EXPECT_EQ(Out(Op::kPad, pad, {{1, 2, 4, 4}}), (Shape{1, 5, 6, 6}));
  EXPECT_EQ(Error(Op::kPad, pad, {{1, 2, 4}}), "needs paddings for each axis of its input");
  pad.before[2] = -1;
  EXPECT_EQ(Error(Op::kPad, pad, {{1, 2, 4, 4}}), "a padding is out of range");
  const PadAttributes reflect{{0, 4}, {0, 0}, PadMode::kReflect};
  EXPECT_EQ(Error(Op::kPad, reflect, {{1, 4}}), "reflects more than its input holds along axis 1");
}

TEST(ShapeOfSlice, HalfOpenRangesWithSteps) {
  EXPECT_EQ(Out(Op::kSlice, SliceAttributes{{1}, {0}, {kHuge}, {2}}, {{1, 7}}), (Shape{1, 4}));
  EXPECT_EQ(Out(Op::kSlice, SliceAttributes{{-1, 0}, {-3, 0}, {-1, 1}, {1, 1}}, {{2, 7}}), (Shape{1, 2}));
  EXPECT_EQ(Error(Op::kSlice, SliceAttributes{{1}, {5}, {5}, {1}}, {{1, 7}}), "its slice of axis 1 is empty");
  EXPECT_EQ(Error(Op::kSlice, SliceAttributes{{1}, {0}, {5}, {0}}, {{1, 7}}),
            "a slice needs a positive step");
  EXPECT_EQ(Error(Op::kSlice, SliceAttributes{{1}, {0}, {5}, {}}, {{1, 7}}),
            "needs as many starts, ends and steps as axes");
  EXPECT_EQ(Error(Op::kSlice, SliceAttributes{{1, -1}, {0, 0}, {2, 2}, {1, 1}}, {{1, 7}}),
            "slices axis 1 twice");
}

TEST(ShapeOfUpsample, RoundsDown) {
  EXPECT_EQ(Out(Op::kUpsample, UpsampleAttributes{2, 1.5}, {{1, 3, 5, 5}}), (Shape{1, 3, 10, 7}));
  EXPECT_EQ(Error(Op::kUpsample, UpsampleAttributes{0, 1}, {{1, 3, 5, 5}}), "a scale is out of range");
  EXPECT_EQ(Error(Op::kUpsample, UpsampleAttributes{2, 2, UpsampleMode::kNearest, UpsampleAlign::kCorners},
                  {{1, 3, 5, 5}}),
            "its align is of the mode linear alone");
  EXPECT_EQ(Error(Op::kUpsample, UpsampleAttributes{0.1, 1}, {{1, 3, 5, 5}}),
            "an output extent of 0 is out of range");
}

TEST(ShapeOfReduceMean, KeepsOrDropsItsAxes) {
  EXPECT_EQ(Out(Op::kReduceMean, ReduceAttributes{{2, -1}, true}, {{1, 8, 7, 7}}), (Shape{1, 8, 1, 1}));
  EXPECT_EQ(Out(Op::kReduceMean, ReduceAttributes{{2, 3}, false}, {{1, 8, 7, 7}}), (Shape{1, 8}));
}

TEST(ShapeOfMatmul, MultipliesTheLastTwoAxes) {
  EXPECT_EQ(Out(Op::kMatmul, NoAttributes{}, {{4, 1, 5, 6}, {3, 6, 7}}), (Shape{4, 3, 5, 7}));
  EXPECT_EQ(Error(Op::kMatmul, NoAttributes{}, {{5, 6}, {5, 6}}), "cannot multiply 5x6 by 5x6");
  EXPECT_EQ(Error(Op::kMatmul, NoAttributes{}, {{5}, {5, 6}}), "expects matrices, has 5 and 5x6");
  EXPECT_EQ(Error(Op::kMatmul, NoAttributes{}, {{5, 6}}), "matmul takes 2 inputs, has 1");
}

TEST(ShapeOfTheRest, IsThatOfTheInput) {
  for (const Op op : {Op::kRelu,      Op::kRelu6,   Op::kLeakyRelu, Op::kElu,  Op::kSigmoid, Op::kHardSigmoid,
                      Op::kHardSwish, Op::kTanh,    Op::kSoftplus,  Op::kGelu, Op::kErf,     Op::kExp,
                      Op::kLog,       Op::kSqrt,    Op::kAbs,       Op::kNeg,  Op::kClip,    Op::kDropout,
                      Op::kIdentity,  Op::kSoftmax, Op::kQuantize}) {
    EXPECT_EQ(Out(op, {2, 3, 5}), (Shape{2, 3, 5})) << OpName(op);
  }
  EXPECT_EQ(Error(Op::kQuantize, QuantizeAttributes{1, 200, GridType::kInt8}, {{1, 8}}),
            "a zero_point of 200 is no int8");
  EXPECT_EQ(Error(Op::kQuantize, QuantizeAttributes{1, -1, GridType::kUint8}, {{1, 8}}),
            "a zero_point of -1 is no uint8");
  EXPECT_EQ(Error(Op::kSoftmax, AxisAttributes{3}, {{1, 8}}), "axis 3 is outside its input of 2 axes");
}

TEST(ShapeOfInput, IsGivenAndChecked) {
  EXPECT_EQ(Out(Op::kInput, InputAttributes{kImage}, {}), kImage);
  EXPECT_EQ(Error(Op::kInput, InputAttributes{{1, 0}}, {}), "an output extent of 0 is out of range");
  EXPECT_EQ(Error(Op::kInput, InputAttributes{{1, kHuge}}, {}),
            "an output extent of 9223372036854775807 is out of range");
  EXPECT_EQ(Error(Op::kInput, InputAttributes{{1 << 30, 1 << 30}}, {}),
            "its output has more than 2^40 elements");
  EXPECT_EQ(Error(Op::kInput, InputAttributes{Shape(17, 1)}, {}), "its output has more than 16 axes");
}

}  // namespace
}  // namespace tandem
