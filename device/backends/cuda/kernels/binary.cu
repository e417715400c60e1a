#include "device/backends/cuda/kernels/elements.h"
#include "device/backends/cuda/kernels/functions.h"
#include "device/backends/cuda/kernels/index.h"

namespace tandem::gpu::TANDEM_KERNELS {
namespace {

constexpr int kWide = 4;  // elements of a thread, where the last axis allows it

template <int n>
__device__ void Combine(Binary op, float (&a)[n], const float (&b)[n]) {
  switch (op) {
    case Binary::kAdd:
      for (int i = 0; i < n; ++i) a[i] += b[i];
      return;
    case Binary::kSub:
      for (int i = 0; i < n; ++i) a[i] -= b[i];
      return;
    case Binary::kMul:
      for (int i = 0; i < n; ++i) a[i] *= b[i];
      return;
    case Binary::kDiv:
      for (int i = 0; i < n; ++i) a[i] /= b[i];
      return;
    case Binary::kPow:
      for (int i = 0; i < n; ++i) a[i] = powf(a[i], b[i]);
      return;
    case Binary::kMax:
      for (int i = 0; i < n; ++i) a[i] = Max(a[i], b[i]);
      return;
    case Binary::kMin:
      for (int i = 0; i < n; ++i) a[i] = Min(a[i], b[i]);
      return;
  }
}

// n neighbours, or n times the same where the last axis is broadcast.
template <int n>
__device__ void LoadOperand(const void* from, Element element, std::int64_t at, bool same, float factor,
                            float (&values)[n]) {
  if (same) {
    float value[1];
    Load(from, element, at, value);
    for (int i = 0; i < n; ++i) values[i] = value[0];
  } else {
    Load(from, element, at, values);
  }
  for (int i = 0; i < n; ++i) values[i] *= factor;
}

template <class Index, int n>
__global__ void __launch_bounds__(kThreads)
    BinaryKernel(BinaryCall call, Index packs, Axes<Index, 2> axes, bool same_a, bool same_b) {
  for (Index pack = FirstIndex<Index>(); pack < packs; pack += IndexStep<Index>()) {
    std::int64_t at[2];
    axes.Find(pack, at);
    float a[n], b[n];
    LoadOperand(call.a, call.a_element, at[0], same_a, call.a_factor, a);
    LoadOperand(call.b, call.b_element, at[1], same_b, call.b_factor, b);
    Combine(call.op, a, b);
    Apply(call.function, a);
    Store(call.y, call.element, static_cast<std::int64_t>(pack) * n, a);
  }
}

bool Packs(const void* at, Element element, const std::int64_t* stride, int axes) {
  const int last = axes - 1;
  if (stride[last] == 0) return true;
  if (stride[last] != 1 || !Aligned(at, kWide * BytesOf(element))) return false;
  for (int axis = 0; axis < last; ++axis) {
    if (stride[axis] % kWide != 0) return false;
  }
  return true;
}

bool Packs(const BinaryCall& call) {
  if (call.axes == 0 || call.counts[call.axes - 1] % kWide != 0) return false;
  return Packs(call.a, call.a_element, call.a_stride, call.axes) &&
         Packs(call.b, call.b_element, call.b_stride, call.axes) &&
         Aligned(call.y, kWide * BytesOf(call.element));
}

template <class Index, int n>
int Start(const BinaryCall& call, std::int64_t count, void* stream) {
  const int last = call.axes - 1;
  Axes<Index, 2> axes;
  for (int axis = 0; axis < last; ++axis) {
    axes.Add(call.counts[axis], {call.a_stride[axis], call.b_stride[axis]});
  }
  if (last >= 0) axes.Add(call.counts[last] / n, {call.a_stride[last] * n, call.b_stride[last] * n});
  const bool same_a = last < 0 || call.a_stride[last] == 0, same_b = last < 0 || call.b_stride[last] == 0;
  return Launch(BinaryKernel<Index, n>, BlocksFor(count / n), kThreads, stream, call,
                static_cast<Index>(count / n), axes, same_a, same_b);
}

}  // namespace

int RunBinary(const BinaryCall& call, void* stream) {
  std::int64_t count = 1;
  for (int axis = 0; axis < call.axes; ++axis) count *= call.counts[axis];
  if (count == 0) return cudaSuccess;
  if (Packs(call) && count / kWide <= kMostIndex) return Start<std::uint32_t, kWide>(call, count, stream);
  return WithIndex(count, [&](auto index) { return Start<decltype(index), 1>(call, count, stream); });
}

}  // namespace tandem::gpu::TANDEM_KERNELS
