// Measures what each whole model takes of memory on each unit: while it is made ready and runs for the first
// time, at most, and then as long as it is there.
#pragma once

#include "device/profiler/bench/bench.h"
#include "device/profiler/bench/watch.h"

namespace tandem {

// Fills `samples`, goes on with what is in there. Everything else that the bench has there is dropped. Of
// units that run outside of this process nothing is told, which is noted; of units with a memory of their own
// what their backend counts.
void MeasureMemory(const ProfileOrder& request, ProfilerBench& bench, ProfilerWatch& watch,
                   ProfilerSamples& samples);

}  // namespace tandem
