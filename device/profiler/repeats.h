// Measures what groups and layers take that a unit runs for request after request, not through the network:
// their weights are in the caches still, what they read was made longer ago.
#pragma once

#include "device/profiler/bench/bench.h"
#include "device/profiler/bench/watch.h"

namespace tandem {

// Each model on each unit, in groups and in layers where these are asked for: each part of it for one request
// after the other, with the part that follows in between, and with a quarter of the network. Adds to
// `samples`, goes on with what is finished there. `budget` 0: as many rounds as it takes; else fewer where
// they would take longer.
void MeasureRepeats(const ProfileOrder& request, ProfilerBench& bench, Nanos budget, ProfilerWatch& watch,
                    ProfilerSamples& samples, const AwaitState& await = {});

}  // namespace tandem
