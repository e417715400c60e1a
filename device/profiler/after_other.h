// Measures what another model costs that its unit runs in between: what a model needs has left the caches.
#pragma once

#include "device/profiler/bench/bench.h"
#include "device/profiler/bench/watch.h"

namespace tandem {

// Each model on each unit that runs more than one, whole and as it is cut: right after itself, and right
// after each other in turn. Adds to `samples`, goes on with what is finished there. `budget` 0: as many
// rounds as there are others, and at least a few; else fewer where they would take longer.
void MeasureAfterOther(const ProfileOrder& request, ProfilerBench& bench, Nanos budget, ProfilerWatch& watch,
                       ProfilerSamples& samples, const AwaitState& await = {});

}  // namespace tandem
