// Whole models once more, alone, between the other measurements: a unit is faster in one stretch of time than
// in the next by more than the runs of a stretch differ, and only stretches that lie apart tell by how much.
#pragma once

#include <string_view>

#include "device/profiler/bench/bench.h"
#include "device/profiler/bench/watch.h"

namespace tandem {

// Adds runs to the sources that MeasureAlone has measured, of each as many as it has had in a stretch so far,
// or as its part of `budget` allows, at least a few. `stretch` names it: what an earlier run has measured of
// it is not measured again. `budget` 0: it is not limited.
void MeasureAgain(const ProfileOrder& request, ProfilerBench& bench, std::string_view stretch, Nanos budget,
                  ProfilerWatch& watch, ProfilerSamples& samples);

inline constexpr std::int64_t kStretchesAgain = 3;
inline constexpr std::int64_t kLeastPassesAgain = 5;
inline constexpr std::string_view kAgain = "again ";  // how what is finished of it begins

}  // namespace tandem
