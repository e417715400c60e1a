// A run made into a plan: what its policy has decided, or the policy itself, on the problem as it was run.
#pragma once

#include "policies/engine/policy.h"
#include "policies/problem/problem.h"
#include "scenarios/scenario/plan.h"

namespace tandem {

// `policy` is what MakePolicy made of `spec` on `problem`.
Plan MakePlan(const Problem& problem, const PolicySpec& spec, const Policy& policy, PlanPrediction predicted);

}  // namespace tandem
