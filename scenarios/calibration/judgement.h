// Is a prediction within its bar: yes, no, or not to be told with so many runs. Noise widens intervals, and
// so leads to the third alone.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>
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

// How many runs would tell, if they scatter as others do: an estimate.
inline constexpr std::int64_t kMostRunsNeeded = 1000;
struct RunsToTell {
  std::optional<std::int64_t> needed;  // at most kMostRunsNeeded
  bool too_many = false;  // more than these would; else, without a number, none would, or nobody knows
};
// None would where the error is the bar's, as far as numbers are rounded; nobody knows where it has no
// interval. `runs`: of which that is.
RunsToTell RunsNeeded(const Estimate& error, double bar, std::int64_t runs, double probability);

// One figure of one policy.
struct Judgement {
  std::optional<Interval> predicted;  // as far as the prediction knows it
  std::optional<Interval> measured;   // of the median
  std::optional<Interval> error;
  BarVerdict verdict = BarVerdict::kUnknown;
  RunsToTell runs;  // where it is unknown
};

// "about 28 runs would tell."
std::string MoreRuns(const RunsToTell& runs);
// " (about 28 runs would)": of those that cannot be told the most that any needs, and of how many of them so
// many would tell; empty where no number is known.
std::string NeededText(const std::vector<const Judgement*>& figures);

// `measured` is the median as it is shown.
Judgement Judged(double predicted, double measured, const Rounds& rounds, std::size_t policy, double bar,
                 double probability);

}  // namespace tandem
