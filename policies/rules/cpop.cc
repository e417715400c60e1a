// CPOP: a task comes by the length of the longest way that leads through it, on average; the tasks of the
// longest way of all that is placed together go to the one unit that runs them fastest, the others where they
// end first. A task of the way that this unit cannot run goes as the others do; of units that differ in how
// many they can run, those that can run the most are compared. Tie-break: task order; units in the order of
// the platform. Source: Topcuoglu, Hariri, Wu, 2002.
#include "policies/placing/plan_ahead_policy.h"

namespace tandem {
namespace {

std::unique_ptr<Policy> Make(const PolicySpec&, Problem& problem) {
  return std::make_unique<PlanAheadPolicy>(problem, CpopRule, BindCriticalPath);
}

const PolicyRegistration kCpop{
    {.name = "cpop",
     .summary = "plans ahead: the longest way on one unit, the other tasks where they end first",
     .make = Make}};

}  // namespace
}  // namespace tandem
