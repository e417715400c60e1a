#include "policies/bounds/bound_on_all.h"

#include <algorithm>

#include "policies/bounds/any_cut.h"

namespace tandem {

Bound BoundOnAll(const Scenario& scenario, const WaysToRun& ways, SharperBound sharper) {
  Bound all;
  const auto add = [&](Nanos bound) { all.makespan = std::min(all.makespan.value_or(bound), bound); };
  for (const Problem* problem : ways.problems) {
    const Bound bound = LowerBound(*problem, ways.edges);
    if (!bound.makespan) return {std::nullopt, std::nullopt, bound.why_null};
    add(sharper(*problem, *bound.makespan, ways.edges));
  }
  if (!ways.cuts_freely || !MayBeCut(scenario)) return all;
  const Bound free = FreeCutBound(scenario, true);
  if (!free.makespan) return {std::nullopt, std::nullopt, free.why_null};
  add(*free.makespan);
  return all;
}

}  // namespace tandem
