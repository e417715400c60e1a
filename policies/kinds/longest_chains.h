// What is still to come of a request from a task on, at best: for rules that rank tasks by it.
#pragma once

#include <vector>

#include "policies/problem/problem.h"

namespace tandem {

// Dispatch and work; Problem::kCannot where the unit does not run the segment.
Nanos OccupationOf(const Problem& problem, SegmentId segment, UnitId unit);

// Per segment the longest chain of segments from it on, each where it takes least.
std::vector<Nanos> LongestChains(const Problem& problem);

}  // namespace tandem
