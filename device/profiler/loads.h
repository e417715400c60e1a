// Measures what a load from outside costs: each model beside it and alone, in turns.
#pragma once

#include "device/profiler/bench.h"
#include "device/profiler/watch.h"

namespace tandem {

// Fills `samples`, goes on with what is in there. `budget` 0: 1.5 seconds for each model, unit and load, and
// as much again for its groups and layers. Units that cannot be loaded are noted.
void MeasureLoads(const ProfileOrder& request, ProfilerBench& bench, Nanos budget, ProfilerWatch& watch,
                  ProfilerSamples& samples);

// What the means of a few stretches of time, all about equally long, say of a slowdown; pure. `uncertainty`:
// the standard error as a fraction of it.
struct SlowdownByMeans {
  double slowdown = 1;  // median by median
  double uncertainty = 0;
};
SlowdownByMeans SlowdownOfMeans(std::vector<double> alone, std::vector<double> loaded);  // two of each

}  // namespace tandem
