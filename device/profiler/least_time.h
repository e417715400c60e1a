// What measuring takes at the very least, whatever the budget: said before it is waited for.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <utility>

#include "device/profiler/bench/bench.h"

namespace tandem {

struct LeastTime {
  std::int64_t sources = 0;  // that are measured alone
  Nanos prepared{0};         // models were loaded and compiled
  Nanos alone{0};            // the fewest runs of each source
  Nanos beside{0};           // parts of layers, models beside others and under loads
};

// A source whose run takes that long: runs that warm up, and the fewest that count.
Nanos LeastTimeOfSource(Nanos run);

// Of whole models, by position of unit and model.
using RunsOfModels = std::map<std::pair<std::size_t, std::size_t>, Nanos>;

// With those that were not run yet, by their operations and the rate of those that were.
RunsOfModels Estimated(RunsOfModels runs, const ProfileOrder& request, const ProfilerBench& bench);
// `compiling`: all cuts of a model on a unit, on average.
Nanos LeastTimeBeside(const ProfileOrder& request, const ProfilerBench& bench, const RunsOfModels& runs,
                      Nanos compiling);

// What all of it takes, about.
Nanos TakesInAll(Nanos budget, const LeastTime& least);

// A sentence where that is more than the budget, and why; else empty.
std::string WhyOverBudget(Nanos budget, const LeastTime& least);

}  // namespace tandem
