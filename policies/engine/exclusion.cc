#include "policies/engine/exclusion.h"

#include <algorithm>

namespace tandem {

std::vector<std::vector<UnitId>> ExcludedUnits(const Platform& platform) {
  std::vector<std::vector<UnitId>> excluded(platform.units.size());
  for (std::size_t u = 0; u < platform.units.size(); ++u) {
    for (std::size_t v = 0; v < platform.units.size(); ++v) {
      if (u != v && Exclude(platform.units[u], platform.units[v])) excluded[u].emplace_back(v);
    }
  }
  return excluded;
}

Exclusion::Exclusion(const Platform& platform)
    : others_(ExcludedUnits(platform)), kept_off_(platform.units.size()) {
  on_ = std::any_of(others_.begin(), others_.end(), [](const auto& others) { return !others.empty(); });
}

void Exclusion::Change(Occupation& slot, std::int32_t by) {
  slot.holds = by > 0;
  for (const UnitId other : others_[slot.unit.index()]) kept_off_[other.index()] += by;
}

}  // namespace tandem
