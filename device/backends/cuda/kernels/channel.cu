#include "device/backends/cuda/kernels/elements.h"
#include "device/backends/cuda/kernels/functions.h"
#include "device/backends/cuda/kernels/index.h"

namespace tandem::gpu::TANDEM_KERNELS {
namespace {

// Which channels the elements of a thread belong to.
enum class Channels { kNone, kOne, kEach };

template <Channels channels, int n>
__device__ void LoadNumbers(const float* from, std::int64_t channel, float (&numbers)[n]) {
  if (channels == Channels::kEach) return Load(from + channel, numbers);
  const float number = from[channel];
  TANDEM_UNROLL
  for (int i = 0; i < n; ++i) numbers[i] = number;
}

template <Channels channels, int n>
__device__ void ScaleAndSlope(const ChannelCall& call, std::int64_t channel, float (&x)[n]) {
  float numbers[n];
  if (call.factor != nullptr) {
    LoadNumbers<channels>(call.factor, channel, numbers);
    for (int i = 0; i < n; ++i) x[i] *= numbers[i];
  }
  if (call.offset != nullptr) {
    LoadNumbers<channels>(call.offset, channel, numbers);
    for (int i = 0; i < n; ++i) x[i] += numbers[i];
  }
  Apply(call.before, x);
  if (call.slope == nullptr) return;
  if (call.slopes == 1) {
    LoadNumbers<Channels::kOne>(call.slope, 0, numbers);
  } else {
    LoadNumbers<channels>(call.slope, channel, numbers);
  }
  for (int i = 0; i < n; ++i) x[i] = x[i] < 0 ? x[i] * numbers[i] : x[i];
}

// `packs` of n elements; a pack's channel (its first one where it has several) is number / inner % channels,
// `inner` in packs.
template <class T, class Index, Channels channels, int n>
__global__ void __launch_bounds__(kThreads)
    ChannelKernel(ChannelCall call, Index packs, Divider<Index> inner, Divider<Index> in_turn) {
  for (Index pack = FirstIndex<Index>(); pack < packs; pack += IndexStep<Index>()) {
    const std::int64_t at = static_cast<std::int64_t>(pack) * n;
    float x[n];
    Load(static_cast<const T*>(call.x) + at, x);
    std::int64_t channel = 0;
    if (channels != Channels::kNone) {
      Index run = inner.Divide(pack);
      channel = static_cast<std::int64_t>(TakeRest(run, in_turn)) * (channels == Channels::kEach ? n : 1);
    }
    ScaleAndSlope<channels>(call, channel, x);
    if (call.added != nullptr) {
      float added[n];
      Load(static_cast<const T*>(call.added) + at, added);
      for (int i = 0; i < n; ++i) x[i] += added[i];
    }
    Apply<InlineSlow>(call.after, x);
    Store(static_cast<T*>(call.y) + at, x);
  }
}

template <class T, class Index, Channels channels, int n>
int Start(const ChannelCall& call, void* stream) {
  const std::int64_t packs = call.count / n;
  const std::int64_t inner = channels == Channels::kOne ? call.inner / n : call.inner;
  const std::int64_t in_turn = channels == Channels::kEach ? call.channels / n : call.channels;
  return Launch(ChannelKernel<T, Index, channels, n>, BlocksFor(packs), kThreads, stream, call,
                static_cast<Index>(packs), Divider<Index>(inner), Divider<Index>(in_turn));
}

bool NeedsChannels(const ChannelCall& call) {
  return call.channels > 1 &&
         (call.factor != nullptr || call.offset != nullptr || (call.slope != nullptr && call.slopes > 1));
}

// The last few elements of a tensor of which packs take the rest.
template <class T>
ChannelCall From(ChannelCall call, std::int64_t first) {
  call.x = static_cast<const T*>(call.x) + first;
  if (call.added != nullptr) call.added = static_cast<const T*>(call.added) + first;
  call.y = static_cast<T*>(call.y) + first;
  call.count -= first;
  return call;
}

template <class T>
int StartAll(const ChannelCall& call, void* stream) {
  constexpr int n = kPack<T>;
  const bool packs =
      Aligned(call.x, 16) && Aligned(call.added, 16) && Aligned(call.y, 16) && call.count / n <= kMostIndex;
  if (packs && !NeedsChannels(call)) {
    const std::int64_t rest = call.count % n;
    const int error = Start<T, std::uint32_t, Channels::kNone, n>(call, stream);
    if (error != 0 || rest == 0) return error;
    return Start<T, std::uint32_t, Channels::kNone, 1>(From<T>(call, call.count - rest), stream);
  }
  if (packs && call.count % n == 0 && call.inner % n == 0) {
    return Start<T, std::uint32_t, Channels::kOne, n>(call, stream);
  }
  if (packs && call.count % n == 0 && call.inner == 1 && call.channels % n == 0 && Aligned(call.factor, 16) &&
      Aligned(call.offset, 16) && Aligned(call.slope, 16)) {
    return Start<T, std::uint32_t, Channels::kEach, n>(call, stream);
  }
  return WithIndex(call.count,
                   [&](auto index) { return Start<T, decltype(index), Channels::kOne, 1>(call, stream); });
}

}  // namespace

int RunChannel(const ChannelCall& call, void* stream) {
  if (call.count == 0) return cudaSuccess;
  return WithElement(call.element, [&](auto zero) { return StartAll<decltype(zero)>(call, stream); });
}

}  // namespace tandem::gpu::TANDEM_KERNELS
