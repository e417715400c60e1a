// Measures what copies between the first memory and the units' own take, both ways, by size.
#pragma once

#include <cstdint>
#include <vector>

#include "device/profiler/bench/bench.h"
#include "device/profiler/bench/watch.h"

namespace tandem {

// Fills `samples`, goes on with what is in there: for each link of the platform that joins the two, from and
// to host memory of the kind that the unit copies from fastest, by the unit itself. All sizes take turns in
// random order, each until its median is known as well as asked or its time is up. `budget` 0: 0.2 seconds
// for each size and direction. What cannot be measured is noted.
void MeasureTransfers(const ProfileOrder& request, ProfilerBench& bench, Nanos budget, ProfilerWatch& watch,
                      ProfilerSamples& samples);

// The bytes that are measured, ascending: powers of four from 1 KiB to the first that holds the largest
// tensor of the models, 64 MiB at most, and what the models take in and give.
std::vector<std::int64_t> TransferSizes(const std::vector<const Model*>& models);

}  // namespace tandem
