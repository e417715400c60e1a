#include "policies/bounds/latency_bounds.h"

#include <algorithm>
#include <numeric>

#include "profiles/base/statistics.h"

namespace tandem {
namespace {

Nanos Down(double nanos) { return Nanos{static_cast<std::int64_t>(std::max(nanos, 0.0))}; }

// Positions of the kinds, the least first.
template <class Key>
std::vector<std::size_t> Ascending(std::size_t kinds, const Key& key) {
  std::vector<std::size_t> order(kinds);
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::stable_sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) { return key(a) < key(b); });
  return order;
}

// Of the latencies by chains alone, of which there are at least `rank`.
Nanos ChainAtRank(const std::vector<std::int64_t>& counts, std::span<const KindLoad> kinds,
                  std::int64_t rank) {
  for (const std::size_t k : Ascending(kinds.size(), [&](std::size_t i) { return kinds[i].chain; })) {
    rank -= counts[k];
    if (rank <= 0) return kinds[k].chain;
  }
  return Nanos{0};
}

// What the `most` lightest requests weigh together.
double LightestOf(const std::vector<std::int64_t>& counts, std::span<const KindLoad> kinds,
                  std::int64_t most) {
  double sum = 0;
  for (const std::size_t k : Ascending(kinds.size(), [&](std::size_t i) { return kinds[i].weight; })) {
    const std::int64_t count = std::min(counts[k], most);
    sum += static_cast<double>(count) * kinds[k].weight;
    most -= count;
  }
  return sum;
}

// The sum of that over 1, 2, ... all requests.
double SumOfLightest(const std::vector<std::int64_t>& counts, std::span<const KindLoad> kinds) {
  double sum = 0, before = 0;
  for (const std::size_t k : Ascending(kinds.size(), [&](std::size_t i) { return kinds[i].weight; })) {
    const auto count = static_cast<double>(counts[k]);
    sum += count * before + kinds[k].weight * count * (count + 1) / 2;
    before += count * kinds[k].weight;
  }
  return sum;
}

}  // namespace

void RaiseLatencies(const CertainWork& work, std::span<const KindLoad> kinds, double capacity,
                    double least_share, Bound& bound) {
  if (!work.mean_chain) return;
  const auto left_of = [&](Nanos time) {
    return least_share < 1 ? Down(static_cast<double>(time.count()) * least_share) : time;
  };
  const auto raise = [](std::optional<Nanos>& figure, Nanos to) {
    figure = std::max(figure.value_or(Nanos{0}), to);
  };
  constexpr std::int64_t kP99 = 9900;
  const std::int64_t rank = NearestRank(work.requests, kP99);
  raise(bound.mean_latency, left_of(*work.mean_chain));
  raise(bound.p99_latency, left_of(ChainAtRank(work.tails[0].of_kind, kinds, rank)));
  if (!work.releases || !(capacity > 0)) return;
  const auto first = static_cast<double>(work.first_release.count());
  const double completions = SumOfLightest(work.tails[0].of_kind, kinds) * kRoundedDown / capacity *
                             least_share / static_cast<double>(work.requests);
  raise(bound.mean_latency, Down(first - work.releases->mean + completions));
  // As many requests as that have a latency of no more than the 99th percentile: they are complete so long
  // after the last release.
  for (const CertainWork::Tail& tail : work.tails) {
    const std::int64_t count = std::accumulate(tail.of_kind.begin(), tail.of_kind.end(), std::int64_t{0});
    const std::int64_t in_time = count - (work.requests - rank);
    if (in_time <= 0) continue;
    const double end = LightestOf(tail.of_kind, kinds, in_time) * kRoundedDown / capacity * least_share;
    raise(bound.p99_latency, Down(static_cast<double>((tail.from - work.releases->last).count()) + end));
  }
}

}  // namespace tandem
