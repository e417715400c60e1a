// What measuring takes at the very least, whatever the budget: said before it is waited for.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <utility>

#include "device/profiler/bench.h"

namespace tandem {

struct LeastTime {
  std::int64_t sources = 0;  // that are measured alone
  Nanos prepared{0};         // models were loaded and compiled
  Nanos alone{0};            // the fewest runs of each source
  Nanos beside{0};           // models beside others and under loads
};

// A source whose run takes that long: runs that warm up, and the fewest that count.
Nanos LeastTimeOfSource(Nanos run);

// `runs`: of whole models, by position of unit and model.
Nanos LeastTimeBeside(const ProfileOrder& request, const ProfilerBench& bench,
                      const std::map<std::pair<std::size_t, std::size_t>, Nanos>& runs);

// A sentence where that is more than the budget, and why; else empty.
std::string WhyOverBudget(Nanos budget, const LeastTime& least);

}  // namespace tandem
