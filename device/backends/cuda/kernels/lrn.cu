#include "device/backends/cuda/kernels/image.h"

namespace tandem::gpu::TANDEM_KERNELS {
namespace {

// x / (k + share * the sum of the squares)^beta.
__device__ __forceinline__ float Normal(float x, float base, float beta) {
  if (beta == 0.75F) {  // the usual one, and a root is far cheaper than a power
    const float root = sqrtf(base);
    return x / (root * sqrtf(root));
  }
  return x / powf(base, beta);
}

__device__ __forceinline__ int Above(int a, int b) { return a < b ? b : a; }
__device__ __forceinline__ int Below(int a, int b) { return a < b ? a : b; }

template <class T>
__device__ __forceinline__ float SquaresAcross(const LrnCall& call, const T* x, const Place& at) {
  const int size = static_cast<int>(call.size), low = at.c - (size - 1) / 2;
  const int first = Above(low, 0), last = Below(low + size, static_cast<int>(call.in.c));
  float sum = 0;
  for (int c = first; c < last; ++c) {
    const float value = ToFloat(x[(c - at.c) * call.in.c_stride]);
    sum += value * value;
  }
  return sum;
}

template <class T>
__device__ __forceinline__ float SquaresWithin(const LrnCall& call, const T* x, const Place& at) {
  const int size = static_cast<int>(call.size), top = at.h - (size - 1) / 2, left = at.w - (size - 1) / 2;
  const int last_row = Below(top + size, static_cast<int>(call.in.h));
  const int last_column = Below(left + size, static_cast<int>(call.in.w));
  float sum = 0;
  for (int row = Above(top, 0); row < last_row; ++row) {
    const T* const line = x + (row - at.h) * call.in.h_stride;
    for (int column = Above(left, 0); column < last_column; ++column) {
      const float value = ToFloat(line[(column - at.w) * call.in.w_stride]);
      sum += value * value;
    }
  }
  return sum;
}

template <class T, class Index>
__global__ void __launch_bounds__(kThreads)
    LrnKernel(LrnCall call, Index count, ImageWalk<Index, 1> walk, float share) {
  for (Index i = FirstIndex<Index>(); i < count; i += IndexStep<Index>()) {
    const Place at = walk.Find(i);
    const std::int64_t offset = Offset(call.in, at);
    const T* const x = static_cast<const T*>(call.x) + offset;
    const float sum = call.within_channel ? SquaresWithin(call, x, at) : SquaresAcross(call, x, at);
    const float base = call.k + share * sum;
    Assign(static_cast<T*>(call.y)[offset], Normal(ToFloat(*x), base, call.beta));
  }
}

}  // namespace

int RunLrn(const LrnCall& call, void* stream) {
  const std::int64_t count = ElementsOf(call.in);
  if (count == 0) return cudaSuccess;
  const std::int64_t window = call.within_channel ? call.size * call.size : call.size;
  const float share = call.alpha / static_cast<float>(window);
  return WithElement(call.element, [&](auto zero) {
    return WithIndex(count, [&](auto index) {
      using Index = decltype(index);
      return Launch(LrnKernel<decltype(zero), Index>, BlocksFor(count), kThreads, stream, call,
                    static_cast<Index>(count), ImageWalk<Index, 1>(call.in), share);
    });
  });
}

}  // namespace tandem::gpu::TANDEM_KERNELS
