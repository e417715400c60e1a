// Is a prediction within its bar: yes, no, or not to be told with so many runs. Noise widens intervals, and
// so leads to the third alone.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string_view>
#include <vector>

#include "profiles/base/json_reader.h"
#include "scenarios/calibration/rounds.h"

namespace tandem {

enum class BarVerdict : std::uint8_t { kWithin, kOutside, kUnknown };
inline constexpr std::array<Named<BarVerdict>, 3> kBarVerdictNames = {
    {{"within", BarVerdict::kWithin}, {"outside", BarVerdict::kOutside}, {"unknown", BarVerdict::kUnknown}}};

// Shares: 0.09 is 9 %.
struct ErrorBars {
  double figure = 0.09;      // of makespans, and of other objectives
  double percentile = 0.15;  // of latencies
  double regret = 0.01;
  double probability = 0.9;  // of all intervals
};

// The interval lies inside -bar to bar, or outside, or has a side of it in its midst.
BarVerdict VerdictOf(const std::optional<Interval>& error, double bar);
// Of what somebody loses to the best: whoever is ahead loses nothing.
BarVerdict VerdictOfLoss(const std::optional<Interval>& loss, double bar);

// How many runs would tell, if they scatter as these `runs` do: an estimate. Nothing where so many cannot be
// had, since the error is the bar's, and where nothing is known of how they scatter.
std::optional<std::int64_t> RunsNeeded(const Estimate& error, double bar, std::int64_t runs,
                                       double probability);

// One figure of one policy.
struct Judgement {
  std::optional<Interval> predicted;  // as far as the prediction knows it
  std::optional<Interval> measured;   // of the median
  std::optional<Interval> error;
  BarVerdict verdict = BarVerdict::kUnknown;
  std::optional<std::int64_t> runs_needed;  // where it is unknown
};

// `measured` is the median as it is shown.
Judgement Judged(double predicted, double measured, const Rounds& rounds, std::size_t policy, double bar,
                 double probability);

}  // namespace tandem
