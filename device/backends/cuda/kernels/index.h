// From a running number to a place in tensors that step through memory by strides.
#pragma once

#include "device/backends/cuda/kernels/launch.h"

namespace tandem::gpu::TANDEM_KERNELS {

// Division by a number that all threads share. In 32 bits by a product (Granlund and Montgomery), right for
// numbers below 2^31.
template <class Index>
struct Divider {
  Index divisor = 1;

  Divider() = default;
  explicit Divider(std::int64_t by) : divisor(static_cast<Index>(by)) {}
  __device__ __forceinline__ Index Divide(Index a) const { return a / divisor; }
};

template <>
struct Divider<std::uint32_t> {
  std::uint32_t divisor = 1, factor = 1, shift = 0;

  Divider() = default;
  explicit Divider(std::int64_t by) : divisor(static_cast<std::uint32_t>(by)) {
    while ((std::uint64_t{1} << shift) < divisor) ++shift;
    const std::uint64_t over = (std::uint64_t{1} << shift) - divisor;
    factor = static_cast<std::uint32_t>((over << 32) / divisor + 1);
  }
  __device__ __forceinline__ std::uint32_t Divide(std::uint32_t a) const {
    return (__umulhi(a, factor) + a) >> shift;
  }
};

// a = a / by, and what is left.
template <class Index>
__device__ __forceinline__ Index TakeRest(Index& a, const Divider<Index>& by) {
  const Index quotient = by.Divide(a), rest = a - quotient * by.divisor;
  a = quotient;
  return rest;
}

// Axes of several tensors, the last one the fastest.
template <class Index, int tensors>
struct Axes {
  int axes = 0;
  Divider<Index> count[kMostAxes];
  std::int64_t stride[tensors][kMostAxes] = {};

  void Add(std::int64_t extent, const std::int64_t (&strides)[tensors]) {
    count[axes] = Divider<Index>(extent);
    for (int i = 0; i < tensors; ++i) stride[i][axes] = strides[i];
    ++axes;
  }
  __device__ __forceinline__ void Find(Index number, std::int64_t (&at)[tensors]) const {
    TANDEM_UNROLL
    for (int i = 0; i < tensors; ++i) at[i] = 0;
    for (int axis = axes - 1; axis >= 0; --axis) {
      // The first axis takes what is left.
      const auto place = static_cast<std::int64_t>(axis == 0 ? number : TakeRest(number, count[axis]));
      TANDEM_UNROLL
      for (int i = 0; i < tensors; ++i) at[i] += place * stride[i][axis];
    }
  }
};

// Calls run(Index) with a value of the type that can number `count` things.
template <class Run>
int WithIndex(std::int64_t count, const Run& run) {
  return count <= kMostIndex ? run(std::uint32_t{}) : run(std::int64_t{});
}

}  // namespace tandem::gpu::TANDEM_KERNELS
