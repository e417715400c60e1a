// How much memory a request of several tasks holds at most, whichever units run them, while it runs: known
// before the run, so that it is begun only where it can be finished.
#pragma once

#include <cstdint>
#include <vector>

#include "policies/problem/problem.h"

namespace tandem {

struct RequestPeaks {
  std::vector<std::int64_t> at_once;   // per memory: its tasks run side by side as far as they may
  std::vector<std::int64_t> in_order;  // per memory: one after the other, in topological order
};

RequestPeaks PeaksOf(const Problem& problem, const Cut& cut);

}  // namespace tandem
