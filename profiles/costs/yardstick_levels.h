// What yardsticks read while profiles were measured: what readings on a device are held against.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "profiles/costs/profile.h"

namespace tandem {

// By unit: read alone, and while others had theirs, where that is known.
struct YardstickLevels {
  std::map<std::string, Nanos> alone, at_once;
};
// Of several profiles that know a unit the first one's.
YardstickLevels LevelsOf(const std::vector<Profile>& profiles);

}  // namespace tandem
