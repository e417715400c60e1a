// One policy made ready to be run, whatever executes it.
#pragma once

#include <memory>
#include <vector>

#include "policies/engine/policy.h"
#include "policies/problem/problem.h"
#include "scenarios/report/report.h"

namespace tandem {

struct PreparedRun : Prepared {
  const PolicySpec* spec = nullptr;
};

// `scenario` has a platform and costs; it and `spec` outlive the result. Throws InputError.
PreparedRun Prepare(const Scenario& scenario, const PolicySpec& spec);

// What the units hold at the start that cannot hold every model.
std::vector<UnitResidents> ResidentsOf(const Problem& problem);

}  // namespace tandem
