// What a simulation takes instead of a measurement that is missing. It is told beside the result, so that
// nobody takes an estimate for more than it is.
#pragma once

#include <string>
#include <vector>

#include "policies/problem/problem.h"

namespace tandem {

// A short sentence each, in a fixed order, none twice; empty where everything is measured or stated.
std::vector<std::string> EstimatesOf(const Problem& problem);

// What units that worked beside each other in a run (per unit: did it work?) may have cost each other, and no
// profile says: at most two sentences.
std::vector<std::string> SlowdownsTakenAsNone(const Problem& problem, const std::vector<char>& worked);

// Is there any entry of what one of them costs the other?
bool SlowdownsKnown(const Scenario& scenario, UnitId a, UnitId b);
// Of two units that can meet nobody has measured it, though somebody did measure: their times, or what other
// units cost each other.
bool LacksSlowdowns(const Scenario& scenario, UnitId a, UnitId b);

// Models that a policy which cuts models itself could have shared out over units, were there times of their
// parts: a sentence each.
std::vector<std::string> KeptWhole(const Problem& problem);

}  // namespace tandem
