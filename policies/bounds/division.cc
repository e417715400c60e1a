#include "policies/bounds/division.h"

#include <algorithm>
#include <bit>
#include <cmath>

#include "profiles/base/check.h"

namespace tandem {
namespace {

__extension__ using Wide = __int128;

constexpr int kWideBits = 126;
constexpr int kBalancingRounds = 400;
constexpr std::int64_t kMostTime = std::int64_t{1} << 62;

int Bits(std::int64_t value) { return static_cast<int>(std::bit_width(static_cast<std::uint64_t>(value))); }

// By how many bits weights must shrink so that no sum below leaves 128 bits.
int BitsToDrop(std::span<const WorkClass> classes, std::int64_t most_weight) {
  int bits = 0;
  for (const WorkClass& work : classes) {
    std::int64_t longest = 0;
    for (const Nanos time : work.time) longest = std::max<std::int64_t>(longest, time.count());
    bits = std::max(bits, Bits(work.count) + Bits(longest));
  }
  return std::max(0, bits + Bits(static_cast<std::int64_t>(classes.size())) + Bits(most_weight) - kWideBits);
}

// The unit where the class costs least at these weights.
std::size_t Cheapest(const WorkClass& work, std::span<const double> weights) {
  std::size_t best = work.time.size();
  double least = 0;
  for (std::size_t u = 0; u < work.time.size(); ++u) {
    if (work.time[u] < Nanos{0}) continue;
    const double cost = static_cast<double>(work.time[u].count()) * weights[u];
    if (best < work.time.size() && cost >= least) continue;
    best = u;
    least = cost;
  }
  TANDEM_CHECK(best < work.time.size(), "work that is divided runs on some unit");
  return best;
}

}  // namespace

Nanos ProvedDivision(std::span<const WorkClass> classes, std::span<const std::int64_t> slots,
                     std::span<const std::int64_t> weights) {
  const int drop = BitsToDrop(classes, *std::max_element(weights.begin(), weights.end()));
  Wide work_sum = 0, weight_sum = 0;
  for (std::size_t u = 0; u < slots.size(); ++u) weight_sum += Wide{slots[u]} * (weights[u] >> drop);
  if (weight_sum == 0) return Nanos{0};
  for (const WorkClass& work : classes) {
    Wide least = -1;
    for (std::size_t u = 0; u < slots.size(); ++u) {
      if (work.time[u] < Nanos{0}) continue;
      const Wide cost = Wide{work.time[u].count()} * (weights[u] >> drop);
      least = least < 0 ? cost : std::min(least, cost);
    }
    TANDEM_CHECK(least >= 0, "work that is divided runs on some unit");
    work_sum += work.count * least;
  }
  return Nanos{static_cast<std::int64_t>(std::min<Wide>(work_sum / weight_sum, kMostTime))};
}

std::vector<std::int64_t> WholeWeights(std::span<const double> weights) {
  const double most = *std::max_element(weights.begin(), weights.end());
  std::vector<std::int64_t> whole(weights.size(), 1);
  if (!(most > 0)) return whole;
  for (std::size_t u = 0; u < weights.size(); ++u) {
    const double share = std::clamp(weights[u] / most, 0.0, 1.0);
    whole[u] = static_cast<std::int64_t>(std::floor(share * static_cast<double>(kMostWeight) + 0.5));
  }
  return whole;
}

std::vector<std::int64_t> BalancedWeights(std::span<const WorkClass> classes,
                                          std::span<const std::int64_t> slots) {
  std::vector<double> weights(slots.size(), 1.0);
  std::vector<std::int64_t> best = WholeWeights(weights);
  Nanos best_bound = ProvedDivision(classes, slots, best);
  for (int round = 0; round < kBalancingRounds; ++round) {
    std::vector<double> load(slots.size());
    double cost = 0, weight_sum = 0;
    for (const WorkClass& work : classes) {
      const std::size_t u = Cheapest(work, weights);
      load[u] += static_cast<double>(work.time[u].count()) * static_cast<double>(work.count);
    }
    for (std::size_t u = 0; u < slots.size(); ++u) {
      cost += load[u] * weights[u];
      weight_sum += weights[u] * static_cast<double>(slots[u]);
    }
    if (!(cost > 0)) break;
    const double step = 1.0 / (2.0 + 0.1 * round);
    for (std::size_t u = 0; u < slots.size(); ++u) {
      const double excess = load[u] / static_cast<double>(slots[u]) * weight_sum / cost - 1;
      weights[u] *= 1 + step * std::clamp(excess, -0.5, 1.0);
    }
    const std::vector<std::int64_t> whole = WholeWeights(weights);
    const Nanos bound = ProvedDivision(classes, slots, whole);
    if (bound <= best_bound) continue;
    best_bound = bound;
    best = whole;
  }
  return best;
}

}  // namespace tandem
