// Does each reference kernel compute what a person computes by hand?
#include <gtest/gtest.h>

#include <cmath>

#include "profiles/base/input_error.h"
#include "tests/support/device/reference_run.h"

namespace tandem {
namespace {

using Values = std::vector<float>;

Tensor Of(Shape shape, Values values) { return {std::move(shape), std::move(values)}; }

void ExpectNear(const Values& found, const Values& expected, float tolerance = 1e-6f) {
  ASSERT_EQ(found.size(), expected.size());
  for (std::size_t i = 0; i < found.size(); ++i) {
    EXPECT_NEAR(found[i], expected[i], tolerance * std::max(1.0f, std::abs(expected[i]))) << "element " << i;
  }
}

// Each number of `x` alone through an activation.
Values Activated(Op op, const Values& x, const Attributes& attributes) {
  return RunOp(op, attributes, {Of({1, static_cast<std::int64_t>(x.size())}, x)}).values;
}
Values Activated(Op op, const Values& x) { return Activated(op, x, DefaultAttributes(op)); }

TEST(ReferenceConv, SlidesWithStrideAndUnevenPadding) {
  ConvAttributes a;
  a.out_channels = 1;
  a.kernel = {2, 2};
  a.stride = {2, 1};
  a.pad = {1, 0, 0, 1};
  // Rows of the padded input: 0000, 1230, 4560, 7890; windows at rows 0 and 2.
  const Tensor out = RunOp(Op::kConv, a, {Counting({1, 1, 3, 3})},
                           {{"weight", Of({1, 1, 2, 2}, {1, 10, 100, 1000})}, {"bias", Of({1}, {0.5f})}});
  EXPECT_EQ(out.shape, (Shape{1, 1, 2, 3}));
  EXPECT_EQ(out.values, (Values{2100.5f, 3200.5f, 300.5f, 8754.5f, 9865.5f, 906.5f}));
}

TEST(ReferenceConv, DilationSkipsAndChannelsAdd) {
  ConvAttributes a;
  a.out_channels = 2;
  a.kernel = {1, 2};
  a.dilation = {1, 2};
  a.bias = false;
  const Tensor out = RunOp(Op::kConv, a, {Counting({1, 2, 1, 3})}, {{"weight", Counting({2, 2, 1, 2})}});
  // 1*1 + 2*3 + 3*4 + 4*6, 5*1 + 6*3 + 7*4 + 8*6
  EXPECT_EQ(out.values, (Values{43, 99}));
}

TEST(ReferenceConv, BatchAndGroupsStayApart) {
  ConvAttributes a;
  a.out_channels = 2;
  a.groups = 2;
  a.bias = false;
  const Tensor out = RunOp(Op::kConv, a, {Counting({2, 2, 1, 1})}, {{"weight", Of({2, 1, 1, 1}, {10, 100})}});
  EXPECT_EQ(out.values, (Values{10, 200, 30, 400}));
}

TEST(ReferenceDeconv, SpreadsEachInputOverItsWindow) {
  ConvAttributes a;
  a.out_channels = 1;
  a.kernel = {1, 3};
  a.stride = {1, 2};
  const Tensor out = RunOp(Op::kDeconv, a, {Of({1, 1, 1, 2}, {1, 10})},
                           {{"weight", Of({1, 1, 1, 3}, {1, 2, 3})}, {"bias", Of({1}, {0.5f})}});
  EXPECT_EQ(out.values, (Values{1.5f, 2.5f, 13.5f, 20.5f, 30.5f}));
  a.pad = {0, 1, 0, 1};
  a.output_pad = {0, 1};
  EXPECT_EQ(RunOp(Op::kDeconv, a, {Of({1, 1, 1, 2}, {1, 10})},
                  {{"weight", Of({1, 1, 1, 3}, {1, 2, 3})}, {"bias", Of({1}, {0.5f})}})
                .values,
            (Values{2.5f, 13.5f, 20.5f, 30.5f}));
}

TEST(ReferenceFc, MultipliesAllAxesOrTheLast) {
  FcAttributes a;
  a.out_features = 2;
  const RoleTensors weights = {{"weight", Counting({2, 4})}, {"bias", Of({2}, {100, 200})}};
  EXPECT_EQ(RunOp(Op::kFc, a, {Counting({1, 2, 2})}, weights).values, (Values{130, 270}));
  a.axis = -1;
  a.bias = false;
  EXPECT_EQ(RunOp(Op::kFc, a, {Counting({1, 2, 2})}, {{"weight", Counting({2, 2})}}).values,
            (Values{5, 11, 11, 25}));
}

TEST(ReferenceMatmul, BroadcastsTheLeadingAxes) {
  const Tensor out = RunOp(Op::kMatmul, NoAttributes{}, {Counting({2, 1, 1, 2}), Counting({3, 2, 1})});
  EXPECT_EQ(out.shape, (Shape{2, 3, 1, 1}));
  EXPECT_EQ(out.values, (Values{5, 11, 17, 11, 25, 39}));
}

TEST(ReferencePool, MaxIgnoresPadding) {
  PoolAttributes a;
  a.kernel = {2, 2};
  a.stride = {2, 2};
  a.pad = {1, 1, 1, 1};
  EXPECT_EQ(RunOp(Op::kMaxPool, a, {Of({1, 1, 2, 2}, {-1, -2, -3, -4})}).values, (Values{-1, -2, -3, -4}));
}

TEST(ReferencePool, AverageDividesByTheWindowOrByWhatItSees) {
  PoolAttributes a;
  a.kernel = {2, 2};
  a.stride = {2, 2};
  a.pad = {1, 1, 1, 1};
  const Tensor in = Of({1, 1, 2, 2}, {4, 8, 12, 16});
  EXPECT_EQ(RunOp(Op::kAvgPool, a, {in}).values, (Values{1, 2, 3, 4}));
  a.count_include_pad = false;
  EXPECT_EQ(RunOp(Op::kAvgPool, a, {in}).values, (Values{4, 8, 12, 16}));
}

TEST(ReferencePool, AdaptiveWindowsOverlapWhereTheOutputDoesNotDivideTheInput) {
  PoolAttributes a;
  a.adaptive = {1, 3};  // columns 0 to 1, 1 to 3, 3 to 4
  const Tensor in = Of({1, 1, 2, 5}, {1, 2, 3, 4, 5, 11, 12, 13, 14, 15});
  EXPECT_EQ(RunOp(Op::kAvgPool, a, {in}).values, (Values{6.5, 8, 9.5}));
  EXPECT_EQ(RunOp(Op::kMaxPool, a, {in}).values, (Values{12, 14, 15}));
}

TEST(ReferencePool, AWindowBeyondThePaddingCountsOnlyWhatIsThere) {
  // Rounded up, Caffe's rule: the second window reaches one column past the padded input.
  PoolAttributes a;
  a.kernel = {1, 3};
  a.stride = {1, 2};
  a.ceil_mode = true;
  EXPECT_EQ(RunOp(Op::kAvgPool, a, {Of({1, 1, 1, 4}, {3, 6, 9, 1})}).values, (Values{6, 5}));
  a.pad = {0, 0, 0, 1};  // that column is padding now, which counts
  ExpectNear(RunOp(Op::kAvgPool, a, {Of({1, 1, 1, 4}, {3, 6, 9, 1})}).values, {6, 10.0f / 3});
}

TEST(ReferencePool, GlobalTakesTheWholePlane) {
  PoolAttributes a;
  a.global = true;
  EXPECT_EQ(RunOp(Op::kAvgPool, a, {Counting({1, 2, 2, 2})}).values, (Values{2.5f, 6.5f}));
  EXPECT_EQ(RunOp(Op::kMaxPool, a, {Counting({1, 2, 2, 2})}).values, (Values{4, 8}));
}

TEST(ReferencePool, DilationSkips) {
  PoolAttributes a;
  a.kernel = {1, 2};
  a.dilation = {1, 2};
  EXPECT_EQ(RunOp(Op::kMaxPool, a, {Of({1, 1, 1, 4}, {1, 9, 2, 3})}).values, (Values{2, 9}));
}

TEST(ReferenceLrn, AcrossChannelsMissingNeighboursAreZero) {
  LrnAttributes a;
  a.size = 3;
  a.alpha = 3;
  a.beta = 1;
  a.k = 2;
  // k + alpha / size * sum of squares: 2 + (1 + 4), 2 + (1 + 4 + 9), 2 + (4 + 9)
  ExpectNear(RunOp(Op::kLrn, a, {Counting({1, 3, 1, 1})}).values, {1 / 7.0f, 2 / 16.0f, 3 / 15.0f});
}

TEST(ReferenceLrn, WithinAChannelTheSquareAveragesWithZerosAround) {
  LrnAttributes a;
  a.size = 3;
  a.alpha = 9;
  a.beta = 1;
  a.within_channel = true;
  ExpectNear(RunOp(Op::kLrn, a, {Counting({1, 2, 1, 2})}).values, {1 / 6.0f, 2 / 6.0f, 3 / 26.0f, 4 / 26.0f});
}

TEST(ReferenceNorm, BatchNormUsesTheRunningStatistics) {
  BatchNormAttributes a;
  a.epsilon = 1;
  const Tensor in = Of({1, 2, 1, 2}, {5, 7, 1, 2});
  const RoleTensors state = {{"mean", Of({2}, {5, 1})}, {"variance", Of({2}, {3, 8})}};
  RoleTensors all = state;
  all.push_back({"gamma", Of({2}, {2, 3})});
  all.push_back({"beta", Of({2}, {10, 20})});
  ExpectNear(RunOp(Op::kBatchNorm, a, {in}, all).values, {10, 12, 20, 21});
  a.affine = false;
  ExpectNear(RunOp(Op::kBatchNorm, a, {in}, state).values, {0, 1, 0, 1 / 3.0f});
}

TEST(ReferenceNorm, LayerNormHasZeroMeanAndUnitVariance) {
  LayerNormAttributes a;
  a.epsilon = 0;
  ExpectNear(RunOp(Op::kLayerNorm, a, {Of({1, 2, 2}, {1, 3, 10, 30})},
                   {{"gamma", Of({2}, {1, 2})}, {"beta", Of({2}, {0, 5})}})
                 .values,
             {-1, 7, -1, 7});
}

TEST(ReferenceNorm, ScaleIsPerChannel) {
  ScaleAttributes a;
  const RoleTensors weights = {{"gamma", Of({2}, {10, 100})}, {"beta", Of({2}, {1, 2})}};
  EXPECT_EQ(RunOp(Op::kScale, a, {Counting({1, 2, 2})}, weights).values, (Values{11, 21, 302, 402}));
  a.bias = false;
  EXPECT_EQ(RunOp(Op::kScale, a, {Counting({1, 2, 2})}, {weights[0]}).values, (Values{10, 20, 300, 400}));
}

TEST(ReferenceSoftmax, SumsToOneAlongItsAxisWithoutOverflow) {
  AxisAttributes a;
  a.axis = 1;
  const float third = std::log(3.0f);
  ExpectNear(RunOp(Op::kSoftmax, a, {Of({1, 2, 2}, {0, 1000, third, 1000})}).values,
             {0.25f, 0.5f, 0.75f, 0.5f});
  a.axis = -1;
  ExpectNear(RunOp(Op::kSoftmax, a, {Of({1, 2, 2}, {0, third, 5, 5})}).values, {0.25f, 0.75f, 0.5f, 0.5f});
}

TEST(ReferenceActivation, FollowsTheFormula) {
  EXPECT_EQ(Activated(Op::kRelu, {-1, 0, 2}), (Values{0, 0, 2}));
  EXPECT_EQ(Activated(Op::kRelu6, {-1, 3, 7}), (Values{0, 3, 6}));
  ExpectNear(Activated(Op::kLeakyRelu, {-2, 2}, LeakyReluAttributes{0.1}), {-0.2f, 2});
  ExpectNear(Activated(Op::kElu, {-1, 2}, EluAttributes{2}), {-1.2642411f, 2});
  ExpectNear(Activated(Op::kSigmoid, {0, 2, -200}), {0.5f, 0.8807971f, 0});
  ExpectNear(Activated(Op::kHardSigmoid, {-9, 1, 9}), {0, 0.7f, 1});
  ExpectNear(Activated(Op::kHardSwish, {-4, 1, 4}), {0, 2 / 3.0f, 4});
  ExpectNear(Activated(Op::kTanh, {0.5f}), {0.46211716f});
  ExpectNear(Activated(Op::kSoftplus, {0, 200, -200}), {0.6931472f, 200, 0});
  ExpectNear(Activated(Op::kGelu, {1, -1, 0}), {0.8413447f, -0.15865526f, 0});
  ExpectNear(Activated(Op::kErf, {1}), {0.8427008f});
  ExpectNear(Activated(Op::kExp, {1}), {2.7182818f});
  ExpectNear(Activated(Op::kLog, {2}), {0.6931472f});
  EXPECT_EQ(Activated(Op::kSqrt, {9}), (Values{3}));
  EXPECT_EQ(Activated(Op::kAbs, {-9, 1}), (Values{9, 1}));
  EXPECT_EQ(Activated(Op::kNeg, {-9, 1}), (Values{9, -1}));
  EXPECT_EQ(Activated(Op::kClip, {-9, 1, 9}, ClipAttributes{-2, 3}), (Values{-2, 1, 3}));
  EXPECT_TRUE(std::isnan(Activated(Op::kRelu, {NAN})[0]));
}

TEST(ReferenceActivation, PreluHasASlopePerChannelOrOne) {
  const Tensor in = Of({1, 2, 2}, {-1, 1, -2, 2});
  EXPECT_EQ(RunOp(Op::kPrelu, PreluAttributes{false}, {in}, {{"slope", Of({2}, {0.5f, 0.25f})}}).values,
            (Values{-0.5f, 1, -0.5f, 2}));
  EXPECT_EQ(RunOp(Op::kPrelu, PreluAttributes{true}, {in}, {{"slope", Of({1}, {0.5f})}}).values,
            (Values{-0.5f, 1, -1, 2}));
}

TEST(ReferenceElementwise, BroadcastsAndFoldsInOrder) {
  const Tensor a = Counting({2, 1, 2}), b = Of({3, 1}, {10, 20, 30});
  EXPECT_EQ(RunOp(Op::kAdd, ElementwiseAttributes{}, {a, b}).values,
            (Values{11, 12, 21, 22, 31, 32, 13, 14, 23, 24, 33, 34}));
  const auto of_three = [](Op op) {
    return RunOp(op, ElementwiseAttributes{}, {Of({1}, {100}), Of({1}, {5}), Of({1}, {2})}).values[0];
  };
  EXPECT_EQ(of_three(Op::kSub), 93);
  EXPECT_EQ(of_three(Op::kMul), 1000);
  EXPECT_EQ(of_three(Op::kDiv), 10);
  EXPECT_EQ(of_three(Op::kMax), 100);
  EXPECT_EQ(of_three(Op::kMin), 2);
}

TEST(ReferenceElementwise, ConstantsAndCoefficientsTakeTheirPlace) {
  ElementwiseAttributes a;
  a.has_constant = true;
  a.constant_shape = {2, 1};
  const RoleTensors constant = {{"constant", Of({2, 1}, {2, 3})}};
  EXPECT_EQ(RunOp(Op::kPow, a, {Counting({1, 2, 2})}, constant).values, (Values{1, 4, 27, 64}));
  a.constant_first = true;
  EXPECT_EQ(RunOp(Op::kPow, a, {Counting({1, 2, 2})}, constant).values, (Values{2, 4, 27, 81}));
  ElementwiseAttributes weighted;
  weighted.coefficients = {2, -1};
  EXPECT_EQ(RunOp(Op::kAdd, weighted, {Of({1}, {5}), Of({1}, {3})}).values, (Values{7}));
}

TEST(ReferenceMove, ConcatTransposeAndReshape) {
  EXPECT_EQ(RunOp(Op::kConcat, AxisAttributes{1}, {Counting({2, 1, 2}), Counting({2, 2, 2}, 10)}).values,
            (Values{1, 2, 10, 11, 12, 13, 3, 4, 14, 15, 16, 17}));
  EXPECT_EQ(RunOp(Op::kTranspose, TransposeAttributes{{2, 0, 1}}, {Counting({1, 2, 3})}).values,
            (Values{1, 4, 2, 5, 3, 6}));
  const Tensor reshaped = RunOp(Op::kReshape, ReshapeAttributes{{0, -1, 2}}, {Counting({1, 2, 3})});
  EXPECT_EQ(reshaped.shape, (Shape{1, 3, 2}));
  EXPECT_EQ(reshaped.values, Counting({6}).values);
}

TEST(ReferenceMove, PadsWithAConstantTheEdgeOrAMirror) {
  PadAttributes a;
  a.before = {0, 2};
  a.after = {0, 1};
  a.value = 9;
  EXPECT_EQ(RunOp(Op::kPad, a, {Counting({1, 3})}).values, (Values{9, 9, 1, 2, 3, 9}));
  a.mode = PadMode::kEdge;
  EXPECT_EQ(RunOp(Op::kPad, a, {Counting({1, 3})}).values, (Values{1, 1, 1, 2, 3, 3}));
  a.mode = PadMode::kReflect;
  EXPECT_EQ(RunOp(Op::kPad, a, {Counting({1, 3})}).values, (Values{3, 2, 1, 2, 3, 2}));
}

TEST(ReferenceMove, SlicesWithStepsAndFromTheEnd) {
  SliceAttributes a;
  a.axes = {-1, 0};
  a.starts = {-4, 1};
  a.ends = {std::numeric_limits<std::int64_t>::max(), 2};
  a.steps = {2, 1};
  EXPECT_EQ(RunOp(Op::kSlice, a, {Counting({2, 5})}).values, (Values{7, 9}));
}

TEST(ReferenceMove, UpsamplesByTheNearestOrBetweenNeighbours) {
  UpsampleAttributes a;
  a.scale_w = 2;
  const Tensor in = Of({1, 1, 1, 2}, {1, 5});
  EXPECT_EQ(RunOp(Op::kUpsample, a, {in}).values, (Values{1, 1, 5, 5}));
  a.mode = UpsampleMode::kLinear;
  EXPECT_EQ(RunOp(Op::kUpsample, a, {in}).values, (Values{1, 2, 4, 5}));
}

TEST(ReferenceMove, MeansOverAxes) {
  EXPECT_EQ(RunOp(Op::kReduceMean, ReduceAttributes{{-1, 0}, true}, {Counting({2, 2, 2})}).values,
            (Values{3.5f, 5.5f}));
  const Tensor flat = RunOp(Op::kReduceMean, ReduceAttributes{{1}, false}, {Counting({2, 2, 2})});
  EXPECT_EQ(flat.shape, (Shape{2, 2}));
  EXPECT_EQ(flat.values, (Values{2, 3, 6, 7}));
}

TEST(ReferenceRun, WeightsThatDoNotFitAreRefused) {
  ConvAttributes a;
  a.out_channels = 1;
  EXPECT_THROW(RunOp(Op::kConv, a, {Counting({1, 1, 2, 2})}), InputError);
}

}  // namespace
}  // namespace tandem
