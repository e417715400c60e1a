// PEFT: as HEFT, with what is to come seen ahead: a task comes by the mean over units of its optimistic
// costs, and goes to the unit on which its end and the optimistic cost from there on are least together.
// Tie-break: task order; units in the order of the platform. Source: Arabnejad, Barbosa, 2014.
#include "policies/placing/plan_ahead_policy.h"

namespace tandem::peft {
namespace {

PlacingRule RuleOf(const PlacingGraph& graph) {
  PlacingRule rule;
  rule.ahead = OptimisticCosts(graph);
  for (std::size_t t = 0; t < graph.tasks(); ++t) {
    double sum = 0;
    int units = 0;
    for (std::size_t u = 0; u < graph.units; ++u) {
      if (!graph.Runs(t, u)) continue;
      sum += rule.ahead[t * graph.units + u];
      ++units;
    }
    rule.priority.push_back(units == 0 ? 0 : sum / units);
  }
  return rule;
}

Prepared Make(const PolicySpec&, const Problem& problem) {
  return std::make_unique<PlanAheadPolicy>(problem, RuleOf);
}

const PolicyRegistration kPeft{
    {.name = "peft",
     .summary = "plans ahead: each task where its end and what is to come after it are least together",
     .waiting = Waiting::kOwnOrder,
     .make = Make}};

}  // namespace
}  // namespace tandem::peft
