// One bound for several ways to run a scenario: the least of theirs.
#pragma once

#include <vector>

#include "policies/bounds/bound.h"

namespace tandem {

struct WaysToRun {
  std::vector<const Problem*> problems;
  OpenEdges edges = OpenEdges::kNo;
  bool cuts_freely = false;  // and any other cut that the profiles have times for
};

// What more is known of one problem's bound: at least `bound`.
using SharperBound = Nanos (*)(const Problem& problem, Nanos bound, OpenEdges edges);

// Of all figures; `sharper` knows more of the makespan alone.
Bound BoundOnAll(const Scenario& scenario, const WaysToRun& ways, SharperBound sharper);

}  // namespace tandem
