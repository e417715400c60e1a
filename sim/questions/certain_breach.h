// What bounds say of limits before anything is simulated.
#pragma once

#include "policies/bounds/bound.h"

namespace tandem {

// Does every schedule break a limit of the scenario, whatever a policy decides? By profiled times, as the
// bound is; false: nothing is known.
bool BreaksALimitForCertain(const Scenario& scenario, const Bound& bound);

}  // namespace tandem
