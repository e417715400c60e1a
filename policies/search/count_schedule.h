// A schedule from numbers alone: how many requests of each stream each unit runs, whichever they are.
#pragma once

#include <optional>

#include "policies/problem/problem.h"
#include "scenarios/arrivals/random.h"
#include "scenarios/scenario/decisions.h"

namespace tandem {

// For whole models that are all there from the start, or come as others end; else nothing. Units run short
// tasks first; where requests come as others end, those of all streams side by side.
std::optional<FixedSchedule> ScheduleByCounts(const Problem& problem, StreamRandom& random);

}  // namespace tandem
