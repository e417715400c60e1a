#include "device/profiler/samples/statistics.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>

#include "profiles/base/check.h"

namespace tandem {
namespace {

constexpr Nanos kClockIsCoarse{50};
constexpr double kTailOutside = 0.025;
constexpr double kDeviations = 1.96;  // of the normal distribution, for that tail
constexpr std::size_t kManySamples = 500;
constexpr double kUnstableFrom = 0.025;

}  // namespace

std::size_t RanksOutside(std::size_t samples) {
  const auto n = static_cast<double>(samples);
  if (samples > kManySamples) return static_cast<std::size_t>((n - kDeviations * std::sqrt(n)) / 2);
  // The largest cut for which at most `cut` of n fair coins fall heads in no more than 2.5 % of all cases.
  double ways = std::pow(0.5, n), below = ways;
  std::size_t cut = 0;
  while (cut + 1 < samples) {
    ways *= (n - static_cast<double>(cut)) / static_cast<double>(cut + 1);
    below += ways;
    if (below > kTailOutside) break;
    ++cut;
  }
  return cut;
}

MedianInterval IntervalOfMedian(std::span<const Nanos> samples) {
  TANDEM_CHECK(!samples.empty(), "a median needs at least one sample");
  std::vector<Nanos> sorted(samples.begin(), samples.end());
  std::sort(sorted.begin(), sorted.end());
  const std::size_t cut = RanksOutside(sorted.size());
  return {sorted[cut], sorted[(sorted.size() - 1) / 2], sorted[sorted.size() - 1 - cut]};
}

double MedianInterval::HalfWidth() const {
  if (median.count() <= 0) return 0;
  return static_cast<double>((high - low).count()) / 2 / static_cast<double>(median.count());
}

bool KnownWell(std::span<const Nanos> samples, const StopRule& rule) {
  if (samples.empty() || static_cast<std::int64_t>(samples.size()) < rule.min_samples) return false;
  const MedianInterval interval = IntervalOfMedian(samples);
  return interval.HalfWidth() <= rule.noise || (interval.high - interval.low) / 2 <= rule.fine_enough;
}

double WantOf(std::span<const Nanos> samples, const StopRule& rule) {
  if (samples.empty()) return std::numeric_limits<double>::infinity();
  const MedianInterval interval = IntervalOfMedian(samples);
  const double half = static_cast<double>((interval.high - interval.low).count()) / 2;
  const double will_do = std::max({rule.noise * static_cast<double>(interval.median.count()),
                                   static_cast<double>(rule.fine_enough.count()), 1.0});
  const double too_few = static_cast<double>(rule.min_samples) / static_cast<double>(samples.size());
  return too_few > 1 ? std::max(too_few, half / will_do) : half / will_do;
}

std::vector<std::size_t> WantMost(std::span<const double> wants) {
  std::vector<std::size_t> order(wants.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::stable_sort(order.begin(), order.end(),
                   [&](std::size_t a, std::size_t b) { return wants[a] > wants[b]; });
  order.resize((order.size() + 3) / 4);
  return order;
}

bool IsUnstable(std::span<const Nanos> samples, double noise) {
  const MedianInterval interval = IntervalOfMedian(samples);
  if ((interval.high - interval.low) / 2 <= kClockIsCoarse) return false;
  return interval.HalfWidth() > std::max(noise, kUnstableFrom);
}

std::vector<Nanos> Thinned(std::span<const Nanos> samples, std::size_t most) {
  TANDEM_CHECK(most % 2 == 1 && most > 1, "an odd number of samples has a middle");
  std::vector<Nanos> kept(samples.begin(), samples.end());
  if (kept.size() <= most) return kept;
  const std::size_t last = kept.size() - 1;
  for (std::size_t i = 0; i < most; ++i) kept[i] = kept[i * last / (most - 1)];
  kept.resize(most);
  return kept;
}

}  // namespace tandem
