// Starting a kernel, and how threads share its work.
#pragma once

#include <cuda_fp16.h>
#include <cuda_runtime.h>

#include <cstddef>
#include <cstdint>

#include "device/backends/cuda/kernels/kernels.h"

#ifdef __CUDACC__
#define TANDEM_UNROLL _Pragma("unroll")
#define TANDEM_UNROLL_4 _Pragma("unroll 4")
#define TANDEM_CALLED __noinline__  // compiled once, not once for each use
#else
#define TANDEM_UNROLL
#define TANDEM_UNROLL_4
#define TANDEM_CALLED
#endif

// The tests lower them, so that small tensors come to what is done with large ones.
#ifndef TANDEM_MOST_BLOCKS
#define TANDEM_MOST_BLOCKS (1 << 16)
#define TANDEM_MOST_INDEX 0x7fffffff
#endif

namespace tandem::gpu::TANDEM_KERNELS {

constexpr unsigned kThreads = 256;  // of a block, where nothing speaks for another number
constexpr unsigned kWarp = 32;
constexpr std::int64_t kMostBlocks = TANDEM_MOST_BLOCKS;
constexpr std::int64_t kMostIndex = TANDEM_MOST_INDEX;  // counts up to here are divided in 32 bits
constexpr std::int64_t kMostCount = 0x7fffffff;         // more is refused where one tensor would be of 8 GiB

template <class T>
struct Same {
  using Type = T;
};

template <class... P>
int Launch(void (*kernel)(P...), std::int64_t blocks, dim3 block, void* stream,
           typename Same<P>::Type... arguments) {
  if (blocks <= 0) return cudaSuccess;
  void* pointers[] = {&arguments...};
  const cudaError_t error = cudaLaunchKernel(kernel, dim3(static_cast<unsigned>(blocks)), block, pointers, 0,
                                             static_cast<cudaStream_t>(stream));
  if (error != cudaSuccess) (void)cudaGetLastError();  // told here, not once more by the next call
  return error;
}

inline std::int64_t DivideUp(std::int64_t a, std::int64_t b) { return (a + b - 1) / b; }

// Enough for each of `count` threads to do one thing, or for as many as a card can have under way.
inline std::int64_t BlocksFor(std::int64_t count, unsigned threads = kThreads) {
  const std::int64_t blocks = DivideUp(count, threads);
  return blocks < kMostBlocks ? blocks : kMostBlocks;
}

// Of the card that the calling thread works with.
inline std::int64_t Multiprocessors() {
  int device = 0, count = 0;
  if (cudaGetDevice(&device) != cudaSuccess ||
      cudaDeviceGetAttribute(&count, cudaDevAttrMultiProcessorCount, device) != cudaSuccess) {
    return 1;
  }
  return count;
}

// for (Index i = FirstIndex<Index>(); i < count; i += IndexStep<Index>())
template <class Index>
__device__ __forceinline__ Index FirstIndex() {
  return static_cast<Index>(blockIdx.x) * static_cast<Index>(blockDim.x) + static_cast<Index>(threadIdx.x);
}
template <class Index>
__device__ __forceinline__ Index IndexStep() {
  return static_cast<Index>(gridDim.x) * static_cast<Index>(blockDim.x);
}

}  // namespace tandem::gpu::TANDEM_KERNELS
