// Every policy run again on draws: how far its figures may lie from what is predicted.
#pragma once

#include <functional>
#include <vector>

#include "profiles/program/long_run.h"
#include "sim/study/one_run.h"
#include "sim/study/played.h"

namespace tandem {

// A policy's run as draws repeat it: what it decided before stays decided.
PolicySpec Decided(const PreparedRun& run);

// kIntervals: where nothing is known of how sure a run is, nothing is drawn and its report says why.
// kMediansToo: where profiles have samples, the medians over draws take the place of what the run came out
// as, even where there are no intervals.
enum class Wanted : std::uint8_t { kIntervals, kMediansToo };

// After so many of so many draws: false where they are to end.
using GoesOn = std::function<bool(std::int64_t done, std::int64_t all)>;

// Draws for `reports`, each of the run of the spec at its place, in virtual time: as many as an interval of
// this probability needs, fewer where runs are long. Draw for draw the luck is the same for all of them.
// Nothing is drawn of runs that are not complete, and nothing is told where they are to end.
void AddDraws(const Played& played, const std::vector<PolicySpec>& specs, double probability, Wanted wanted,
              std::vector<Report>& reports, const GoesOn& goes_on);
// With a bar of how far they are.
void AddDraws(const Played& played, const std::vector<PolicySpec>& specs, double probability, Wanted wanted,
              std::vector<Report>& reports, LongRun& watch);

}  // namespace tandem
