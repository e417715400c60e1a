#include "device/profiler/samples/slowdown_rounds.h"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <numbers>

#include "profiles/base/statistics.h"

namespace tandem {
namespace {

constexpr double kLeast = 0.1, kMost = 1000, kMostError = 100;

double FourDecimals(double value) { return std::round(value * 1e4) / 1e4; }

// Of the normal distribution: beyond how many deviations so much lies on one side.
double DeviationsFor(double tail) {
  double low = 0, high = 40;
  while (high - low > 1e-9) {
    const double middle = (low + high) / 2;
    (std::erfc(middle / std::numbers::sqrt2) / 2 > tail ? low : high) = middle;
  }
  return low;
}

// Of the median of ascending values: two of them by rank, that far apart, lie to either side of it as often
// as so many deviations do, whatever the distribution (Price and Bonett, 2001).
double StandardErrorOfMedian(const std::vector<double>& values) {
  const auto n = static_cast<double>(values.size());
  const auto rank = static_cast<std::size_t>(std::max(1.0, std::round((n + 1) / 2 - std::sqrt(n))));
  double ways = std::pow(0.5, n), tail = 0;  // that fewer than `rank` values lie below the median
  for (std::size_t below = 0; below < rank; ++below) {
    tail += ways;
    ways *= (n - static_cast<double>(below)) / static_cast<double>(below + 1);
  }
  return (values[values.size() - rank] - values[rank - 1]) / (2 * DeviationsFor(tail));
}

}  // namespace

std::optional<MeasuredSlowdown> SlowdownOf(std::span<const SlowdownRound> rounds) {
  std::vector<double> ratios;  // logarithms: twice as long and half as long are equally far
  for (const SlowdownRound& round : rounds) {
    if (round.alone > 0 && round.beside > 0) ratios.push_back(std::log(round.beside / round.alone));
  }
  if (ratios.empty()) return std::nullopt;
  std::sort(ratios.begin(), ratios.end());
  const double median = (ratios[(ratios.size() - 1) / 2] + ratios[ratios.size() / 2]) / 2;
  MeasuredSlowdown found;
  found.slowdown = FourDecimals(std::clamp(std::exp(median), kLeast, kMost));
  if (ratios.size() > 1) found.error = FourDecimals(std::min(StandardErrorOfMedian(ratios), kMostError));
  return found;
}

std::optional<MeasuredSlowdown> SlowdownOfSums(std::span<const SlowdownRound> rounds) {
  std::vector<double> alone, beside;
  for (const SlowdownRound& round : rounds) {
    if (round.alone <= 0 || round.beside <= 0) continue;
    alone.push_back(round.alone);
    beside.push_back(round.beside);
  }
  if (alone.empty()) return std::nullopt;
  MeasuredSlowdown found;
  found.slowdown = FourDecimals(std::clamp(Mean(beside) / Mean(alone), kLeast, kMost));
  if (alone.size() > 1) {
    const double error =
        std::hypot(StandardErrorOfMean(alone) / Mean(alone), StandardErrorOfMean(beside) / Mean(beside));
    found.error = FourDecimals(std::min(error, kMostError));
  }
  return found;
}

std::optional<MeasuredSlowdown> TurnTimes::Slowdown(std::size_t turn) const {
  std::vector<SlowdownRound> rounds;
  for (std::size_t round = 0; round < times_[turn].size(); ++round) {
    rounds.push_back({times_[0][round], times_[turn][round]});
  }
  return by_sums_ ? SlowdownOfSums(rounds) : SlowdownOf(rounds);
}

void TurnTimes::DropRound() {
  for (std::vector<double>& times : times_) times.pop_back();
}

bool TurnTimes::KnownTo(double error) const {
  for (std::size_t turn = 1; turn < times_.size(); ++turn) {
    const auto found = Slowdown(turn);
    if (!found || found->error.value_or(kMostError) > error) return false;
  }
  return true;
}

bool KnownTo(double error, std::span<const TurnTimes> pieces) {
  return std::all_of(pieces.begin(), pieces.end(),
                     [&](const TurnTimes& piece) { return piece.KnownTo(error); });
}

void DropRound(std::span<TurnTimes> pieces) {
  for (TurnTimes& piece : pieces) piece.DropRound();
}

}  // namespace tandem
