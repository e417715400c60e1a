// Room policies/rules: the policies, a file each and no header: the list of files is the list of policies.
//
// First come, first served: an idle unit takes the earliest task that it can run.
// Tie-break: task order. Source: study 003.
#include "policies/kinds/list_policy.h"

namespace tandem::fcfs {
namespace {

Prepared Make(const PolicySpec&, const Problem& problem) {
  return std::make_unique<ListPolicy>(problem,
                                      [](UnitId, StreamId, SegmentId) { return LaneRule{.takes = true}; });
}

const PolicyRegistration kFcfs{{.name = "fcfs",
                                .summary = "an idle unit takes the earliest task that it can run",
                                .role = PolicyRole::kBaseline,
                                .waiting = Waiting::kShared,
                                .takes_first = TakesFirst::kEarliest,
                                .make = Make}};

}  // namespace
}  // namespace tandem::fcfs
