// Least slack: an idle unit takes the task with the least time to spare: its request's deadline less now less
// what the request still needs from this task on, the longest chain of fastest times, dispatch included.
// Requests without a deadline come last. A deadline from end to end is one of all requests on which the
// stream's hang, less the chains of those between. Tie-break: task order. Source: Mok, 1983; tasks are not
// interrupted.
#include "policies/kinds/by_deadline.h"
#include "policies/kinds/longest_chains.h"

namespace tandem::lst {
namespace {

// `now` is the same for all that wait, so the order is by deadline less chain.
Prepared Make(const PolicySpec&, const Problem& problem) {
  return ByDeadline(problem, LongestChains(problem));
}

const PolicyRegistration kLst{
    {.name = "lst",
     .summary = "an idle unit takes the task with the least slack: deadline - now - the longest chain of "
                "fastest times from it on; those without a deadline last",
     .waiting = Waiting::kShared,
     .make = Make}};

}  // namespace
}  // namespace tandem::lst
