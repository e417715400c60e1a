// Shortest job first: an idle unit takes the task with the smallest profiled time on it.
// Tie-break: task order. Source: study 003.
#include "policies/kinds/list_policy.h"

namespace tandem::sjf {
namespace {

Prepared Make(const PolicySpec&, const Problem& problem) {
  return std::make_unique<ListPolicy>(problem, [&problem](UnitId unit, StreamId, SegmentId segment) {
    return LaneRule{.takes = true, .rank = problem.Time(segment, unit).count()};
  });
}

const PolicyRegistration kSjf{{.name = "sjf",
                               .summary = "an idle unit takes the task with the smallest profiled time on it",
                               .waiting = Waiting::kShared,
                               .takes_first = TakesFirst::kShortest,
                               .suits_any_residents = true,
                               .make = Make}};

}  // namespace
}  // namespace tandem::sjf
