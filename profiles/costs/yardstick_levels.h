// What yardsticks read while profiles were measured: what readings on a device are held against.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "profiles/costs/profile.h"

namespace tandem {

// By unit: read alone, and while others had theirs, where that is known; the rows of the work, where they are
// not as many as usual.
struct YardstickLevels {
  std::map<std::string, Nanos> alone, at_once;
  std::map<std::string, std::int64_t> rows = {};
};
// Of several profiles that know a unit the first one's.
YardstickLevels LevelsOf(const std::vector<Profile>& profiles);

}  // namespace tandem
