// What a simulation takes instead of a measurement that is missing. It is told beside the result, so that
// nobody takes an estimate for more than it is.
#pragma once

#include <string>
#include <vector>

#include "policies/problem/problem.h"

namespace tandem {

// A short sentence each, in a fixed order, none twice; empty where everything is measured or stated.
std::vector<std::string> EstimatesOf(const Problem& problem);

// Models that a policy which cuts models itself could have shared out over units, were there times of their
// parts: a sentence each.
std::vector<std::string> KeptWhole(const Problem& problem);

}  // namespace tandem
