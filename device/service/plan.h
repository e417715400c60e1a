// A plan made ready for a PlanService, and what the service measures as a profile.
#pragma once

#include <string>
#include <vector>

#include "device/harness/harness.h"
#include "device/service/running_medians.h"
#include "policies/kinds/prepared_run.h"
#include "scenarios/scenario/plan.h"

namespace tandem {

// Throws InputError.
PlanFile ReadPlanForService(const std::string& name);
void CheckMadeForHere(const PlanFile& file, const HarnessPlace& place);

// A fixed order goes on from its beginning, and nothing in it is certain to come.
void RepeatFixedOrder(PreparedRun& run);

// The text of a profile/1. Throws InputError where there is no median.
std::string ProfileOfMedians(const Problem& problem, const HarnessPlace& place,
                             const std::vector<RunningMedians::Place>& medians);

}  // namespace tandem
