// PEFT: as HEFT, with what is to come seen ahead: a task comes by the mean over units of its optimistic
// costs, and goes to the unit on which its end and the optimistic cost from there on are least together.
// Tie-break: task order; units in the order of the platform. Source: Arabnejad, Barbosa, 2014.
#include "policies/placing/plan_ahead_policy.h"

namespace tandem {
namespace {

std::unique_ptr<Policy> Make(const PolicySpec&, Problem& problem) {
  return std::make_unique<PlanAheadPolicy>(problem, PeftRule);
}

const PolicyRegistration kPeft{
    {.name = "peft",
     .summary = "plans ahead: each task where its end and what is to come after it are least",
     .make = Make}};

}  // namespace
}  // namespace tandem
