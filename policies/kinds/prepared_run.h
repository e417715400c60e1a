// One policy made ready to be run, whatever executes it.
#pragma once

#include <memory>
#include <vector>

#include "policies/engine/policy.h"
#include "policies/problem/problem.h"
#include "scenarios/report/report.h"

namespace tandem {

// A policy that is ready to decide, on the problem as it has chosen the residents. Good for one run.
struct PreparedRun {
  const PolicySpec* spec = nullptr;
  std::unique_ptr<Problem> problem;
  std::unique_ptr<Policy> policy;
};

// `scenario` has a platform and costs; it and `spec` outlive the result. Throws InputError.
PreparedRun Prepare(const Scenario& scenario, const PolicySpec& spec);

// What the units hold at the start that cannot hold every model.
std::vector<UnitResidents> ResidentsOf(const Problem& problem);

}  // namespace tandem
