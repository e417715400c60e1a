// Earliest deadline first: an idle unit takes the task whose request has the earliest deadline; requests
// without a deadline come last. Tie-break: task order. Source: Liu and Layland, 1973; tasks are not
// interrupted.
#include "policies/kinds/list_policy.h"

namespace tandem::edf {
namespace {

Prepared Make(const PolicySpec&, const Problem& problem) {
  return std::make_unique<ListPolicy>(problem, [&problem](UnitId, StreamId stream, SegmentId) {
    const auto& deadline = problem.scenario().streams[stream.index()].deadline;
    return deadline ? LaneRule{.takes = true, .rank = 0, .offset = *deadline}
                    : LaneRule{.takes = true, .rank = 1};
  });
}

const PolicyRegistration kEdf{
    {.name = "edf",
     .summary = "an idle unit takes the task with the earliest deadline, those without one last",
     .waiting = Waiting::kShared,
     .make = Make}};

}  // namespace
}  // namespace tandem::edf
