#include "device/backends/cuda/kernels/image.h"

namespace tandem::gpu::TANDEM_KERNELS {
namespace {

// The two neighbours along one axis and the share of the second.
struct Blend {
  std::int64_t low, high;
  float share;
};

// In double: a float loses the share where positions are large.
__device__ __forceinline__ Blend BlendOf(int at, double per_step, double shift, std::int64_t extent) {
  const double source = (at + shift) * per_step - shift, inside = source < 0 ? 0 : source;
  const auto whole = static_cast<std::int64_t>(inside);
  const std::int64_t low = whole < extent - 1 ? whole : extent - 1;
  return {low, low + 1 < extent ? low + 1 : low, static_cast<float>(inside - static_cast<double>(low))};
}

template <int n>
__device__ __forceinline__ void Row(const ResizeCall& call, std::int64_t from, const Blend& x,
                                    float (&values)[n]) {
  float high[n];
  Load(call.x, call.element, from + x.low * call.in.w_stride, values);
  Load(call.x, call.element, from + x.high * call.in.w_stride, high);
  TANDEM_UNROLL
  for (int i = 0; i < n; ++i) values[i] = (1 - x.share) * values[i] + x.share * high[i];
}

// The call's scales are steps in x for one in y here.
template <class Index, int n>
__global__ void __launch_bounds__(kThreads)
    ResizeKernel(ResizeCall call, Index packs, ImageWalk<Index, n> walk) {
  for (Index pack = FirstIndex<Index>(); pack < packs; pack += IndexStep<Index>()) {
    const Place at = walk.Find(pack);
    const Blend y = BlendOf(at.h, call.scale_h, call.shift, call.in.h);
    const Blend x = BlendOf(at.w, call.scale_w, call.shift, call.in.w);
    const std::int64_t plane = at.n * call.in.n_stride + at.c * call.in.c_stride;
    float low[n], high[n];
    Row(call, plane + y.low * call.in.h_stride, x, low);
    Row(call, plane + y.high * call.in.h_stride, x, high);
    TANDEM_UNROLL
    for (int i = 0; i < n; ++i) low[i] = (1 - y.share) * low[i] + y.share * high[i];
    Store(call.y, call.element, Offset(call.out, at), low);
  }
}

template <class Index, int n>
int Start(ResizeCall call, void* stream) {
  call.scale_h = 1 / call.scale_h;
  call.scale_w = 1 / call.scale_w;
  const std::int64_t packs = ElementsOf(call.out) / n;
  return Launch(ResizeKernel<Index, n>, BlocksFor(packs), kThreads, stream, call, static_cast<Index>(packs),
                ImageWalk<Index, n>(call.out));
}

}  // namespace

int RunResize(const ResizeCall& call, void* stream) {
  const std::int64_t count = ElementsOf(call.out);
  if (count == 0) return cudaSuccess;
  if (count / 4 <= kMostIndex && PacksChannels(call.x, call.element, call.in, 4) &&
      PacksChannels(call.y, call.element, call.out, 4)) {
    return Start<std::uint32_t, 4>(call, stream);
  }
  return WithIndex(count, [&](auto index) { return Start<decltype(index), 1>(call, stream); });
}

}  // namespace tandem::gpu::TANDEM_KERNELS
