// What units may hold where a policy chooses it: where searches begin.
#pragma once

#include <vector>

#include "policies/problem/problem.h"

namespace tandem {

ResidentOption ChosenResidents(const Problem& problem);

// Every way to fill the units that leave a choice; the first few where there are many, none where there is no
// choice.
std::vector<ResidentOption> ResidentOptions(const Problem& problem);

}  // namespace tandem
