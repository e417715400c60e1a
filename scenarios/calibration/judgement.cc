#include "scenarios/calibration/judgement.h"

#include <algorithm>
#include <cmath>

namespace tandem {
namespace {

// Of predicted / measured - 1; nothing where what was measured may be 0, unless it surely is what was
// predicted.
std::optional<Interval> ErrorInterval(double predicted, const Interval& measured) {
  if (predicted == measured.low && predicted == measured.high) return Interval{0, 0};
  if (measured.low <= 0) return std::nullopt;
  return Interval{predicted / measured.high - 1, predicted / measured.low - 1};
}

}  // namespace

BarVerdict VerdictOf(const std::optional<Interval>& error, double bar) {
  if (!error) return BarVerdict::kUnknown;
  if (error->low >= -bar && error->high <= bar) return BarVerdict::kWithin;
  if (error->low > bar || error->high < -bar) return BarVerdict::kOutside;
  return BarVerdict::kUnknown;
}

BarVerdict VerdictOfLoss(const std::optional<Interval>& loss, double bar) {
  if (!loss) return BarVerdict::kUnknown;
  if (loss->high <= bar) return BarVerdict::kWithin;
  return loss->low > bar ? BarVerdict::kOutside : BarVerdict::kUnknown;
}

std::optional<std::int64_t> RunsNeeded(const Estimate& error, double bar, std::int64_t runs,
                                       double probability) {
  constexpr std::int64_t kMost = 1000;
  if (!error.interval || runs < 1) return std::nullopt;
  // Of one run the others told how it scatters.
  const auto width = [&](std::int64_t n) {
    return StudentQuantile((1 + probability) / 2, n > 1 ? n - 1 : kMost) / std::sqrt(static_cast<double>(n));
  };
  const double now = width(runs);
  const auto tells = [&](std::int64_t n) {
    const double of_now = width(n) / now;
    const Interval then{error.value - (error.value - error.interval->low) * of_now,
                        error.value + (error.interval->high - error.value) * of_now};
    return VerdictOf(then, bar) != BarVerdict::kUnknown;
  };
  std::int64_t few = runs, enough = kMost;
  if (few >= enough || !tells(enough)) return std::nullopt;
  while (enough - few > 1) {
    const std::int64_t middle = (few + enough) / 2;
    (tells(middle) ? enough : few) = middle;
  }
  return enough;
}

Judgement Judged(double predicted, double measured, const Rounds& rounds, std::size_t policy, double bar,
                 double probability) {
  Judgement judgement;
  judgement.measured = rounds.Median(policy);
  if (!judgement.measured) {
    const auto one = rounds.OneRun(policy);
    const auto error = one ? ErrorInterval(predicted, *one) : std::nullopt;
    judgement.runs_needed = RunsNeeded({predicted / measured - 1, error}, bar, 1, probability);
    return judgement;
  }
  // Drift may have set the figure that is shown beside the median without it.
  judgement.measured->low = std::min(judgement.measured->low, measured);
  judgement.measured->high = std::max(judgement.measured->high, measured);
  judgement.error = ErrorInterval(predicted, *judgement.measured);
  judgement.verdict = VerdictOf(judgement.error, bar);
  if (judgement.verdict == BarVerdict::kUnknown && judgement.error) {
    judgement.runs_needed =
        RunsNeeded({predicted / measured - 1, judgement.error}, bar, rounds.runs(policy), probability);
  }
  return judgement;
}

}  // namespace tandem
