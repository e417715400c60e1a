#include "scenarios/calibration/judgement.h"

#include <algorithm>
#include <cmath>
#include <string>

namespace tandem {
namespace {

// Of predicted / measured - 1; nothing where what was measured may be 0, unless it surely is what was
// predicted.
std::optional<Interval> ErrorInterval(double predicted, const Interval& measured) {
  if (predicted == measured.low && predicted == measured.high) return Interval{0, 0};
  if (measured.low <= 0) return std::nullopt;
  return Interval{predicted / measured.high - 1, predicted / measured.low - 1};
}

// "about 28 runs"; "more than 1000 runs".
std::string AboutRuns(std::int64_t needed) { return "about " + std::to_string(needed) + " runs"; }
std::string TooManyRuns() { return "more than " + std::to_string(kMostRunsNeeded) + " runs"; }

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

RunsToTell RunsNeeded(const Estimate& error, double bar, std::int64_t runs, double probability) {
  constexpr double kRounding = 1e-9;
  if (!error.interval || runs < 1 || std::abs(std::abs(error.value) - bar) <= kRounding) return {};
  // Of one run the others told how it scatters.
  const auto width = [&](std::int64_t n) {
    return StudentQuantile((1 + probability) / 2, n > 1 ? n - 1 : kMostRunsNeeded) /
           std::sqrt(static_cast<double>(n));
  };
  const double now = width(runs);
  const auto tells = [&](std::int64_t n) {
    const double of_now = width(n) / now;
    const Interval then{error.value - (error.value - error.interval->low) * of_now,
                        error.value + (error.interval->high - error.value) * of_now};
    return VerdictOf(then, bar) != BarVerdict::kUnknown;
  };
  std::int64_t few = runs, enough = kMostRunsNeeded;
  if (few >= enough || !tells(enough)) return {std::nullopt, true};
  while (enough - few > 1) {
    const std::int64_t middle = (few + enough) / 2;
    (tells(middle) ? enough : few) = middle;
  }
  return {enough, false};
}

std::string MoreRuns(const RunsToTell& runs) {
  if (runs.needed) return AboutRuns(*runs.needed) + " would tell.";
  return runs.too_many ? TooManyRuns() + " would tell." : "more runs would not tell.";
}

std::string NeededText(const std::vector<const Judgement*>& figures) {
  std::int64_t unknown = 0, known = 0, too_many = 0, most = 0;
  for (const Judgement* figure : figures) {
    if (figure->verdict != BarVerdict::kUnknown) continue;
    ++unknown;
    if (figure->runs.too_many) ++too_many;
    if (!figure->runs.needed) continue;
    ++known;
    most = std::max(most, *figure->runs.needed);
  }
  if (known == 0 && too_many == 0) return {};
  if (known == unknown) return " (" + AboutRuns(most) + " would)";
  if (too_many == unknown) return " (" + TooManyRuns() + " would)";
  std::string text;
  if (known > 0) text = AboutRuns(most) + " would tell of " + std::to_string(known);
  if (too_many > 0) {
    text += (text.empty() ? "" : ", ") + TooManyRuns() + " would tell of " + std::to_string(too_many);
  }
  return " (" + text + " of these)";
}

Judgement Judged(double predicted, double measured, const Rounds& rounds, std::size_t policy, double bar,
                 double probability) {
  Judgement judgement;
  judgement.measured = rounds.Median(policy);
  if (!judgement.measured) {
    const auto one = rounds.OneRun(policy);
    const auto error = one ? ErrorInterval(predicted, *one) : std::nullopt;
    judgement.runs = RunsNeeded({predicted / measured - 1, error}, bar, 1, probability);
    return judgement;
  }
  // Drift may have set the figure that is shown beside the median without it.
  judgement.measured->low = std::min(judgement.measured->low, measured);
  judgement.measured->high = std::max(judgement.measured->high, measured);
  judgement.error = ErrorInterval(predicted, *judgement.measured);
  judgement.verdict = VerdictOf(judgement.error, bar);
  if (judgement.verdict == BarVerdict::kUnknown && judgement.error) {
    judgement.runs =
        RunsNeeded({predicted / measured - 1, judgement.error}, bar, rounds.runs(policy), probability);
  }
  return judgement;
}

}  // namespace tandem
