// Where tasks of streams run that nobody manages: each as an application of its own, on the unit that is
// fastest for it.
#pragma once

#include <string>
#include <vector>

#include "policies/problem/problem.h"

namespace tandem {

// The unit with the least profiled time, of equals the first. Where units share cores or a device, one whose
// time is shared stands for them: nobody divides what is there. Invalid: none can run it.
UnitId FastestLeftAlone(const Problem& problem, SegmentId segment);

// Of cores and GPUs on which several streams would then wait for each other's tasks to end: a sentence each.
// Operating systems and drivers have them take turns, which only a unit does here that is `time_shared` and
// has a slot for each.
std::vector<std::string> WaitsOfNobody(const Problem& problem);

}  // namespace tandem
