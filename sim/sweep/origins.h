// Where the times of a sweep's rows come from.
#pragma once

#include <vector>

#include "scenarios/scenario/profile_used.h"
#include "sim/sweep/sweep.h"

namespace tandem {

// The profiles of the scenarios of all points, none twice. What is wrong with a point its rows say.
std::vector<ProfileUsed> ProfilesOfSweep(const Sweep& sweep);

}  // namespace tandem
