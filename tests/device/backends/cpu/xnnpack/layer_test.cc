// Are XNNPACK's pools those of the reference, whatever their windows and however many threads share them?
#include "device/backends/cpu/xnnpack/layer.h"

#include <gtest/gtest.h>

#include "device/backends/cpu/loops/channel_loops.h"
#include "device/backends/cpu/onednn/xnn_conv.h"
#include "tests/support/device/executable_run.h"

namespace tandem {
namespace {

PoolAttributes Window(Extent kernel, Extent stride, Padding pad = {}, Extent dilation = {1, 1}) {
  PoolAttributes a;
  a.kernel = kernel;
  a.stride = stride;
  a.pad = pad;
  a.dilation = dilation;
  a.count_include_pad = false;
  return a;
}

std::vector<float> ByXnn(XnnFloats& pool, const Tensor& in, const Shape& out) {
  const Transpose to_last{in.shape[0], in.shape[1], in.shape[2] * in.shape[3]},
      back{out[0], out[2] * out[3], out[1]};
  std::vector<float> from(in.values.size() + 4);
  RunTranspose(to_last, in.values.data(), from.data());
  AlignedTensor to(static_cast<std::size_t>(Elements(out)));
  to.Poison();
  pool.Run(from.data(), nullptr, to.data());
  const std::vector<float> made = to.values();
  std::vector<float> plain(made.size());
  RunTranspose(back, made.data(), plain.data());
  return plain;
}

void ExpectReference(const PoolAttributes& a, const Tensor& in, XnnFloats* pool, const std::string& what) {
  ASSERT_TRUE(pool) << what;
  const Tensor expected = RunOp(Op::kAvgPool, a, {in});
  EXPECT_LT(RelativeError(ByXnn(*pool, in, expected.shape), expected.values), 1e-6) << what;
}

TEST(XnnPools, AreTheReferences) {
  if (XnnVersion().empty()) GTEST_SKIP() << "built without XNNPACK";
  const std::vector<PoolAttributes> windows = {Window({3, 3}, {2, 2}, {1, 1, 1, 1}), Window({2, 2}, {2, 2}),
                                               Window({1, 5}, {1, 3}, {0, 2, 0, 2}),
                                               Window({3, 2}, {1, 1}, {1, 0, 1, 1})};
  for (const std::size_t threads : {1, 2, 5}) {
    for (const Shape& shape : {Shape{1, 40, 13, 11}, Shape{3, 7, 8, 9}, Shape{1, 160, 30, 30}}) {
      const Tensor in = Scattered(shape, 3);
      for (std::size_t w = 0; w < windows.size(); ++w) {
        const Shape out = RunOp(Op::kAvgPool, windows[w], {in}).shape;
        const XnnConvProblem problem = XnnProblemOf(shape, out, windows[w]);
        const std::string what = std::to_string(w) + " of " + std::to_string(threads) + " threads";
        ExpectReference(windows[w], in, MakeXnnMeanPool(problem, threads).get(), what);
      }
      PoolAttributes all;
      all.global = true;
      const auto mean = MakeXnnMean(shape[0], shape[2] * shape[3], shape[1], threads);
      ExpectReference(all, in, mean.get(), "of all positions");
    }
  }
}

TEST(XnnPools, ReachBeyondThePaddingWhereTheOutputIsRoundedUp) {
  if (XnnVersion().empty()) GTEST_SKIP() << "built without XNNPACK";
  PoolAttributes a = Window({3, 3}, {2, 2});
  a.ceil_mode = true;
  const Tensor in = Scattered({1, 24, 8, 8}, 4);
  const Shape out = RunOp(Op::kAvgPool, a, {in}).shape;
  ASSERT_EQ(out[2], 4);
  const XnnConvProblem problem = XnnProblemOf(in.shape, out, a);
  ExpectReference(a, in, MakeXnnMeanPool(problem, 1).get(), "mean");
}

}  // namespace
}  // namespace tandem
