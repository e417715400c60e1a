// Are XNNPACK's convolutions those of the reference, whatever their shape and however many threads share
// them?
#include "device/backends/cpu/xnnpack/conv.h"

#include <gtest/gtest.h>

#include "device/backends/cpu/loops/channel_loops.h"
#include "tests/support/device/executable_run.h"

namespace tandem {
namespace {

struct Case {
  std::string name;
  ConvAttributes attributes;
  Shape in;
  bool transposed = false, bias = true;
};

ConvAttributes Conv(std::int64_t out, Extent kernel, Extent stride = {1, 1}, Padding pad = {},
                    std::int64_t groups = 1, Extent dilation = {1, 1}) {
  ConvAttributes a;
  a.out_channels = out;
  a.kernel = kernel;
  a.stride = stride;
  a.pad = pad;
  a.groups = groups;
  a.dilation = dilation;
  return a;
}

std::vector<Case> Cases() {
  std::vector<Case> cases = {
      {"1x1", Conv(24, {1, 1}), {1, 16, 7, 9}},
      {"3x3", Conv(33, {3, 3}, {1, 1}, {1, 1, 1, 1}), {2, 17, 11, 8}},
      {"of three channels", Conv(32, {3, 3}, {2, 2}, {1, 1, 1, 1}), {1, 3, 31, 29}},
      {"of one channel, dilated", Conv(8, {3, 5}, {2, 1}, {2, 3, 1, 4}, 1, {2, 2}), {2, 1, 17, 13}},
      {"of four channels, far in the padding", Conv(9, {2, 2}, {1, 3}, {2, 2, 2, 2}), {1, 4, 5, 6}},
      {"uneven", Conv(8, {5, 2}, {3, 1}, {2, 0, 1, 1}), {1, 6, 19, 13}},
      {"dilated", Conv(12, {3, 3}, {1, 1}, {2, 2, 2, 2}, 1, {2, 2}), {1, 8, 14, 14}},
      {"grouped", Conv(24, {3, 3}, {1, 1}, {1, 1, 1, 1}, 4), {1, 16, 10, 10}},
      {"depthwise", Conv(40, {3, 3}, {2, 2}, {1, 1, 1, 1}, 40), {1, 40, 15, 15}},
      {"depthwise, twice as many", Conv(40, {5, 5}, {1, 1}, {2, 2, 2, 2}, 20), {1, 20, 9, 9}},
      {"without bias", Conv(16, {3, 3}), {1, 8, 9, 9}, false, false},
      {"transposed", Conv(10, {4, 4}, {2, 2}, {1, 1, 1, 1}), {1, 12, 6, 5}, true},
      {"transposed, grouped", Conv(12, {3, 3}, {2, 2}, {1, 1, 1, 1}, 2), {2, 8, 5, 5}, true},
  };
  return cases;
}

std::vector<float> Turned(const std::vector<float>& values, const Shape& shape, bool to_last) {
  const std::int64_t positions = shape[2] * shape[3];
  std::vector<float> turned(values.size());
  RunTranspose(to_last ? Transpose{shape[0], shape[1], positions} : Transpose{shape[0], positions, shape[1]},
               values.data(), turned.data());
  return turned;
}

std::vector<float> ByXnn(const Case& c, const Shape& out, const RoleTensors& roles, const Tensor& in,
                         std::size_t threads) {
  const ConvAttributes& a = c.attributes;
  XnnConvProblem problem;
  problem.transposed = c.transposed;
  problem.images = c.in[0];
  problem.in_height = c.in[2];
  problem.in_width = c.in[3];
  problem.groups = a.groups;
  problem.in_channels = c.in[1];
  problem.out_channels = out[1];
  problem.kernel_height = a.kernel.h;
  problem.kernel_width = a.kernel.w;
  problem.stride_height = a.stride.h;
  problem.stride_width = a.stride.w;
  problem.dilation_height = a.dilation.h;
  problem.dilation_width = a.dilation.w;
  problem.top = a.pad.top;
  problem.left = a.pad.left;
  problem.bottom = a.pad.bottom;
  problem.right = a.pad.right;
  const float* const bias = c.bias ? roles[1].second.values.data() : nullptr;
  const auto conv = MakeXnnConv(problem, roles[0].second.values.data(), bias, threads);
  if (!conv) {
    ADD_FAILURE() << c.name << ": XNNPACK has none";
    return {};
  }
  EXPECT_GE(conv->Bytes(), static_cast<std::int64_t>(roles[0].second.values.size() * sizeof(float)));
  std::vector<float> from = Turned(in.values, c.in, true);
  from.resize(from.size() + 4);
  AlignedTensor to(static_cast<std::size_t>(Elements(out)));
  for (int run = 0; run < 2; ++run) {
    to.Poison();
    conv->Run(from.data(), to.data());
  }
  return Turned(to.values(), out, false);
}

TEST(XnnConv, IsTheReferencesConvolution) {
  if (XnnVersion().empty()) GTEST_SKIP() << "built without XNNPACK";
  for (const std::size_t threads : {1, 2, 5}) {
    for (const Case& c : Cases()) {
      const ConvAttributes& a = c.attributes;
      const Shape weights = c.transposed ? Shape{c.in[1], a.out_channels / a.groups, a.kernel.h, a.kernel.w}
                                         : Shape{a.out_channels, c.in[1] / a.groups, a.kernel.h, a.kernel.w};
      RoleTensors roles = {{"weight", Scattered(weights, 5)}};
      ConvAttributes with = a;
      with.bias = c.bias;
      if (c.bias) roles.emplace_back("bias", Scattered({a.out_channels}, 7));
      const Tensor in = Scattered(c.in, 3);
      const Tensor expected = RunOp(c.transposed ? Op::kDeconv : Op::kConv, with, {in}, roles);
      EXPECT_LT(RelativeError(ByXnn(c, expected.shape, roles, in, threads), expected.values), 1e-5)
          << c.name << ", " << threads << " threads";
    }
  }
}

TEST(XnnConv, CutsOffWhatLiesBeyondItsBounds) {
  if (XnnVersion().empty()) GTEST_SKIP() << "built without XNNPACK";
  XnnConvProblem problem;
  problem.in_height = problem.in_width = 2;
  problem.in_channels = problem.out_channels = 1;
  problem.low = 0;
  problem.high = 6;
  const float weight = 2, bias = 1;
  const auto conv = MakeXnnConv(problem, &weight, &bias, 1);
  ASSERT_TRUE(conv);
  std::vector<float> from = {-3, 0, 1, 9, 0, 0, 0, 0}, to(4);
  conv->Run(from.data(), to.data());
  EXPECT_EQ(to, (std::vector<float>{0, 1, 3, 6}));
}

}  // namespace
}  // namespace tandem
