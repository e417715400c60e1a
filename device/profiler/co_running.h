// Measures what units cost each other through the memory and caches that they share: each model beside a
// stressor of known traffic, the traffic that each model itself comes to, and models beside each other.
#pragma once

#include "device/profiler/bench.h"
#include "device/profiler/watch.h"

namespace tandem {

// Fills `samples`, goes on with what is in there. `budget` 0: 1.5 seconds for each model and pair of units.
void MeasureCoRunning(const ProfileOrder& request, ProfilerBench& bench, Nanos budget, ProfilerWatch& watch,
                      ProfilerSamples& samples);

}  // namespace tandem
