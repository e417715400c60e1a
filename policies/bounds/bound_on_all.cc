#include "policies/bounds/bound_on_all.h"

#include <algorithm>

#include "policies/bounds/any_cut.h"

namespace tandem {
namespace {

// Of each figure the less; nothing where one of them has nothing.
Bound LeastOf(const Bound& a, const Bound& b) {
  const auto least = [](const auto& x, const auto& y) {
    return x && y ? std::min(x, y) : std::decay_t<decltype(x)>();
  };
  Bound both = a;
  both.makespan = least(a.makespan, b.makespan);
  both.mean_latency = least(a.mean_latency, b.mean_latency);
  both.p99_latency = least(a.p99_latency, b.p99_latency);
  both.energy = least(a.energy, b.energy);
  both.inferences = a.inferences && b.inferences ? std::max(a.inferences, b.inferences) : std::nullopt;
  if (a.of_requests.size() != b.of_requests.size()) both.of_requests.clear();
  for (std::size_t s = 0; s < both.of_requests.size(); ++s) {
    both.of_requests[s] = std::min(both.of_requests[s], b.of_requests[s]);
  }
  return both;
}

}  // namespace

Bound BoundOnAll(const Scenario& scenario, const WaysToRun& ways, SharperBound sharper) {
  std::optional<Bound> all;
  for (const Problem* problem : ways.problems) {
    Bound bound = LowerBound(*problem, ways.edges);
    if (!bound.makespan) return {std::nullopt, std::nullopt, bound.why_null};
    if (!GoesFaster(scenario)) bound.makespan = sharper(*problem, *bound.makespan, ways.edges);
    all = all ? LeastOf(*all, bound) : bound;
  }
  if (!ways.cuts_freely || !MayBeCut(scenario)) return all.value_or(Bound());
  const Bound free = FreeCutBound(scenario, true);
  if (!free.makespan) return {std::nullopt, std::nullopt, free.why_null};
  return all ? LeastOf(*all, free) : free;
}

}  // namespace tandem
