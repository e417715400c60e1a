#include "profiles/costs/yardstick_levels.h"

namespace tandem {
namespace {

using RowsByUnit = std::map<std::string, std::int64_t>;

std::int64_t RowsFor(const RowsByUnit& rows, const std::string& unit) {
  const auto found = rows.find(unit);
  return found == rows.end() ? 0 : found->second;
}

}  // namespace

YardstickLevels LevelsOf(const std::vector<Profile>& profiles) {
  YardstickLevels levels;
  for (const Profile& profile : profiles) {
    const Origin& origin = profile.origin;
    for (const auto& [unit, level] : origin.yardsticks) {
      const std::int64_t rows = RowsFor(origin.yardstick_rows, unit);
      if (levels.alone.emplace(unit, level).second && rows > 0) levels.rows.emplace(unit, rows);
    }
    for (const auto& [unit, level] : origin.yardsticks_at_once) {  // of the same work
      if (RowsFor(origin.yardstick_rows, unit) != RowsFor(levels.rows, unit)) continue;
      levels.at_once.emplace(unit, level);
    }
  }
  return levels;
}

}  // namespace tandem
