#include <cmath>

#include "device/backends/cuda/kernels/elements.h"
#include "device/backends/cuda/kernels/team.h"

namespace tandem::gpu::TANDEM_KERNELS {
namespace {

// A row of x and of y, shared by a team: calls see(place) for each place that is this thread's.
template <class Team, class See>
__device__ __forceinline__ void ForEach(std::int64_t length, See see) {
  for (std::int64_t place = Team::Member(); place < length; place += Team::kSize) see(place);
}

template <class Team, class T>
__device__ __forceinline__ void Softmax(const RowsCall& call, const T* x, T* y, bool own) {
  float most = -INFINITY, sum = 0;
  ForEach<Team>(call.length, [&](std::int64_t i) { most = Max(most, ToFloat(x[i * call.step])); });
  most = Team::Combine(most, Larger{});
  ForEach<Team>(call.length, [&](std::int64_t i) { sum += expf(ToFloat(x[i * call.step]) - most); });
  sum = Team::Combine(sum, Plus{});
  if (!own) return;
  ForEach<Team>(call.length, [&](std::int64_t i) {
    Assign(y[i * call.step], expf(ToFloat(x[i * call.step]) - most) / sum);
  });
}

template <class Team, class T>
__device__ __forceinline__ void Normalise(const RowsCall& call, const T* x, T* y, bool own) {
  const auto count = static_cast<float>(call.length);
  float sum = 0, squares = 0;
  ForEach<Team>(call.length, [&](std::int64_t i) { sum += ToFloat(x[i * call.step]); });
  const float mean = Team::Combine(sum, Plus{}) / count;
  ForEach<Team>(call.length, [&](std::int64_t i) {
    const float centred = ToFloat(x[i * call.step]) - mean;
    squares += centred * centred;
  });
  const float deviation = sqrtf(Team::Combine(squares, Plus{}) / count + call.epsilon);
  if (!own) return;
  ForEach<Team>(call.length, [&](std::int64_t i) {
    const float normal = (ToFloat(x[i * call.step]) - mean) / deviation;
    const float factor = call.gamma == nullptr ? 1 : call.gamma[i];
    const float offset = call.beta == nullptr ? 0 : call.beta[i];
    Assign(y[i * call.step], normal * factor + offset);
  });
}

template <class Team, class T>
__global__ void __launch_bounds__(kThreads) RowsKernel(RowsCall call, std::int64_t rows) {
  for (std::int64_t first = Team::First(); first < rows; first += Team::Step()) {
    const bool own = first + Team::Own() < rows;
    const std::int64_t row = own ? first + Team::Own() : rows - 1;
    const std::int64_t o = call.inner == 1 ? row : row / call.inner;
    const std::int64_t begin = o * call.outer_stride + (row - o * call.inner);
    const T* const x = static_cast<const T*>(call.x) + begin;
    T* const y = static_cast<T*>(call.y) + begin;
    if (call.softmax) {
      Softmax<Team>(call, x, y, own);
    } else {
      Normalise<Team>(call, x, y, own);
    }
  }
}

template <class Team>
int Start(const RowsCall& call, void* stream) {
  const std::int64_t rows = call.outer * call.inner;
  return WithElement(call.element, [&](auto zero) {
    return Launch(RowsKernel<Team, decltype(zero)>, BlocksOfTeams<Team>(rows), Team::Block(), stream, call,
                  rows);
  });
}

}  // namespace

int RunRows(const RowsCall& call, void* stream) {
  if (call.outer * call.inner * call.length == 0) return cudaSuccess;
  constexpr std::int64_t long_row = 2048;
  if (call.inner > 1) return Start<Columns>(call, stream);
  return call.length < long_row ? Start<WarpTeam>(call, stream) : Start<BlockTeam>(call, stream);
}

}  // namespace tandem::gpu::TANDEM_KERNELS
