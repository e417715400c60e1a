// What can be said of the real card where there is none: how products are put to cuBLAS, what the libraries
// have, what errors say; and where there is one, that it computes.
#include <cuda_runtime_api.h>
#include <gtest/gtest.h>

#include <limits>
#include <memory>
#include <new>
#include <vector>

#include "device/backends/cuda/card/card.h"
#include "device/backends/cuda/card/facts.h"
#include "device/backends/cuda/libraries/cublas_functions.h"
#include "device/backends/cuda/libraries/cuda_check.h"
#include "device/backends/cuda/libraries/cudnn_library.h"
#include "device/backends/cuda/libraries/gemm.h"
#include "profiles/base/input_error.h"

namespace tandem::gpu {
namespace {

// What a library that knows column-major matrices makes of it.
std::vector<float> Multiplied(const ColumnMajorGemm& gemm, std::size_t c_size) {
  std::vector<float> c(c_size, -1);
  const auto* const first = static_cast<const float*>(gemm.first);
  const auto* const second = static_cast<const float*>(gemm.second);
  for (std::int64_t b = 0; b < gemm.batch; ++b) {
    for (std::int64_t row = 0; row < gemm.rows; ++row) {
      for (std::int64_t column = 0; column < gemm.columns; ++column) {
        float sum = 0;
        for (std::int64_t k = 0; k < gemm.depth; ++k) {
          const std::int64_t f = gemm.transpose_first ? k + row * gemm.first_step : row + k * gemm.first_step;
          const std::int64_t s =
              gemm.transpose_second ? column + k * gemm.second_step : k + column * gemm.second_step;
          sum += first[b * gemm.first_stride + f] * second[b * gemm.second_stride + s];
        }
        c[static_cast<std::size_t>(b * gemm.c_stride + row + column * gemm.c_step)] = sum;
      }
    }
  }
  return c;
}

std::vector<float> Values(std::int64_t count, float first) {
  std::vector<float> values(static_cast<std::size_t>(count));
  for (float& value : values) value = first += 1;
  return values;
}

// Row-major and plainly.
std::vector<float> Expected(const GemmCall& call, const std::vector<float>& a, const std::vector<float>& b) {
  std::vector<float> c;
  for (std::int64_t batch = 0; batch < call.batch; ++batch) {
    for (std::int64_t m = 0; m < call.m; ++m) {
      for (std::int64_t n = 0; n < call.n; ++n) {
        float sum = 0;
        for (std::int64_t k = 0; k < call.k; ++k) {
          const std::int64_t at_a = call.transpose_a ? k * call.m + m : m * call.k + k;
          const std::int64_t at_b = call.transpose_b ? n * call.k + k : k * call.n + n;
          sum += a[static_cast<std::size_t>(batch * call.a_stride + at_a)] *
                 b[static_cast<std::size_t>(batch * call.b_stride + at_b)];
        }
        c.push_back(sum);
      }
    }
  }
  return c;
}

GemmCall CallOf(int transposes, std::int64_t batch, bool one_b) {
  GemmCall call;
  call.transpose_a = (transposes & 1) != 0;
  call.transpose_b = (transposes & 2) != 0;
  call.m = 3;
  call.n = 5;
  call.k = 4;
  call.batch = batch;
  call.a_stride = call.m * call.k;
  call.b_stride = one_b ? 0 : call.k * call.n;
  call.c_stride = call.m * call.n;
  return call;
}

TEST(CudaGemm, RowMajorProductsAreThoseOfTheColumnMajorLibrary) {
  for (int transposes = 0; transposes < 4; ++transposes) {
    for (const bool one_b : {false, true}) {
      GemmCall call = CallOf(transposes, 2, one_b);
      const std::vector<float> a = Values(2 * call.m * call.k, 0), b = Values(2 * call.k * call.n, 100);
      call.a = a.data();
      call.b = b.data();
      const std::vector<float> expected = Expected(call, a, b);
      EXPECT_EQ(Multiplied(ColumnMajor(call), expected.size()), expected) << transposes << one_b;
    }
  }
}

TEST(CudaGemm, WhatTheLibraryCannotCountIsRefused) {
  GemmCall call;
  call.m = std::int64_t{1} << 31;
  EXPECT_THROW(ColumnMajor(call), EnvironmentError);
  call.m = 0;
  EXPECT_THROW(ColumnMajor(call), EnvironmentError);
}

// The runtime counts downwards: -5 is the most urgent where 0 is the least.
TEST(CudaStreams, ArePrioritisedAsFarAsTheCardKnows) {
  EXPECT_EQ(PriorityOf(0, {0, -5}), -5);
  EXPECT_EQ(PriorityOf(2, {0, -5}), -3);
  EXPECT_EQ(PriorityOf(9, {0, -5}), 0);
  EXPECT_EQ(PriorityOf(std::numeric_limits<int>::max(), {0, -5}), 0);
  EXPECT_EQ(PriorityOf(3, {0, 0}), 0) << "a card that knows no priorities";
}

TEST(CudaErrors, SayWhatWasTriedAndWhenNothingWorksAnyMore) {
  EXPECT_EQ(CudaErrorText("copying", cudaErrorInvalidValue),
            "copying: invalid argument (cudaErrorInvalidValue)");
  EXPECT_EQ(
      CudaErrorText("kernel pool", cudaErrorIllegalAddress),
      "kernel pool: an illegal memory access was encountered (cudaErrorIllegalAddress); nothing works on "
      "the card from here on: start the program anew");
  EXPECT_NO_THROW(Check(cudaSuccess, "nothing"));
  EXPECT_THROW(Check(cudaErrorMemoryAllocation, "memory"), std::bad_alloc);
  EXPECT_THROW(Check(cudaErrorInvalidValue, "copying"), EnvironmentError);
}

TEST(CudaLibraries, VersionsAreReadAsTheyAreCounted) {
  EXPECT_EQ(CudnnVersionText(8907), "8.9.7");
  EXPECT_EQ(CudnnVersionText(8204), "8.2.4");
  EXPECT_EQ(CudnnVersionText(91900), "9.19.0");
}

// The program is built with one of them at hand; a machine that only runs it may have none.
TEST(CudaLibraries, HaveAllThatIsCalled) {
  for (const LoadedVersion& library : {LoadCudnn(), LoadCublas()}) {
    if (library.trouble.find("cannot be loaded") != std::string::npos) GTEST_SKIP() << library.trouble;
    EXPECT_EQ(library.trouble, "");
    EXPECT_NE(library.version, "");
  }
}

TEST(CudaLibraries, ThatAreMissingAreSaid) {
  LoadedLibrary none("libnothing_of_the_kind.so.1", "/no/such/folder/libnothing.so");
  EXPECT_FALSE(none.there());
  EXPECT_THROW(CheckCublas(CUBLAS_STATUS_NOT_SUPPORTED, "multiplying"), EnvironmentError);
  EXPECT_THROW(CheckCublas(CUBLAS_STATUS_ALLOC_FAILED, "multiplying"), std::bad_alloc);
}

bool CardIsThere() {
  int count = 0;
  return cudaGetDeviceCount(&count) == cudaSuccess && count > 0;
}

TEST(ARealCard, ThatIsNotThereIsRefused) {
  try {
    RealCard(1000);
    FAIL() << "there is a card 1000";
  } catch (const EnvironmentError& error) {
    EXPECT_EQ(std::string(error.what()).rfind("looking at the card: ", 0), 0u) << error.what();
  }
}

// Copies, a product, graphs of it and another urgency, all in that stream.
void ExpectRightIn(Card& card, CardStream& stream) {
  GemmCall call = CallOf(2, 2, false);
  const std::vector<float> a = Values(2 * call.m * call.k, 0), b = Values(2 * call.k * call.n, 100);
  const std::vector<float> expected = Expected(call, a, b);
  const std::size_t floats = 256;
  auto* const memory = static_cast<float*>(card.Allocate(Space::kCard, 4 * floats * sizeof(float)));
  call.a = memory;
  call.b = memory + floats;
  call.c = memory + 2 * floats;
  stream.Copy(memory, a.data(), a.size() * sizeof(float));
  stream.Copy(memory + floats, b.data(), b.size() * sizeof(float));
  stream.Wait();
  stream.BeginCapture();
  stream.Run(call);
  auto graph = stream.EndCapture(nullptr);
  stream.Run(*graph);
  std::vector<float> c(expected.size());
  stream.Copy(c.data(), call.c, c.size() * sizeof(float));
  stream.Wait();
  EXPECT_EQ(c, expected);
  call.c = memory + 2 * floats + 64;  // the same step with another address
  stream.BeginCapture();
  stream.Run(call);
  graph = stream.EndCapture(std::move(graph));
  stream.Run(*graph);
  stream.Copy(c.data(), call.c, c.size() * sizeof(float));
  stream.Wait();
  EXPECT_EQ(c, expected);
  for (const int urgency : {5, 1, 0}) {  // another of the runtime's streams each
    stream.SetUrgency(urgency);
    stream.Fill(memory + 2 * floats, 2 * floats * sizeof(float));
    urgency == 1 ? stream.Run(call) : stream.Run(*graph);
    stream.Copy(c.data(), call.c, c.size() * sizeof(float));
    stream.Wait();
    EXPECT_EQ(c, expected) << urgency;
  }
  card.Free(Space::kCard, memory);
}

TEST(ARealCard, MultipliesAndCopies) {
  if (!CardIsThere()) GTEST_SKIP() << "no card here";
  Card& card = RealCard(0);
  EXPECT_EQ(&card, &RealCard(0));
  ExpectRightIn(card, *card.MakeStream(0));
}

// The driver may have none, and says so.
TEST(ARealCard, MultipliesAndCopiesOnEachOfTwoParts) {
  if (!CardIsThere()) GTEST_SKIP() << "no card here";
  Card& card = RealCard(0);
  std::vector<std::unique_ptr<CardStream>> parts;
  try {
    for (int part = 0; part < 2; ++part) parts.push_back(card.MakePartStream(2, part, 0));
  } catch (const EnvironmentError& error) {
    GTEST_SKIP() << error.what();
  }
  for (const auto& part : parts) ExpectRightIn(card, *part);
}

TEST(ARealCard, SaysWhatItsMemoryHasFree) {
  if (!CardIsThere()) GTEST_SKIP() << "no card here";
  Card& card = RealCard(0);
  constexpr std::size_t kTaken = std::size_t{64} << 20;
  const CardRoom before = card.Room();
  card.Free(Space::kCard, card.Allocate(Space::kCard, kTaken));
  const CardRoom after = card.Room();
  EXPECT_GT(before.free_bytes, 0);
  EXPECT_LE(after.least_bytes, after.free_bytes) << "it was taken meanwhile";
}

TEST(CudaFacts, TheHostCachesWhatBothUseFromXavierOn) {
  EXPECT_FALSE(CachesSharedMemory(5, 3));  // Nano
  EXPECT_FALSE(CachesSharedMemory(6, 2));  // TX2
  EXPECT_TRUE(CachesSharedMemory(7, 2));   // Xavier
  EXPECT_TRUE(CachesSharedMemory(8, 7));   // Orin
}

}  // namespace
}  // namespace tandem::gpu
