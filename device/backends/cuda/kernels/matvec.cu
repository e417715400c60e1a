#include "device/backends/cuda/kernels/elements.h"
#include "device/backends/cuda/kernels/team.h"

namespace tandem::gpu::TANDEM_KERNELS {
namespace {

constexpr int kRows = 4;  // that share one reading of the weights

template <class Team, class T, int rows, int n>
__device__ __forceinline__ void Products(const MatvecCall& call, std::int64_t output, std::int64_t first_row,
                                         float (&sums)[rows]) {
  const T* const weight = static_cast<const T*>(call.weight) + output * call.features;
  const T* const x = static_cast<const T*>(call.x) + first_row * call.features;
  TANDEM_UNROLL_4
  for (std::int64_t f = Team::Member() * n; f < call.features; f += Team::kSize * n) {
    float w[n], values[n];
    Load(weight + f, w);
    TANDEM_UNROLL
    for (int row = 0; row < rows; ++row) {
      if (first_row + row >= call.rows) break;
      Load(x + row * call.features + f, values);
      TANDEM_UNROLL
      for (int i = 0; i < n; ++i) sums[row] += values[i] * w[i];
    }
  }
}

// A team for each output.
template <class Team, class T, int rows, int n>
__global__ void __launch_bounds__(kThreads) MatvecKernel(MatvecCall call) {
  for (std::int64_t output = Team::First(); output < call.outputs; output += Team::Step()) {
    for (std::int64_t first_row = 0; first_row < call.rows; first_row += rows) {
      float sums[rows] = {};
      Products<Team, T, rows, n>(call, output, first_row, sums);
      TANDEM_UNROLL
      for (int row = 0; row < rows; ++row) {
        if (first_row + row >= call.rows) break;
        float result[1] = {Team::Combine(sums[row], Plus{})};
        if (Team::Member() != 0) continue;
        if (call.bias != nullptr) result[0] += call.bias[output];
        Apply(call.function, result);
        Assign(static_cast<T*>(call.y)[(first_row + row) * call.outputs + output], result[0]);
      }
    }
  }
}

template <class Team, class T, int rows, int n>
int Start(const MatvecCall& call, void* stream) {
  return Launch(MatvecKernel<Team, T, rows, n>, BlocksOfTeams<Team>(call.outputs), Team::Block(), stream,
                call);
}

template <class T>
int StartAll(const MatvecCall& call, void* stream) {
  constexpr int n = kPack<T>;
  if (call.features % n != 0 || !Aligned(call.x, 16) || !Aligned(call.weight, 16)) {
    return Start<WarpTeam, T, kRows, 1>(call, stream);
  }
  // Few outputs leave a card with nothing to do if a warp takes all of one.
  const std::int64_t warps = Multiprocessors() * 16;
  const bool whole_blocks = call.outputs < warps && call.features >= 8 * n * static_cast<int>(kWarp);
  if (call.rows == 1) {
    return whole_blocks ? Start<BlockTeam, T, 1, n>(call, stream) : Start<WarpTeam, T, 1, n>(call, stream);
  }
  return whole_blocks ? Start<BlockTeam, T, kRows, n>(call, stream)
                      : Start<WarpTeam, T, kRows, n>(call, stream);
}

}  // namespace

int RunMatvec(const MatvecCall& call, void* stream) {
  if (call.rows * call.outputs == 0) return cudaSuccess;
  return WithElement(call.element, [&](auto zero) { return StartAll<decltype(zero)>(call, stream); });
}

}  // namespace tandem::gpu::TANDEM_KERNELS
