// Runs made once more as a trace, for what shows them beside figures that stand already: the same inputs give
// the same run.
#pragma once

#include <string>
#include <vector>

#include "sim/study/one_run.h"

namespace tandem {

// The text of a trace, a run for each of these policies. `scenario` has a platform.
std::string TraceOf(const Scenario& scenario, Engine engine, const std::vector<PolicySpec>& policies);

}  // namespace tandem
