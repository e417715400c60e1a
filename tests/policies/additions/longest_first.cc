// Longest job first: an idle unit takes the task with the greatest profiled time on it.
// Tie-break: task order. Source: Graham, 1969.
#include "policies/kinds/list_policy.h"

namespace tandem::longest_first {
namespace {

Prepared Make(const PolicySpec&, const Problem& problem) {
  return std::make_unique<ListPolicy>(problem, [&problem](UnitId unit, StreamId, SegmentId segment) {
    return LaneRule{.takes = true, .rank = -problem.Time(segment, unit).count()};
  });
}

const PolicyRegistration kLongestFirst{{.name = "longest_first",
                                        .summary = "an idle unit takes the task that is longest on it",
                                        .waiting = Waiting::kShared,
                                        .make = Make}};

}  // namespace
}  // namespace tandem::longest_first
