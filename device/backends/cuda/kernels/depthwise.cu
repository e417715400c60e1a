#include "device/backends/cuda/kernels/functions.h"
#include "device/backends/cuda/kernels/image.h"

namespace tandem::gpu::TANDEM_KERNELS {
namespace {

constexpr int kWide = 4;  // channels of a thread where they lie together
constexpr int kRun = 4;   // neighbouring outputs of a thread, where there are many

// One axis of the window. Steps are in elements.
struct Line {
  int in, out, kernel, stride, dilation, pad;
  std::int64_t in_step, out_step, weight_step;
};

// A thread computes some neighbours along one axis (height where rows lie together, width where channels do),
// reading each input that they share once, and a pack of channels.
struct Windows {
  Line along, other;
  bool channels_last;
  int multiplier;
  std::int64_t in_n, in_c, out_n, out_c, weight_c;
  Divider<std::uint32_t> inner, middle, outer;
};

struct Start {
  int n, c, along, other;  // the first of the thread's outputs
};

template <int run, int n>
__device__ __forceinline__ Start StartOf(const Windows& how, std::uint32_t number) {
  const auto a = static_cast<int>(TakeRest(number, how.inner));
  const auto b = static_cast<int>(TakeRest(number, how.middle));
  const auto c = static_cast<int>(TakeRest(number, how.outer));
  const auto image = static_cast<int>(number);
  if (how.channels_last) return {image, a * n, b * run, c};
  return {image, c, b * run, a};
}

// One column of the window (along the axis of the run): inputs in registers, each weight for all outputs.
template <class T, int kernel, int stride, int run, int n>
__device__ __forceinline__ void AddLine(const Line& along, const T* x, const T* weight, int first,
                                        float (&sums)[run][n]) {
  constexpr int reach = (run - 1) * stride + kernel;
  float inputs[reach][n];
  TANDEM_UNROLL
  for (int i = 0; i < reach; ++i) {
    const int at = first + i;
    if (at >= 0 && at < along.in) {
      Load(x + at * along.in_step, inputs[i]);
    } else {
      TANDEM_UNROLL
      for (int k = 0; k < n; ++k) inputs[i][k] = 0;
    }
  }
  TANDEM_UNROLL
  for (int k = 0; k < kernel; ++k) {
    float w[n];
    Load(weight + k * along.weight_step, w);
    TANDEM_UNROLL
    for (int r = 0; r < run; ++r) {
      TANDEM_UNROLL
      for (int i = 0; i < n; ++i) sums[r][i] += inputs[r * stride + k][i] * w[i];
    }
  }
}

// Any window: kernel 0.
template <class T, int n>
__device__ __forceinline__ void AddAnyLine(const Line& along, const T* x, const T* weight, int first,
                                           float (&sums)[n]) {
  for (int k = 0; k < along.kernel; ++k) {
    const int at = first + k * along.dilation;
    if (at < 0 || at >= along.in) continue;
    float w[n], inputs[n];
    Load(x + at * along.in_step, inputs);
    Load(weight + k * along.weight_step, w);
    TANDEM_UNROLL
    for (int i = 0; i < n; ++i) sums[i] += inputs[i] * w[i];
  }
}

template <class T, int n>
__device__ __forceinline__ void Finish(const DepthwiseCall& call, int channel, std::int64_t at,
                                       float (&sums)[n]) {
  if (call.bias != nullptr) {
    TANDEM_UNROLL
    for (int i = 0; i < n; ++i) sums[i] += call.bias[channel + i];
  }
  Apply(call.before, sums);
  if (call.added != nullptr) {
    float added[n];
    Load(static_cast<const T*>(call.added) + at, added);
    TANDEM_UNROLL
    for (int i = 0; i < n; ++i) sums[i] += added[i];
  }
  Apply(call.after, sums);
  Store(static_cast<T*>(call.y) + at, sums);
}

template <class T, int kernel, int stride, int run, int n>
__global__ void __launch_bounds__(kThreads)
    DepthwiseKernel(DepthwiseCall call, Windows how, std::uint32_t count) {
  for (auto number = FirstIndex<std::uint32_t>(); number < count; number += IndexStep<std::uint32_t>()) {
    const Start at = StartOf<run, n>(how, number);
    const Line &along = how.along, &other = how.other;
    const T* x = static_cast<const T*>(call.x) + at.n * how.in_n + at.c / how.multiplier * how.in_c;
    const T* weight = static_cast<const T*>(call.weight) + at.c * how.weight_c;
    const int first = at.along * along.stride - along.pad, top = at.other * other.stride - other.pad;
    float sums[run][n] = {};
    TANDEM_UNROLL
    for (int k = 0; k < (kernel > 0 ? kernel : other.kernel); ++k) {
      const int line = top + k * (kernel > 0 ? 1 : other.dilation);
      if (line < 0 || line >= other.in) continue;
      const T* const from = x + line * other.in_step;
      const T* const w = weight + k * other.weight_step;
      if constexpr (kernel > 0) {
        AddLine<T, kernel, stride>(along, from, w, first, sums);
      } else {
        AddAnyLine(along, from, w, first, sums[0]);
      }
    }
    const std::int64_t y = at.n * how.out_n + at.c * how.out_c + at.other * other.out_step;
    TANDEM_UNROLL
    for (int r = 0; r < run; ++r) {
      if (at.along + r < along.out) Finish<T>(call, at.c, y + (at.along + r) * along.out_step, sums[r]);
    }
  }
}

Windows WindowsOf(const DepthwiseCall& call) {
  const bool last = call.channels_last;
  const Line rows = {static_cast<int>(call.in.h),
                     static_cast<int>(call.out.h),
                     static_cast<int>(call.kernel_h),
                     static_cast<int>(call.stride_h),
                     static_cast<int>(call.dilation_h),
                     static_cast<int>(call.pad_top),
                     call.in.h_stride,
                     call.out.h_stride,
                     call.kernel_w * (last ? call.out.c : 1)};
  const Line columns = {static_cast<int>(call.in.w),
                        static_cast<int>(call.out.w),
                        static_cast<int>(call.kernel_w),
                        static_cast<int>(call.stride_w),
                        static_cast<int>(call.dilation_w),
                        static_cast<int>(call.pad_left),
                        call.in.w_stride,
                        call.out.w_stride,
                        last ? call.out.c : 1};
  Windows how;
  how.along = last ? columns : rows;
  how.other = last ? rows : columns;
  how.channels_last = last;
  how.multiplier = static_cast<int>(call.out.c / call.in.c);
  how.in_n = call.in.n_stride;
  how.in_c = call.in.c_stride;
  how.out_n = call.out.n_stride;
  how.out_c = call.out.c_stride;
  how.weight_c = last ? 1 : call.kernel_h * call.kernel_w;
  return how;
}

template <class T, int kernel, int stride, int run, int n>
int StartRuns(const DepthwiseCall& call, Windows how, void* stream) {
  const std::int64_t runs = DivideUp(how.along.out, run), packs = call.out.c / n;
  how.inner = Divider<std::uint32_t>(how.channels_last ? packs : how.other.out);
  how.middle = Divider<std::uint32_t>(runs);
  how.outer = Divider<std::uint32_t>(how.channels_last ? how.other.out : packs);
  const std::int64_t count = call.out.n * packs * runs * how.other.out;
  if (count > kMostCount) return cudaErrorInvalidValue;
  return Launch(DepthwiseKernel<T, kernel, stride, run, n>, BlocksFor(count), kThreads, stream, call, how,
                static_cast<std::uint32_t>(count));
}

template <class T, int kernel, int n>
int StartKernel(const DepthwiseCall& call, const Windows& how, void* stream) {
  // Runs save reading, but leave large cards idle where there are few.
  const bool many = ElementsOf(call.out) / n / kRun >= Multiprocessors() * 4 * std::int64_t{kThreads};
  if (call.stride_h == 2) return StartRuns<T, kernel, 2, 1, n>(call, how, stream);
  return many ? StartRuns<T, kernel, 1, kRun, n>(call, how, stream)
              : StartRuns<T, kernel, 1, 1, n>(call, how, stream);
}

template <class T, int n>
int StartWide(const DepthwiseCall& call, const Windows& how, void* stream) {
  const bool square = call.kernel_h == call.kernel_w && call.dilation_h == 1 && call.dilation_w == 1 &&
                      call.stride_h == call.stride_w && call.stride_h <= 2;
  if (square && call.kernel_h == 3) return StartKernel<T, 3, n>(call, how, stream);
  if (square && call.kernel_h == 5) return StartKernel<T, 5, n>(call, how, stream);
  return StartRuns<T, 0, 0, 1, n>(call, how, stream);
}

}  // namespace

int RunDepthwise(const DepthwiseCall& call, void* stream) {
  if (ElementsOf(call.out) == 0) return cudaSuccess;
  const Windows how = WindowsOf(call);
  const bool wide = call.channels_last && how.multiplier == 1 &&
                    PacksChannels(call.x, call.element, call.in, kWide) &&
                    PacksChannels(call.y, call.element, call.out, kWide) &&
                    Aligned(call.weight, kWide * BytesOf(call.element)) &&
                    Aligned(call.added, kWide * BytesOf(call.element));
  return WithElement(call.element, [&](auto zero) {
    using T = decltype(zero);
    return wide ? StartWide<T, kWide>(call, how, stream) : StartWide<T, 1>(call, how, stream);
  });
}

}  // namespace tandem::gpu::TANDEM_KERNELS
