// Measures what tasks cost each other that share a unit's time: processor sharing is fair in theory alone.
#pragma once

#include "device/profiler/bench/bench.h"
#include "device/profiler/bench/watch.h"
#include "device/profiler/beside/sharer.h"

namespace tandem {

// Each model on each unit that is `time_shared`, alone and beside itself on 2, 3, ... of its slots; of others
// that own no cores, whose slots are to cost each other nothing, what they do is noted. Adds to
// `samples`, goes on with what is finished there. `budget` 0: a second for each number of them. They are
// threads of this program; those that share a unit's time also, with a `start`, programs of their own.
void MeasureSharing(const ProfileOrder& request, ProfilerBench& bench, Nanos budget, const StartSharer& start,
                    ProfilerWatch& watch, ProfilerSamples& samples, const AwaitState& await = {});

// Is there such a unit?
bool SomeShare(const ProfilerBench& bench);

}  // namespace tandem
