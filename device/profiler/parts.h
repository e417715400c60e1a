// Measures parts of layers that can be split, each alone on its unit: both parts of a split, one after the
// other.
#pragma once

#include "device/profiler/bench/bench.h"
#include "device/profiler/bench/watch.h"

namespace tandem {

// What the request's wish says; without names those of which `samples` has groups and layers that take long
// enough. Adds to the parts in `samples` and leaves out what is in `finished` there. `budget` 0: a second for
// each way to split a model.
void MeasureParts(const ProfileOrder& request, ProfilerBench& bench, Nanos budget, ProfilerWatch& watch,
                  ProfilerSamples& samples);

}  // namespace tandem
