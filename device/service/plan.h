// A plan made ready for a PlanService, and what the service measures as a profile.
#pragma once

#include <string>
#include <vector>

#include "device/harness/harness.h"
#include "device/service/running_medians.h"
#include "policies/kinds/prepared_run.h"
#include "scenarios/scenario/plan.h"

namespace tandem {

// Throws InputError, also where its units are programs and these are not allowed.
PlanFile ReadPlanForService(const std::string& name, bool allow_commands);

// This machine with the libraries that the plan's platform needs. Throws InputError where the plan was not
// made for it, unless forced.
HarnessHost HostOf(const PlanFile& file, bool force, bool allow_commands);

// What is not as the plan's profiles have it. The units are prepared. `follow`: requests read what those have
// made that they follow.
std::vector<std::string> NoticesOf(const PlanFile& file, const HarnessHost& host, HarnessUnits& units,
                                   bool follow = false);

// The plan's policy. A fixed order goes on from its beginning, and nothing in it is certain to come.
PreparedRun PrepareForService(const PlanFile& file);

// The text of a profile/1. Throws InputError where there is no median.
std::string ProfileOfMedians(const Problem& problem, const HarnessHost& host,
                             const std::vector<RunningMedians::Place>& medians);

}  // namespace tandem
