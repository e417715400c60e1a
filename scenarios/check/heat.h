// When heat held units back, reckoned from what they did. Of simulated runs.
#pragma once

#include <vector>

#include "scenarios/scenario/scenario.h"

namespace tandem {

// From then on, until the next one, the unit goes at this share of its full speed.
struct CheckedSpeed {
  Nanos at{0};
  double speed = 1;
};

// To what heat held the unit back, ascending, from 0 on. `goes`: at what speed, heat aside, it was at work;
// 0: it idled. Ascending, each another speed than the one before it.
std::vector<CheckedSpeed> HeldBackByHeat(const UnitHeat& heat, const std::vector<CheckedSpeed>& goes);

}  // namespace tandem
