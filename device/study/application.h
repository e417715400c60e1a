// One of the applications of a plan that nobody manages (device/harness/applications.h): it runs one stream
// of the plan, each run at the date that it is told.
#pragma once

#include <functional>
#include <string>

#include "device/harness/harness.h"

namespace tandem {

// The plan at that place, for that stream alone: "0:camera". Throws InputError where there is none.
PlanFile PlanOfApplication(const RunOrder& request, const std::string& place_and_stream);

// Says "ready" on standard output, and is told there what to do: "begin NANOS", by the steady clock, is
// answered by "ended", and "tell" by a run-result/1 in one line; then it is ready again. The other end
// closed, or anything else: it is to go. Returns the exit status.
int RunAsApplication(PlanFile plan, RunSettings settings, HarnessHost host);

}  // namespace tandem
