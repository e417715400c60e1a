// Where the times of a sweep's rows come from.
#pragma once

#include <string>
#include <vector>

#include "scenarios/scenario/profile_used.h"
#include "sim/sweep/sweep.h"

namespace tandem {

struct TimesOfSweep {
  std::vector<ProfileUsed> profiles;
  std::vector<std::string> estimated;  // what is taken for want of a measurement, a sentence each
};

// Of the scenarios of all points, none twice. What is wrong with a point its rows say.
TimesOfSweep TimesOf(const Sweep& sweep);

}  // namespace tandem
