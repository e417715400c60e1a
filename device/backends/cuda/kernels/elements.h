// Reading and writing elements as floats, one or several at once.
#pragma once

#include "device/backends/cuda/kernels/launch.h"

namespace tandem::gpu::TANDEM_KERNELS {

// As many elements as one instruction moves where `n * sizeof(T)` is up to 16.
template <class T, int n>
struct alignas(sizeof(T) * n) Pack {
  T values[n];
};

template <class T>
constexpr int kPack = 16 / static_cast<int>(sizeof(T));

__device__ __forceinline__ float ToFloat(float value) { return value; }
__device__ __forceinline__ float ToFloat(__half value) { return __half2float(value); }
__device__ __forceinline__ void Assign(float& to, float value) { to = value; }
__device__ __forceinline__ void Assign(__half& to, float value) { to = __float2half(value); }

template <int n, class T>
__device__ __forceinline__ void Load(const T* from, float (&values)[n]) {
  constexpr int at_once = n < kPack<T> ? n : kPack<T>;
  static_assert(n % at_once == 0, "whole packs");
  TANDEM_UNROLL
  for (int first = 0; first < n; first += at_once) {
    const auto pack = *reinterpret_cast<const Pack<T, at_once>*>(from + first);
    TANDEM_UNROLL
    for (int i = 0; i < at_once; ++i) values[first + i] = ToFloat(pack.values[i]);
  }
}

template <int n, class T>
__device__ __forceinline__ void Store(T* to, const float (&values)[n]) {
  constexpr int at_once = n < kPack<T> ? n : kPack<T>;
  static_assert(n % at_once == 0, "whole packs");
  TANDEM_UNROLL
  for (int first = 0; first < n; first += at_once) {
    Pack<T, at_once> pack;
    TANDEM_UNROLL
    for (int i = 0; i < at_once; ++i) Assign(pack.values[i], values[first + i]);
    *reinterpret_cast<Pack<T, at_once>*>(to + first) = pack;
  }
}

// The same where the element is known only when the kernel runs: all threads go the same way.
template <int n>
__device__ __forceinline__ void Load(const void* from, Element element, std::int64_t at, float (&values)[n]) {
  if (element == Element::kHalf) return Load(static_cast<const __half*>(from) + at, values);
  Load(static_cast<const float*>(from) + at, values);
}
template <int n>
__device__ __forceinline__ void Store(void* to, Element element, std::int64_t at, const float (&values)[n]) {
  if (element == Element::kHalf) return Store(static_cast<__half*>(to) + at, values);
  Store(static_cast<float*>(to) + at, values);
}

inline std::size_t BytesOf(Element element) { return element == Element::kHalf ? 2 : 4; }

// Can packs of `bytes` be read there? Null can: nothing is read.
inline bool Aligned(const void* at, std::size_t bytes) {
  return reinterpret_cast<std::uintptr_t>(at) % bytes == 0;
}

// Calls run(T) with a value of the element's type.
template <class Run>
int WithElement(Element element, const Run& run) {
  return element == Element::kHalf ? run(__half{}) : run(float{});
}

}  // namespace tandem::gpu::TANDEM_KERNELS
