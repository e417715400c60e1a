// What our kernels use of CUDA's header of this name, on the host: for the tests, found before CUDA's own.
#pragma once

#include <cmath>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <utility>

#include "tests/support/device/cuda_on_host/block.h"

#define __global__
#define __device__
#define __host__
#define __forceinline__ inline
#define __launch_bounds__(...)
#define __shared__ static thread_local

struct dim3 {
  unsigned x, y, z;
  constexpr dim3(unsigned x_count = 1, unsigned y_count = 1, unsigned z_count = 1)
      : x(x_count), y(y_count), z(z_count) {}
};

enum cudaError_t : int { cudaSuccess = 0, cudaErrorInvalidValue = 1, cudaErrorInvalidConfiguration = 9 };
enum cudaDeviceAttr : int { cudaDevAttrMultiProcessorCount = 16 };
using cudaStream_t = void*;

inline void __syncthreads() { tandem::cuda_on_host::MeetBlock(); }
inline void __syncwarp() { tandem::cuda_on_host::MeetWarp(); }

template <class T>
T __shfl_xor_sync(unsigned, T value, int mask) {
  static_assert(sizeof(T) == sizeof(unsigned), "words of four bytes");
  unsigned word;
  std::memcpy(&word, &value, sizeof word);
  word = tandem::cuda_on_host::Exchange(word, tandem::cuda_on_host::Lane() ^ static_cast<unsigned>(mask));
  std::memcpy(&value, &word, sizeof word);
  return value;
}

inline unsigned __umulhi(unsigned a, unsigned b) {
  return static_cast<unsigned>(static_cast<std::uint64_t>(a) * b >> 32);
}

namespace tandem::cuda_on_host {

// What every card of the last ten years takes.
inline bool Launchable(const dim3& grid, const dim3& block) {
  return grid.x > 0 && grid.x < 1U << 31 && grid.y > 0 && grid.y < 1U << 16 && grid.z > 0 &&
         grid.z < 1U << 16 && block.x > 0 && block.y > 0 && block.z > 0 && block.z <= 64 &&
         static_cast<std::uint64_t>(block.x) * block.y * block.z <= 1024;
}

template <class... P, std::size_t... i>
void Call(void (*kernel)(P...), void** arguments, std::index_sequence<i...>) {
  kernel(*static_cast<P*>(arguments[i])...);
}

}  // namespace tandem::cuda_on_host

template <class... P>
cudaError_t cudaLaunchKernel(void (*kernel)(P...), dim3 grid, dim3 block, void** arguments, std::size_t,
                             cudaStream_t) {
  if (!tandem::cuda_on_host::Launchable(grid, block)) return cudaErrorInvalidConfiguration;
  const std::function<void()> thread = [=] {
    tandem::cuda_on_host::Call(kernel, arguments, std::index_sequence_for<P...>{});
  };
  gridDim = {grid.x, grid.y, grid.z};
  blockDim = {block.x, block.y, block.z};
  for (unsigned z = 0; z < grid.z; ++z) {
    for (unsigned y = 0; y < grid.y; ++y) {
      for (unsigned x = 0; x < grid.x; ++x) {
        blockIdx = {x, y, z};
        tandem::cuda_on_host::RunBlock(blockDim, thread);
      }
    }
  }
  return cudaSuccess;
}

inline cudaError_t cudaGetLastError() { return cudaSuccess; }
inline cudaError_t cudaGetDevice(int* device) {
  *device = 0;
  return cudaSuccess;
}
// The smallest card: small tests come to what kernels do with a lot of work.
inline cudaError_t cudaDeviceGetAttribute(int* value, cudaDeviceAttr, int) {
  *value = 1;
  return cudaSuccess;
}
