// How good a run is by the scenario's objective, for a search to compare many of them.
#pragma once

#include <compare>

#include "scenarios/scenario/scenario.h"
#include "scenarios/trace/outcome.h"

namespace tandem {

// The smaller the better. `tie` tells apart what the objective calls equal, and leads a search on.
struct ScheduleCost {
  double value = 0;
  double tie = 0;
  friend auto operator<=>(const ScheduleCost&, const ScheduleCost&) = default;
};

ScheduleCost CostOf(const Scenario& scenario, const Outcome& outcome);

}  // namespace tandem
