// What latencies are at least: of requests by themselves, and of all of them on the slots that there are.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "policies/bounds/bound.h"
#include "policies/bounds/certain_work.h"

namespace tandem {

// Of each kind of request: what it takes by itself, and what it weighs by prices of the units' time.
struct KindLoad {
  Nanos chain{0};
  double weight = 0;  // the least of time x price over its tasks
};

// Raises the bound's mean and 99th percentile of the latency. No latency is less than its request's chain.
// And when k requests are complete, the slots have worked off what the k lightest of them weigh, `capacity`
// of it in a nanosecond at most: no request is completed the k-th before that. Any prices prove a bound.
// Nothing where not all requests are certain. Of all times, but not of releases, the least share is left.
void RaiseLatencies(const CertainWork& work, std::span<const KindLoad> kinds, double capacity,
                    double least_share, Bound& bound);

}  // namespace tandem
