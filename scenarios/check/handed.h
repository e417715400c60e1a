// What requests hand on to those that follow them, in simulated runs: a device has all of it by the first
// memory.
#pragma once

#include "scenarios/check/checked_run.h"

namespace tandem {

// Who made what the request reads: the last task, in topological order, of the one that it follows. Null: it
// reads from the first memory.
const CheckedTask* MakerOfInputs(const CheckedRun& run, const CheckedRequest& request);
// Is what the request's task makes left where it is made?
bool StaysWhereMade(const CheckedRun& run, const CheckedRequest& request, const CheckedTask& task);

}  // namespace tandem
