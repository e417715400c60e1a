#include "profiles/costs/yardstick_levels.h"

namespace tandem {

YardstickLevels LevelsOf(const std::vector<Profile>& profiles) {
  YardstickLevels levels;
  for (const Profile& profile : profiles) {
    const Origin& origin = profile.origin;
    levels.alone.insert(origin.yardsticks.begin(), origin.yardsticks.end());
    levels.at_once.insert(origin.yardsticks_at_once.begin(), origin.yardsticks_at_once.end());
  }
  return levels;
}

}  // namespace tandem
