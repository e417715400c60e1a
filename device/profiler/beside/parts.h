// What both parts of a layer that is split over two units cost each other: they want the same tensors, in the
// same moment, and each unit has made a part of what both read.
#pragma once

#include "device/profiler/bench/bench.h"
#include "device/profiler/bench/watch.h"

namespace tandem {

// In halves, the layers that MeasureParts measures too, of each model on each two units that may work beside
// each other on tensors of one memory. Adds to `samples` the slowdowns of the layers beside themselves, goes
// on with what is finished there. `budget` 0: 1.5 seconds for each model and pair.
void MeasurePartsBeside(const ProfileOrder& request, ProfilerBench& bench, Nanos budget, ProfilerWatch& watch,
                        ProfilerSamples& samples, const AwaitState& await = {});

}  // namespace tandem
