// Which ways are offered to compute a convolution, and, where there is a card, do they compute it?
#include <cuda_runtime_api.h>
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "device/backends/cuda/libraries/cudnn_engines.h"
#include "device/backends/cuda/libraries/cudnn_library.h"
#include "profiles/base/input_error.h"

namespace tandem::gpu {
namespace {

TEST(CudaWays, OfTheOlderInterfaceAddABiasWithoutReluInOneWayAlone) {
  const auto winograd = CUDNN_CONVOLUTION_FWD_ALGO_WINOGRAD;
  const auto precomputed = CUDNN_CONVOLUTION_FWD_ALGO_IMPLICIT_PRECOMP_GEMM;
  CardConv problem;
  EXPECT_TRUE(CanFuse(problem, winograd)) << "there is nothing to do beside it";
  problem.bias = true;
  EXPECT_FALSE(CanFuse(problem, winograd));
  EXPECT_TRUE(CanFuse(problem, precomputed));
  problem.relu = true;
  EXPECT_TRUE(CanFuse(problem, winograd));
  problem.added = true;
  EXPECT_TRUE(CanFuse(problem, winograd));
  problem.bias = false;
  EXPECT_FALSE(CanFuse(problem, precomputed)) << "it has no call without a bias";
}

TEST(CudaWays, ExactSumsAreNotMadeByTensorCores) {
  EXPECT_EQ(MathTypeOf(Math::kExact), CUDNN_FMA_MATH);
  EXPECT_EQ(MathTypeOf(Math::kHalf), CUDNN_TENSOR_OP_MATH);
  EXPECT_TRUE(KeepsTo(Math::kExact, {}));
  EXPECT_TRUE(KeepsTo(Math::kExact, {CUDNN_NUMERICAL_NOTE_WINOGRAD}));
  EXPECT_FALSE(KeepsTo(Math::kExact, {CUDNN_NUMERICAL_NOTE_WINOGRAD, CUDNN_NUMERICAL_NOTE_TENSOR_CORE}));
  EXPECT_FALSE(KeepsTo(Math::kExact, {CUDNN_NUMERICAL_NOTE_DOWN_CONVERT_INPUTS}));
  EXPECT_TRUE(KeepsTo(Math::kTf32, {CUDNN_NUMERICAL_NOTE_TENSOR_CORE}));
  EXPECT_TRUE(KeepsTo(Math::kHalf, {CUDNN_NUMERICAL_NOTE_TENSOR_CORE}));
}

TEST(CudaWays, GiveTheSameResultEveryTimeAndSumInFloat) {
  for (const Math math : {Math::kExact, Math::kTf32, Math::kHalf}) {
    EXPECT_FALSE(KeepsTo(math, {CUDNN_NUMERICAL_NOTE_NONDETERMINISTIC}));
    EXPECT_FALSE(KeepsTo(math, {CUDNN_NUMERICAL_NOTE_REDUCED_PRECISION_REDUCTION}));
  }
}

// Without a card it comes as far as asking for a handle: all operations were taken by then.
TEST(CudaWays, AreDescribedAsCudnnWantsIt) {
  if (LoadCudnn().version.rfind("9.", 0) != 0) GTEST_SKIP() << "cuDNN 9 is not here: " << LoadCudnn().trouble;
  CardConv problem;
  problem.in_c = problem.out_c = 8;
  problem.kernel = {3, 3};
  problem.pad_h = problem.pad_w = 1;
  for (int kind = 0; kind < 3; ++kind) {
    problem.bias = problem.added = problem.relu = kind == 1;
    problem.transposed = kind == 2;
    EXPECT_NO_THROW(ConvDescriptors{problem});
    try {
      ConvGraph(nullptr, problem);
      ADD_FAILURE() << "a graph needs a handle";
    } catch (const EnvironmentError& error) {
      EXPECT_NE(std::string(error.what()).find("handle"), std::string::npos) << error.what();
    }
  }
}

// Eight channels of ones under kernels of ones, 3 x 3: inside 72, in a corner 32.
CardConv SmallProblem(Format format, bool fused) {
  CardConv problem;
  problem.format = format;
  problem.in_c = problem.out_c = 8;
  problem.in_h = problem.in_w = problem.out_h = problem.out_w = 12;
  problem.kernel = {3, 3};
  problem.pad_h = problem.pad_w = 1;
  problem.bias = problem.added = problem.relu = fused;
  return problem;
}

void CheckWays(const CardConv& problem) {
  Card& card = RealCard(0);
  const auto stream = card.MakeStream(0);
  const std::size_t image = 8 * 12 * 12, weights = 8 * 8 * 9;
  const std::vector<float> ones(image, 1), bias(8, -70);
  auto* const memory = static_cast<float*>(card.Allocate(Space::kCard, 5 * image * sizeof(float)));
  ConvArguments arguments;
  arguments.x = arguments.added = memory;
  arguments.weight = memory + image;
  arguments.bias = memory + 2 * image;
  arguments.y = memory + 3 * image;
  stream->Copy(memory, ones.data(), image * sizeof(float));
  stream->Copy(memory + image, ones.data(), weights * sizeof(float));
  stream->Copy(memory + 2 * image, bias.data(), bias.size() * sizeof(float));
  const std::vector<ConvWay> ways = card.ConvWays(problem, std::size_t{64} << 20, 100);
  EXPECT_FALSE(ways.empty());
  for (const ConvWay& way : ways) {
    arguments.workspace = card.Allocate(Space::kCard, way.workspace);
    const auto conv = card.MakeConv(problem, way);
    stream->Run(*conv, arguments);
    std::vector<float> y(image);
    stream->Copy(y.data(), arguments.y, image * sizeof(float));
    stream->Wait();
    const std::size_t inside = problem.format == Format::kNhwc ? 13 * 8 : 13;
    EXPECT_NEAR(y[inside], problem.bias ? 3 : 72, 0.01) << way.name;
    EXPECT_NEAR(y[0], problem.bias ? 0 : 32, 0.01) << way.name;
    card.Free(Space::kCard, arguments.workspace);
  }
  card.Free(Space::kCard, memory);
}

TEST(ARealCard, ConvolvesInEveryWayThatItOffers) {
  int count = 0;
  if (cudaGetDeviceCount(&count) != cudaSuccess || count == 0) GTEST_SKIP() << "no card here";
  for (const Format format : {Format::kNchw, Format::kNhwc}) {
    for (const bool fused : {false, true}) CheckWays(SmallProblem(format, fused));
  }
}

}  // namespace
}  // namespace tandem::gpu
