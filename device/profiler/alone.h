// Measures each model alone on each unit while the others idle: whole, inside, in groups, in layers; warm,
// with empty caches, through a mapping, by the unit's own clock.
#pragma once

#include "device/profiler/bench/bench.h"
#include "device/profiler/bench/watch.h"

namespace tandem {

// Fills `samples`, goes on with what is in there. The sources are measured in turns, in random order; each
// until its medians are known as well as asked or its time is up. `budget` 0: two seconds for each source.
// Gives the time that measuring took; loading and compiling models comes on top of it.
Nanos MeasureAlone(const ProfileOrder& request, ProfilerBench& bench, Nanos budget, ProfilerWatch& watch,
                   ProfilerSamples& samples);

}  // namespace tandem
