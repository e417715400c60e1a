#include <cmath>

#include "device/backends/cuda/kernels/functions.h"
#include "device/backends/cuda/kernels/image.h"

namespace tandem::gpu::TANDEM_KERNELS {
namespace {

// One axis of the windows. Adaptive: the window of position i goes from floor(i * in / out) to
// ceil((i + 1) * in / out).
struct WindowAxis {
  int in, out, kernel, stride, dilation, pad_before, pad_after;
  bool adaptive;
};

// The positions of a window that lie in the input: first, first + dilation, ..., `inside` of them; `padded`
// counts those in the padding too, but not those beyond it (where the output was rounded up).
struct Reach {
  int first, inside, padded;
};

__device__ __forceinline__ int StepsUp(int distance, int step) {
  return distance <= 0 ? 0 : (distance + step - 1) / step;
}

__device__ __forceinline__ Reach ReachOf(const WindowAxis& axis, int at) {
  if (axis.adaptive) {
    const int first = static_cast<int>(static_cast<std::int64_t>(at) * axis.in / axis.out);
    const int last =
        static_cast<int>((static_cast<std::int64_t>(at + 1) * axis.in + axis.out - 1) / axis.out);
    return {first, last - first, last - first};
  }
  const int begin = at * axis.stride - axis.pad_before, before = StepsUp(-begin, axis.dilation);
  const int inside = StepsUp(axis.in - begin, axis.dilation);
  const int padded = StepsUp(axis.in + axis.pad_after - begin, axis.dilation);
  const int last = inside < axis.kernel ? inside : axis.kernel;
  return {begin + before * axis.dilation, last > before ? last - before : 0,
          padded < axis.kernel ? padded : axis.kernel};
}

template <class T, class Index, bool max, int n>
__global__ void __launch_bounds__(kThreads)
    PoolKernel(PoolCall call, Index packs, ImageWalk<Index, n> walk, WindowAxis rows, WindowAxis columns) {
  for (Index pack = FirstIndex<Index>(); pack < packs; pack += IndexStep<Index>()) {
    const Place at = walk.Find(pack);
    const Reach y = ReachOf(rows, at.h), x = ReachOf(columns, at.w);
    const T* from = static_cast<const T*>(call.x) + Offset(call.in, {at.n, at.c, y.first, x.first});
    const std::int64_t down = rows.dilation * call.in.h_stride, right = columns.dilation * call.in.w_stride;
    float result[n];
    for (int i = 0; i < n; ++i) result[i] = max ? -INFINITY : 0.0F;
    for (int row = 0; row < y.inside; ++row, from += down) {
      const T* next = from;
      for (int column = 0; column < x.inside; ++column, next += right) {
        float values[n];
        Load(next, values);
        for (int i = 0; i < n; ++i) result[i] = max ? Max(result[i], values[i]) : result[i] + values[i];
      }
    }
    if (!max) {
      const int count = call.count_padding ? y.padded * x.padded : y.inside * x.inside;
      for (int i = 0; i < n; ++i) result[i] = count == 0 ? 0.0F : result[i] / static_cast<float>(count);
    }
    Store(static_cast<T*>(call.y) + Offset(call.out, at), result);
  }
}

WindowAxis AxisOf(std::int64_t in, std::int64_t out, std::int64_t kernel, std::int64_t stride,
                  std::int64_t dilation, std::int64_t before, std::int64_t after, bool adaptive) {
  return {static_cast<int>(in),
          static_cast<int>(out),
          static_cast<int>(kernel),
          static_cast<int>(stride),
          adaptive ? 1 : static_cast<int>(dilation),
          static_cast<int>(before),
          static_cast<int>(after),
          adaptive};
}

WindowAxis Rows(const PoolCall& call) {
  return AxisOf(call.in.h, call.out.h, call.kernel_h, call.stride_h, call.dilation_h, call.pad_top,
                call.pad_bottom, call.adaptive_h);
}
WindowAxis Columns(const PoolCall& call) {
  return AxisOf(call.in.w, call.out.w, call.kernel_w, call.stride_w, call.dilation_w, call.pad_left,
                call.pad_right, call.adaptive_w);
}

template <class T, class Index, bool max, int n>
int Start(const PoolCall& call, void* stream) {
  const std::int64_t packs = ElementsOf(call.out) / n;
  return Launch(PoolKernel<T, Index, max, n>, BlocksFor(packs), kThreads, stream, call,
                static_cast<Index>(packs), ImageWalk<Index, n>(call.out), Rows(call), Columns(call));
}

template <class T, bool max>
int StartAll(const PoolCall& call, void* stream) {
  const std::int64_t count = ElementsOf(call.out);
  constexpr int n = kPack<T>;
  if (count / n <= kMostIndex && PacksChannels(call.x, call.element, call.in, n) &&
      PacksChannels(call.y, call.element, call.out, n)) {
    return Start<T, std::uint32_t, max, n>(call, stream);
  }
  return WithIndex(count, [&](auto index) { return Start<T, decltype(index), max, 1>(call, stream); });
}

// Is the one window all of the axis, and nothing else?
bool Whole(const WindowAxis& axis) {
  return axis.out == 1 && (axis.adaptive || (axis.kernel == axis.in && axis.dilation == 1 &&
                                             axis.pad_before == 0 && axis.pad_after == 0));
}

MeanCall MeanOf(const PoolCall& call) {
  MeanCall mean;
  mean.element = call.element;
  mean.x = call.x;
  mean.y = call.y;
  mean.kept = mean.reduced = 2;
  mean.kept_counts[0] = call.in.n;
  mean.kept_stride[0] = call.in.n_stride;
  mean.kept_counts[1] = call.in.c;
  mean.kept_stride[1] = call.in.c_stride;
  mean.reduced_counts[0] = call.in.h;
  mean.reduced_stride[0] = call.in.h_stride;
  mean.reduced_counts[1] = call.in.w;
  mean.reduced_stride[1] = call.in.w_stride;
  return mean;
}

}  // namespace

int RunPool(const PoolCall& call, void* stream) {
  if (ElementsOf(call.out) == 0) return cudaSuccess;
  if (!call.max && Whole(Rows(call)) && Whole(Columns(call))) return RunMean(MeanOf(call), stream);
  return WithElement(call.element, [&](auto zero) {
    using T = decltype(zero);
    return call.max ? StartAll<T, true>(call, stream) : StartAll<T, false>(call, stream);
  });
}

}  // namespace tandem::gpu::TANDEM_KERNELS
