// What units may hold where a policy chooses it, and how identical requests may be divided over units: where
// searches begin.
#pragma once

#include <optional>
#include <vector>

#include "policies/problem/problem.h"
#include "scenarios/arrivals/random.h"
#include "scenarios/scenario/decisions.h"

namespace tandem {

using ResidentOption = std::vector<std::optional<std::vector<ModelId>>>;  // per unit; nothing: no choice

ResidentOption ChosenResidents(const Problem& problem);

// Every way to fill the units that leave a choice; the first few where there are many, none where there is no
// choice.
std::vector<ResidentOption> ResidentOptions(const Problem& problem);

// The units that leave a choice hold this from now on; false where one has no room for it.
bool Hold(const ResidentOption& option, Problem& problem);

// The same; false also where something then runs nowhere.
bool Choose(const ResidentOption& option, Problem& problem);

}  // namespace tandem
