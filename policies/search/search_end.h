// When a search may end: nothing can be better than what it has.
#pragma once

#include <vector>

#include "policies/problem/problem.h"

namespace tandem {

// Does every unit hold the same from begin to end, whatever is decided?
bool HoldsForGood(const Problem& problem);

// No schedule of any of these problems, nor of other cuts where the scenario may be cut otherwise, has a
// better objective.
double LeastObjective(const Scenario& scenario, const std::vector<const Problem*>& problems);

}  // namespace tandem
