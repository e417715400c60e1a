// Room device/profiler/beside: what units, programs and loads cost each other while they run at once.
//
// Measures what units cost each other through the memory and caches that they share: each model beside a
// stressor of known traffic, the traffic that each model itself comes to, models beside each other, and
// beside several others. Where the request wishes groups, all but the last of these for them too.
#pragma once

#include <cstdint>
#include <string>

#include "device/profiler/bench/bench.h"
#include "device/profiler/bench/watch.h"

namespace tandem {

// So many pairs are measured whatever the budget says.
inline constexpr std::int64_t kPairsAlways = 50;

// Fills `samples`, goes on with what is in there. `budget` 0: 1.5 seconds for each model and pair of units.
// What there was no time for is noted.
void MeasureCoRunning(const ProfileOrder& request, ProfilerBench& bench, Nanos budget, ProfilerWatch& watch,
                      ProfilerSamples& samples, const AwaitState& await = {});

// Is any of the units measured beside another?
bool SomeBeside(const ProfileOrder& request, const ProfilerBench& bench);

// Pairs of models on units that may work beside each other, and how many of them were measured. None where
// the request wishes nothing of it.
struct PairsKnown {
  std::int64_t all = 0, measured = 0;
  std::string Text() const;  // "8 of 12 pairs of models were measured beside each other"; empty without any
};
PairsKnown PairsOf(const ProfileOrder& request, const ProfilerBench& bench, const ProfilerSamples& samples);

}  // namespace tandem
