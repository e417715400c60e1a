// A scenario as it is played: by which times policies decide, and which ones tasks take. Where a machine has
// come into another state since its profile, no policy knows of that.
#pragma once

#include <memory>

#include "policies/engine/dispatcher.h"
#include "policies/problem/problem.h"
#include "scenarios/scenario/scenario.h"

namespace tandem {

struct Played {
  // NOLINTNEXTLINE(google-explicit-constructor): most scenarios take what policies decide by
  Played(const Scenario& scenario) : decides(&scenario), takes(&scenario) {}
  Played(const Scenario& decides_by, const Scenario& tasks_take) : decides(&decides_by), takes(&tasks_take) {}

  const Scenario* decides;
  const Scenario* takes;  // as `decides`, but for its profiles
};

// What the tasks of `decided` take, a problem of `played.decides` as a policy has cut and filled it; null
// where that is what was decided by.
std::shared_ptr<const Problem> TakenBy(const Problem& decided, const Played& played);

// Every task at its median of `taken`, which outlives the run; as it is where it is null.
void SetTaken(const Problem* taken, RunOptions& options);

}  // namespace tandem
