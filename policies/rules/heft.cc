// HEFT: the task from which the longest way to the end leads on average comes first; it goes to the unit that
// ends it first, into a gap of what is planned there where it fits. Tie-break: task order; units in the order
// of the platform. Source: Topcuoglu, Hariri, Wu, 2002.
#include "policies/placing/plan_ahead_policy.h"

namespace tandem::heft {
namespace {

PlacingRule RuleOf(const PlacingGraph& graph) { return {.priority = UpwardRanks(graph)}; }

Prepared Make(const PolicySpec&, const Problem& problem) {
  return std::make_unique<PlanAheadPolicy>(problem, RuleOf);
}

const PolicyRegistration kHeft{
    {.name = "heft",
     .summary = "plans ahead: the longest way to the end first, each task where it ends first",
     .waiting = Waiting::kOwnOrder,
     .make = Make}};

}  // namespace
}  // namespace tandem::heft
