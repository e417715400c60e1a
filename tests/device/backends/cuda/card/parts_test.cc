// How large are equal parts of a card as drivers divide it, and what is said where there is no such driver?
#include "device/backends/cuda/card/parts.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "profiles/base/input_error.h"

#if CUDART_VERSION >= 12050
#include <cuda.h>
#endif

namespace tandem::gpu {
namespace {

// As drivers do it: so many multiprocessors at least, rounded up to a multiple of `step`.
std::function<int(int)> Dividing(int multiprocessors, int step) {
  return [=](int least) { return multiprocessors / ((least + step - 1) / step * step); };
}

TEST(CudaParts, AreAsLargeAsTheDriverMakesSoManyOfThem) {
  // Of 132: 66 would be rounded up to 72, of which there is one; 64 are eight times eight.
  EXPECT_EQ(LargestPart(132, 2, Dividing(132, 8)), 64);
  EXPECT_EQ(LargestPart(132, 3, Dividing(132, 8)), 40);  // 44 would be 48, of which there are two
  EXPECT_EQ(LargestPart(132, 2, Dividing(132, 1)), 66);
  EXPECT_EQ(LargestPart(16, 2, Dividing(16, 8)), 8);
  EXPECT_EQ(LargestPart(12, 2, Dividing(12, 8)), 0) << "one part of eight, and four that are left";
  EXPECT_EQ(LargestPart(4, 8, Dividing(4, 1)), 0);
}

TEST(CudaParts, WithoutACardTheReasonIsSaid) {
  int count = 0;
  if (cudaGetDeviceCount(&count) == cudaSuccess && count > 0) GTEST_SKIP() << "there is a card";
  try {
    MakeParts(0, 2);
    FAIL() << "there are parts of a card that is not there";
  } catch (const EnvironmentError& error) {
    EXPECT_NE(std::string(error.what()).find(CUDART_VERSION >= 12050 ? "driver" : "built with CUDA"),
              std::string::npos)
        << error.what();
  }
}

#if CUDART_VERSION >= 12050
// A driver of a card of 20 multiprocessors that divides them into groups of a multiple of four.
struct SeenByDriver {
  std::vector<unsigned> described;  // the sizes of parts
  std::vector<CUdevice> created_on;
  std::size_t creates = 100;  // more than that fail
  std::vector<CUgreenCtx> destroyed;
  std::vector<std::pair<CUgreenCtx, int>> streams;  // with their priorities
};
SeenByDriver& Driver() {
  static SeenByDriver driver;
  return driver;
}

template <class Handle>
Handle HandleOf(std::size_t number) {
  return reinterpret_cast<Handle>(number * 16);
}

CUresult AnswerErrorName(CUresult, const char** name) {
  *name = "CUDA_ERROR_OF_THE_TEST";
  return CUDA_SUCCESS;
}
CUresult AnswerDevice(CUdevice* card, int ordinal) {
  *card = ordinal + 100;
  return CUDA_SUCCESS;
}
CUresult AnswerResource(CUdevice card, CUdevResource* all, CUdevResourceType type) {
  if (card != 103 || type != CU_DEV_RESOURCE_TYPE_SM) return CUDA_ERROR_INVALID_VALUE;
  all->type = type;
  all->sm.smCount = 20;
  return CUDA_SUCCESS;
}
CUresult AnswerSplit(CUdevResource* split, unsigned* groups, const CUdevResource* all, CUdevResource*,
                     unsigned, unsigned least) {
  const unsigned size = (least + 3) / 4 * 4;
  const unsigned made = all->sm.smCount / size;
  if (split == nullptr) {
    *groups = made;
    return CUDA_SUCCESS;
  }
  *groups = std::min(*groups, made);
  for (unsigned i = 0; i < *groups; ++i) split[i].sm.smCount = size;
  return CUDA_SUCCESS;
}
CUresult AnswerDescribe(CUdevResourceDesc* description, CUdevResource* part, unsigned count) {
  if (count != 1) return CUDA_ERROR_INVALID_VALUE;
  Driver().described.push_back(part->sm.smCount);
  *description = HandleOf<CUdevResourceDesc>(Driver().described.size());
  return CUDA_SUCCESS;
}
CUresult AnswerCreate(CUgreenCtx* context, CUdevResourceDesc description, CUdevice card, unsigned flags) {
  if (flags != CU_GREEN_CTX_DEFAULT_STREAM) return CUDA_ERROR_INVALID_VALUE;
  Driver().created_on.push_back(card);
  *context = reinterpret_cast<CUgreenCtx>(description);
  return Driver().created_on.size() > Driver().creates ? CUDA_ERROR_NOT_SUPPORTED : CUDA_SUCCESS;
}
CUresult AnswerDestroy(CUgreenCtx context) {
  Driver().destroyed.push_back(context);
  return CUDA_SUCCESS;
}
CUresult AnswerStream(CUstream* stream, CUgreenCtx context, unsigned flags, int priority) {
  if (flags != CU_STREAM_NON_BLOCKING) return CUDA_ERROR_INVALID_VALUE;
  Driver().streams.emplace_back(context, priority);
  *stream = HandleOf<CUstream>(Driver().streams.size());
  return CUDA_SUCCESS;
}

FindDriverCall DriverBut(const std::string& missing) {
  Driver() = {};
  return [missing](const char* name) -> void* {
    const std::map<std::string, void*> calls = {
        {"cuGetErrorName", reinterpret_cast<void*>(&AnswerErrorName)},
        {"cuDeviceGet", reinterpret_cast<void*>(&AnswerDevice)},
        {"cuDeviceGetDevResource", reinterpret_cast<void*>(&AnswerResource)},
        {"cuDevSmResourceSplitByCount", reinterpret_cast<void*>(&AnswerSplit)},
        {"cuDevResourceGenerateDesc", reinterpret_cast<void*>(&AnswerDescribe)},
        {"cuGreenCtxCreate", reinterpret_cast<void*>(&AnswerCreate)},
        {"cuGreenCtxDestroy", reinterpret_cast<void*>(&AnswerDestroy)},
        {"cuGreenCtxStreamCreate", reinterpret_cast<void*>(&AnswerStream)}};
    return name == missing ? nullptr : calls.at(name);
  };
}

std::string WhyNoParts(int parts, const FindDriverCall& find) {
  try {
    MakeParts(3, parts, find);
  } catch (const EnvironmentError& error) {
    return error.what();
  }
  return "they were made";
}

// Two of 20 would be ten each, which the driver rounds up to twelve: eight it makes two of.
TEST(CudaParts, AreMadeByTheDriversCallsAndGiveStreams) {
  const auto parts = MakeParts(3, 2, DriverBut("nothing"));
  ASSERT_EQ(parts.size(), 2U);
  EXPECT_EQ(Driver().described, (std::vector<unsigned>{8, 8}));
  EXPECT_EQ(Driver().created_on, (std::vector<CUdevice>{103, 103}));
  EXPECT_TRUE(Driver().streams.empty()) << "they are made as they are wanted";
  EXPECT_TRUE(Driver().destroyed.empty());
  EXPECT_EQ((*parts[1])(-2), HandleOf<cudaStream_t>(1));
  EXPECT_EQ((*parts[0])(0), HandleOf<cudaStream_t>(2));
  const std::vector<std::pair<CUgreenCtx, int>> expected = {{HandleOf<CUgreenCtx>(2), -2},
                                                            {HandleOf<CUgreenCtx>(1), 0}};
  EXPECT_EQ(Driver().streams, expected);
}

TEST(CudaParts, WhatTheDriverLacksIsSaid) {
  EXPECT_EQ(WhyNoParts(2, DriverBut("cuGreenCtxStreamCreate")),
            "the driver has no cuGreenCtxStreamCreate: one of CUDA 12.5 or newer has");
  EXPECT_EQ(WhyNoParts(6, DriverBut("nothing")),
            "of its 20 multiprocessors the driver makes no 6 equal parts");
  const FindDriverCall find = DriverBut("nothing");
  Driver().creates = 0;
  EXPECT_EQ(WhyNoParts(2, find), "making a part of the card: CUDA_ERROR_OF_THE_TEST");
  EXPECT_TRUE(Driver().destroyed.empty()) << "there was none";
}

TEST(CudaParts, OfWhichOneCannotBeMadeAreGivenBack) {
  const FindDriverCall find = DriverBut("nothing");
  Driver().creates = 1;
  EXPECT_EQ(WhyNoParts(2, find), "making a part of the card: CUDA_ERROR_OF_THE_TEST");
  EXPECT_EQ(Driver().destroyed, (std::vector<CUgreenCtx>{HandleOf<CUgreenCtx>(1)}));
}
#endif

}  // namespace
}  // namespace tandem::gpu
