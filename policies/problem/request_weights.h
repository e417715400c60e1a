// How much each stream weighs where a policy divides work before the run.
#pragma once

#include <vector>

#include "scenarios/scenario/scenario.h"

namespace tandem {

// Per stream the requests that count: all of them, of a closed stream what it has in flight, of a dependent
// one its root's count times the probability, rounded.
std::vector<double> RequestWeights(const Scenario& scenario);

}  // namespace tandem
