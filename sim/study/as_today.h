// What there is before anybody plans: every application by itself on all cores, and what a plan gains over
// it.
#pragma once

#include <string>
#include <vector>

#include "profiles/costs/platform.h"
#include "scenarios/calibration/report.h"
#include "scenarios/scenario/policy_spec.h"

namespace tandem {

// The policy that leaves streams to themselves.
const PolicyDeclaration& PolicyOfToday();
// It, before the others where it is not among them.
std::vector<PolicySpec> WithToday(const Scenario& scenario, std::vector<PolicySpec> policies);

// One more unit: all cores of the units that have some, for so many applications at a time, which the
// operating system shares them among. Nothing where one of that kind is there, or no unit has cores.
void AddUnitOfToday(std::int64_t applications, Platform& platform);

// What the named winner gains over it, as measured and as predicted, in a sentence; empty where one of the
// two was not measured.
std::string GainOverToday(const CalibrationReport& report);

}  // namespace tandem
