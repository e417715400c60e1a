// Measures what pauses cost: models run once after their unit has idled for a while.
#pragma once

#include "device/profiler/bench/bench.h"
#include "device/profiler/bench/watch.h"

namespace tandem {

// Fills `samples`, goes on with what is in there: of each unit its two models that take longest, and of any
// model the mean of theirs. The unit sleeps until shortly before and looks at the clock from then on, as the
// harness does. `budget` 0: so many rounds as are usual; else fewer where they would take longer.
void MeasureAfterIdle(const ProfileOrder& request, ProfilerBench& bench, Nanos budget, ProfilerWatch& watch,
                      ProfilerSamples& samples);

}  // namespace tandem
