// Going through the outputs of an image operation in the order in which they lie.
#pragma once

#include "device/backends/cuda/kernels/elements.h"
#include "device/backends/cuda/kernels/index.h"

namespace tandem::gpu::TANDEM_KERNELS {

struct Place {
  int n, c, h, w;
};

inline std::int64_t ElementsOf(const Image& image) { return image.n * image.c * image.h * image.w; }

__device__ __forceinline__ std::int64_t Offset(const Image& image, const Place& at) {
  return at.n * image.n_stride + at.c * image.c_stride + at.h * image.h_stride + at.w * image.w_stride;
}

// `n` channels at once where they lie together.
template <class Index, int n>
struct ImageWalk {
  bool channels_last;
  Divider<Index> inner, middle, outer;

  explicit ImageWalk(const Image& image) : channels_last(image.c_stride == 1 && image.c > 1) {
    inner = Divider<Index>(channels_last ? image.c / n : image.w);
    middle = Divider<Index>(channels_last ? image.w : image.h);
    outer = Divider<Index>(channels_last ? image.h : image.c);
  }
  __device__ __forceinline__ Place Find(Index number) const {
    const int a = static_cast<int>(TakeRest(number, inner)), b = static_cast<int>(TakeRest(number, middle)),
              c = static_cast<int>(TakeRest(number, outer)), image = static_cast<int>(number);
    if (channels_last) return {image, a * n, c, b};
    return {image, c, b, a};
  }
};

// Do packs of n channels lie together there?
inline bool PacksChannels(const void* at, Element element, const Image& image, int n) {
  return image.c_stride == 1 && image.c % n == 0 && image.w_stride % n == 0 && image.h_stride % n == 0 &&
         image.n_stride % n == 0 && Aligned(at, static_cast<std::size_t>(n) * BytesOf(element));
}

}  // namespace tandem::gpu::TANDEM_KERNELS
