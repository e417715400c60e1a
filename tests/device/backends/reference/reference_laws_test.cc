// Do the reference kernels obey the laws that hold between operations, on shapes nobody computes by hand?
#include <gtest/gtest.h>

#include <cmath>

#include "tests/support/device/reference_run.h"

namespace tandem {
namespace {

Tensor SliceOf(const Tensor& tensor, std::int64_t axis, std::int64_t first, std::int64_t last) {
  return RunOp(Op::kSlice, SliceAttributes{{axis}, {first}, {last}, {1}}, {tensor});
}
Tensor Joined(const Tensor& a, const Tensor& b, std::int64_t axis) {
  return RunOp(Op::kConcat, AxisAttributes{axis}, {a, b});
}

void ExpectSame(const Tensor& a, const Tensor& b, double tolerance = 0) {
  ASSERT_EQ(a.shape, b.shape);
  for (std::size_t i = 0; i < a.values.size(); ++i) ASSERT_NEAR(a.values[i], b.values[i], tolerance) << i;
}

ConvAttributes AwkwardConv() {
  ConvAttributes a;
  a.out_channels = 4;
  a.kernel = {3, 2};
  a.stride = {2, 3};
  a.pad = {2, 1, 0, 3};
  a.dilation = {2, 1};
  a.bias = false;
  return a;
}

TEST(ReferenceLaws, AGroupedConvIsSeparateConvs) {
  ConvAttributes a = AwkwardConv();
  const Tensor in = Scattered({2, 6, 9, 10}), weight = Scattered({4, 3, 3, 2}, 7);
  a.groups = 2;
  const Tensor whole = RunOp(Op::kConv, a, {in}, {{"weight", weight}});
  a.groups = 1;
  a.out_channels = 2;
  const auto half = [&](std::int64_t group) {
    return RunOp(Op::kConv, a, {SliceOf(in, 1, group * 3, group * 3 + 3)},
                 {{"weight", SliceOf(weight, 0, group * 2, group * 2 + 2)}});
  };
  ExpectSame(whole, Joined(half(0), half(1), 1));
}

TEST(ReferenceLaws, AConvOfAPaddedInputIsAPaddedConv) {
  ConvAttributes a = AwkwardConv();
  const Tensor in = Scattered({1, 3, 8, 7}), weight = Scattered({4, 3, 3, 2}, 3);
  const Tensor padded = RunOp(Op::kConv, a, {in}, {{"weight", weight}});
  const Tensor wide = RunOp(Op::kPad, PadAttributes{{0, 0, 2, 1}, {0, 0, 0, 3}}, {in});
  a.pad = {};
  ExpectSame(padded, RunOp(Op::kConv, a, {wide}, {{"weight", weight}}));
}

TEST(ReferenceLaws, ADilatedConvIsOneWithZerosInItsKernel) {
  ConvAttributes a;
  a.out_channels = 2;
  a.kernel = {1, 2};
  a.dilation = {1, 3};
  a.bias = false;
  const Tensor in = Scattered({1, 2, 3, 9}), weight = Scattered({2, 2, 1, 2}, 5);
  const Tensor dilated = RunOp(Op::kConv, a, {in}, {{"weight", weight}});
  Tensor spread{{2, 2, 1, 4}, std::vector<float>(16, 0.0f)};
  for (std::size_t i = 0; i < 4; ++i) {
    spread.values[i * 4] = weight.values[i * 2];
    spread.values[i * 4 + 3] = weight.values[i * 2 + 1];
  }
  a.kernel = {1, 4};
  a.dilation = {};
  ExpectSame(dilated, RunOp(Op::kConv, a, {in}, {{"weight", spread}}));
}

TEST(ReferenceLaws, AConvAsLargeAsItsInputIsAnFc) {
  ConvAttributes conv;
  conv.out_channels = 5;
  conv.kernel = {4, 3};
  const Tensor in = Scattered({2, 3, 4, 3}), weight = Scattered({5, 3, 4, 3}, 2), bias = Scattered({5}, 9);
  Tensor flat = weight;
  flat.shape = {5, 36};
  EXPECT_EQ(RunOp(Op::kConv, conv, {in}, {{"weight", weight}, {"bias", bias}}).values,
            RunOp(Op::kFc, FcAttributes{5}, {in}, {{"weight", flat}, {"bias", bias}}).values);
}

// <conv(x), y> = <x, deconv(y)> with the same weights: one is the transpose of the other.
TEST(ReferenceLaws, ADeconvIsTheTransposeOfAConv) {
  for (const std::int64_t groups : {1, 2}) {
    ConvAttributes forward = AwkwardConv();
    forward.groups = groups;
    const Tensor x = Scattered({1, 6, 9, 10});
    const Tensor weight = Scattered({4, 6 / groups, 3, 2}, 11);
    const Tensor conv = RunOp(Op::kConv, forward, {x}, {{"weight", weight}});
    const Tensor y = Scattered(conv.shape, 5);
    ConvAttributes backward = forward;
    backward.out_channels = 6;
    // Rows and columns of x that no window reached after the last full stride.
    backward.output_pad = {(9 + 2 - 5) % 2, (10 + 4 - 2) % 3};
    const Tensor deconv = RunOp(Op::kDeconv, backward, {y}, {{"weight", weight}});
    ASSERT_EQ(deconv.shape, x.shape);
    double left = 0, right = 0;
    for (std::size_t i = 0; i < y.values.size(); ++i)
      left += static_cast<double>(conv.values[i] * y.values[i]);
    for (std::size_t i = 0; i < x.values.size(); ++i)
      right += static_cast<double>(x.values[i] * deconv.values[i]);
    EXPECT_NEAR(left, right, 1e-5);
  }
}

TEST(ReferenceLaws, AnAveragePoolIsADepthwiseConvOfEqualWeights) {
  PoolAttributes pool;
  pool.kernel = {3, 2};
  pool.stride = {2, 1};
  pool.pad = {1, 1, 1, 0};
  ConvAttributes conv;
  conv.out_channels = conv.groups = 3;
  conv.kernel = pool.kernel;
  conv.stride = pool.stride;
  conv.pad = pool.pad;
  conv.bias = false;
  const Tensor in = Scattered({2, 3, 7, 6});
  const Tensor weight{{3, 1, 3, 2}, std::vector<float>(18, 1.0f / 6)};
  ExpectSame(RunOp(Op::kAvgPool, pool, {in}), RunOp(Op::kConv, conv, {in}, {{"weight", weight}}), 1e-6);
}

TEST(ReferenceLaws, AGlobalPoolIsAMeanOverHeightAndWidth) {
  PoolAttributes pool;
  pool.global = true;
  const Tensor in = Scattered({2, 3, 5, 4});
  ExpectSame(RunOp(Op::kAvgPool, pool, {in}), RunOp(Op::kReduceMean, ReduceAttributes{{2, 3}, true}, {in}),
             1e-7);
}

TEST(ReferenceLaws, SlicesJoinedAreTheWhole) {
  const Tensor in = Scattered({2, 5, 4, 3});
  for (const std::int64_t axis : {0, 1, 2, 3}) {
    ExpectSame(
        Joined(SliceOf(in, axis, 0, 1), SliceOf(in, axis, 1, in.shape[static_cast<std::size_t>(axis)]), axis),
        in);
  }
}

TEST(ReferenceLaws, ATransposeBackAndForthIsNothing) {
  const Tensor in = Scattered({2, 3, 4, 5});
  const Tensor there = RunOp(Op::kTranspose, TransposeAttributes{{2, 0, 3, 1}}, {in});
  ExpectSame(RunOp(Op::kTranspose, TransposeAttributes{{1, 3, 0, 2}}, {there}), in);
}

TEST(ReferenceLaws, AMatmulWithAConstantMatrixIsAnFc) {
  const Tensor x = Scattered({2, 3, 4}), weight = Scattered({5, 4}, 3);
  const Tensor transposed = RunOp(Op::kTranspose, TransposeAttributes{{1, 0}}, {weight});
  ExpectSame(RunOp(Op::kMatmul, NoAttributes{}, {x, transposed}),
             RunOp(Op::kFc, FcAttributes{5, false, -1}, {x}, {{"weight", weight}}));
}

TEST(ReferenceLaws, SoftmaxDoesNotSeeAnOffset) {
  const Tensor in = Scattered({2, 7, 3});
  const Tensor offset{{1}, {3}};
  const Tensor moved = RunOp(Op::kAdd, ElementwiseAttributes{}, {in, offset});
  ExpectSame(RunOp(Op::kSoftmax, AxisAttributes{1}, {in}), RunOp(Op::kSoftmax, AxisAttributes{1}, {moved}),
             1e-6);
}

TEST(ReferenceLaws, BatchNormIsAScale) {
  const Tensor in = Scattered({1, 3, 2, 2}), gamma = Scattered({3}, 2), beta = Scattered({3}, 3);
  const Tensor zero{{3}, {0, 0, 0}}, one{{3}, {1, 1, 1}};
  ExpectSame(RunOp(Op::kBatchNorm, BatchNormAttributes{0, true}, {in},
                   {{"gamma", gamma}, {"beta", beta}, {"mean", zero}, {"variance", one}}),
             RunOp(Op::kScale, ScaleAttributes{}, {in}, {{"gamma", gamma}, {"beta", beta}}));
}

}  // namespace
}  // namespace tandem
