// HLFET: as HEFT, but the way to the end counts the least time of each task, and no transfers.
// Tie-break: task order; units in the order of the platform. Source: Adam, Chandy, Dickson, 1974.
#include <algorithm>

#include "policies/placing/plan_ahead_policy.h"

namespace tandem::hlfet {
namespace {

PlacingRule RuleOf(const PlacingGraph& graph) {
  PlacingRule rule;
  rule.priority.resize(graph.tasks());
  for (std::size_t t = graph.tasks(); t-- > 0;) {
    Nanos least = kLongestTime;
    for (std::size_t u = 0; u < graph.units; ++u) {
      if (graph.Runs(t, u)) least = std::min(least, graph.Time(t, u));
    }
    double rest = 0;
    for (const auto& edge : graph.edges[t]) {
      rest = std::max(rest, rule.priority[static_cast<std::size_t>(edge.to)]);
    }
    rule.priority[t] = static_cast<double>(least.count()) + rest;
  }
  return rule;
}

Prepared Make(const PolicySpec&, const Problem& problem) {
  return std::make_unique<PlanAheadPolicy>(problem, RuleOf);
}

const PolicyRegistration kHlfet{
    {.name = "hlfet",
     .summary = "plans ahead: the longest way of least times first, each task where it ends first",
     .waiting = Waiting::kOwnOrder,
     .make = Make}};

}  // namespace
}  // namespace tandem::hlfet
