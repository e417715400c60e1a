// Threads that make one number out of many. A team has kSize members, and a block holds several or one:
//   for (std::int64_t first = Team::First(); first < count; first += Team::Step())
// gives each team what is at first + Team::Own(); where that is beyond the end, its threads still come to
// every Sum and Most, as the others of the block do.
#pragma once

#include "device/backends/cuda/kernels/functions.h"
#include "device/backends/cuda/kernels/launch.h"

namespace tandem::gpu::TANDEM_KERNELS {

struct Plus {
  __device__ __forceinline__ float operator()(float a, float b) const { return a + b; }
};
struct Larger {
  __device__ __forceinline__ float operator()(float a, float b) const { return Max(a, b); }
};

template <class Join>
__device__ __forceinline__ float JoinWarp(float value, Join join) {
  TANDEM_UNROLL
  for (int mask = static_cast<int>(kWarp) / 2; mask > 0; mask /= 2) {
    value = join(value, __shfl_xor_sync(0xffffffffU, value, mask));
  }
  return value;
}

struct WarpTeam {
  static constexpr int kSize = static_cast<int>(kWarp);
  static constexpr int kPerBlock = static_cast<int>(kThreads / kWarp);
  static dim3 Block() { return kThreads; }

  static __device__ __forceinline__ std::int64_t First() {
    return static_cast<std::int64_t>(blockIdx.x) * kPerBlock + threadIdx.x / kWarp;
  }
  static __device__ __forceinline__ std::int64_t Step() {
    return static_cast<std::int64_t>(gridDim.x) * kPerBlock;
  }
  static __device__ __forceinline__ int Own() { return 0; }
  static __device__ __forceinline__ int Member() { return static_cast<int>(threadIdx.x % kWarp); }
  template <class Join>
  static __device__ __forceinline__ float Combine(float value, Join join) {
    return JoinWarp(value, join);
  }
};

struct BlockTeam {
  static constexpr int kSize = static_cast<int>(kThreads);
  static constexpr int kPerBlock = 1;
  static dim3 Block() { return kThreads; }

  static __device__ __forceinline__ std::int64_t First() { return blockIdx.x; }
  static __device__ __forceinline__ std::int64_t Step() { return gridDim.x; }
  static __device__ __forceinline__ int Own() { return 0; }
  static __device__ __forceinline__ int Member() { return static_cast<int>(threadIdx.x); }
  template <class Join>
  static __device__ float Combine(float value, Join join) {
    constexpr unsigned warps = kThreads / kWarp;
    __shared__ float parts[warps];
    value = JoinWarp(value, join);
    if (threadIdx.x % kWarp == 0) parts[threadIdx.x / kWarp] = value;
    __syncthreads();
    value = parts[0];
    TANDEM_UNROLL
    for (unsigned warp = 1; warp < warps; ++warp) value = join(value, parts[warp]);
    __syncthreads();  // before the next parts
    return value;
  }
};

// Neighbouring teams read neighbouring elements: a team is a column of a block.
template <int columns, int rows>
struct ColumnTeam {
  static constexpr int kSize = rows;
  static constexpr int kPerBlock = columns;
  static dim3 Block() { return dim3(columns, rows); }

  static __device__ __forceinline__ std::int64_t First() {
    return static_cast<std::int64_t>(blockIdx.x) * columns;
  }
  static __device__ __forceinline__ std::int64_t Step() {
    return static_cast<std::int64_t>(gridDim.x) * columns;
  }
  static __device__ __forceinline__ int Own() { return static_cast<int>(threadIdx.x); }
  static __device__ __forceinline__ int Member() { return static_cast<int>(threadIdx.y); }
  template <class Join>
  static __device__ float Combine(float value, Join join) {
    __shared__ float parts[rows][columns];
    static_assert(sizeof parts <= 48 << 10, "more than a block has without being asked for");
    parts[threadIdx.y][threadIdx.x] = value;
    for (int half = rows / 2; half > 0; half /= 2) {
      __syncthreads();
      if (Member() < half) {
        parts[threadIdx.y][threadIdx.x] =
            join(parts[threadIdx.y][threadIdx.x], parts[Member() + half][threadIdx.x]);
      }
    }
    __syncthreads();
    value = parts[0][threadIdx.x];
    __syncthreads();  // before the next parts
    return value;
  }
};
using Columns = ColumnTeam<32, 8>;
using TallColumns = ColumnTeam<8, 128>;  // for many numbers in few columns

template <class Team>
std::int64_t BlocksOfTeams(std::int64_t count) {
  return BlocksFor(count, static_cast<unsigned>(Team::kPerBlock));
}

}  // namespace tandem::gpu::TANDEM_KERNELS
