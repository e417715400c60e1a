// Earliest deadline first: an idle unit takes the task whose request has the earliest deadline; requests
// without a deadline come last. A deadline from end to end is one of all requests on which the stream's hang.
// Tie-break: task order. Source: Liu and Layland, 1973; tasks are not interrupted.
#include "policies/kinds/by_deadline.h"

namespace tandem::edf {
namespace {

Prepared Make(const PolicySpec&, const Problem& problem) {
  return ByDeadline(problem, std::vector<Nanos>(problem.segments().size(), Nanos{0}));
}

const PolicyRegistration kEdf{
    {.name = "edf",
     .summary = "an idle unit takes the task with the earliest deadline, those without one last",
     .waiting = Waiting::kShared,
     .make = Make}};

}  // namespace
}  // namespace tandem::edf
