#include "device/backends/cuda/kernels/elements.h"
#include "device/backends/cuda/kernels/index.h"
#include "device/backends/cuda/kernels/team.h"

namespace tandem::gpu::TANDEM_KERNELS {
namespace {

using Index = std::uint32_t;

template <class Team, class T>
__global__ void __launch_bounds__(1024)
    MeanKernel(MeanCall call, Axes<Index, 1> kept, Axes<Index, 1> reduced, Index means, Index numbers) {
  for (std::int64_t first = Team::First(); first < static_cast<std::int64_t>(means); first += Team::Step()) {
    const bool own = first + Team::Own() < static_cast<std::int64_t>(means);
    const Index mean = own ? static_cast<Index>(first + Team::Own()) : means - 1;
    std::int64_t begin[1], at[1];
    kept.Find(mean, begin);
    const T* const x = static_cast<const T*>(call.x) + begin[0];
    float sum = 0;
    TANDEM_UNROLL_4
    for (Index i = static_cast<Index>(Team::Member()); i < numbers; i += Team::kSize) {
      reduced.Find(i, at);
      sum += ToFloat(x[at[0]]);
    }
    sum = Team::Combine(sum, Plus{});
    if (own && Team::Member() == 0) Assign(static_cast<T*>(call.y)[mean], sum / static_cast<float>(numbers));
  }
}

// Axes that lie together are one.
struct Merged {
  int axes = 0;
  std::int64_t counts[kMostAxes] = {}, stride[kMostAxes] = {};

  Merged(int all, const std::int64_t* all_counts, const std::int64_t* all_strides) {
    for (int axis = 0; axis < all; ++axis) {
      if (all_counts[axis] == 1) continue;
      if (axes > 0 && stride[axes - 1] == all_strides[axis] * all_counts[axis]) {
        counts[axes - 1] *= all_counts[axis];
        stride[axes - 1] = all_strides[axis];
      } else {
        counts[axes] = all_counts[axis];
        stride[axes++] = all_strides[axis];
      }
    }
  }
  std::int64_t Count() const {
    std::int64_t count = 1;
    for (int axis = 0; axis < axes; ++axis) count *= counts[axis];
    return count;
  }
  // The last axis steps by one.
  bool Runs() const { return axes > 0 && stride[axes - 1] == 1; }
  Axes<Index, 1> All() const {
    Axes<Index, 1> all;
    for (int axis = 0; axis < axes; ++axis) all.Add(counts[axis], {stride[axis]});
    return all;
  }
};

template <class Team>
int Start(const MeanCall& call, const Merged& kept, const Merged& reduced, void* stream) {
  const std::int64_t means = kept.Count(), numbers = reduced.Count();
  if (means > kMostCount || numbers > kMostCount) return cudaErrorInvalidValue;
  return WithElement(call.element, [&](auto zero) {
    return Launch(MeanKernel<Team, decltype(zero)>, BlocksOfTeams<Team>(means), Team::Block(), stream, call,
                  kept.All(), reduced.All(), static_cast<Index>(means), static_cast<Index>(numbers));
  });
}

}  // namespace

int RunMean(const MeanCall& call, void* stream) {
  const Merged kept(call.kept, call.kept_counts, call.kept_stride);
  const Merged reduced(call.reduced, call.reduced_counts, call.reduced_stride);
  const std::int64_t means = kept.Count(), numbers = reduced.Count();
  if (means * numbers == 0) return cudaSuccess;
  constexpr std::int64_t many = 1024;
  if (kept.Runs() && !reduced.Runs()) {
    return numbers < many ? Start<Columns>(call, kept, reduced, stream)
                          : Start<TallColumns>(call, kept, reduced, stream);
  }
  return numbers < many ? Start<WarpTeam>(call, kept, reduced, stream)
                        : Start<BlockTeam>(call, kept, reduced, stream);
}

}  // namespace tandem::gpu::TANDEM_KERNELS
