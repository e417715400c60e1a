// Measures what a load from outside costs: each model beside it and alone, in turns.
#pragma once

#include "device/profiler/bench/bench.h"
#include "device/profiler/bench/watch.h"

namespace tandem {

// Fills `samples`, goes on with what is in there. `budget` 0: 1.5 seconds for each model, unit and load, and
// as much again for its groups and layers. Units that cannot be loaded are noted.
void MeasureLoads(const ProfileOrder& request, ProfilerBench& bench, Nanos budget, ProfilerWatch& watch,
                  ProfilerSamples& samples, const AwaitState& await = {});

}  // namespace tandem
