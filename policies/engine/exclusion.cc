#include "policies/engine/exclusion.h"

#include <algorithm>
#include <map>
#include <utility>

namespace tandem {
namespace {

// Cores and cards that more than one unit has, and who these are, ascending.
std::vector<std::vector<UnitId>> Sharers(const Platform& platform) {
  std::map<std::pair<bool, std::int64_t>, std::vector<UnitId>> of;  // false: a core, true: a card
  for (std::size_t u = 0; u < platform.units.size(); ++u) {
    const Unit& unit = platform.units[u];
    for (const std::int64_t core : unit.cores) of[{false, core}].emplace_back(u);
    if (unit.device) of[{true, *unit.device}].emplace_back(u);
  }
  std::vector<std::vector<UnitId>> shared;
  for (auto& [what, units] : of) {
    if (units.size() > 1) shared.push_back(std::move(units));
  }
  return shared;
}

}  // namespace

std::vector<std::vector<UnitId>> ExcludedUnits(const Platform& platform) {
  std::vector<std::vector<UnitId>> excluded(platform.units.size());
  for (const std::vector<UnitId>& sharers : Sharers(platform)) {
    for (const UnitId unit : sharers) {
      auto& others = excluded[unit.index()];
      others.insert(others.end(), sharers.begin(), sharers.end());
    }
  }
  for (std::size_t u = 0; u < excluded.size(); ++u) {
    auto& others = excluded[u];
    std::sort(others.begin(), others.end());
    others.erase(std::unique(others.begin(), others.end()), others.end());
    std::erase(others, UnitId(u));
  }
  return excluded;
}

Exclusion::Exclusion(const Platform& platform) : shared_(platform.units.size()), own_(platform.units.size()) {
  for (const std::vector<UnitId>& sharers : Sharers(platform)) {
    for (const UnitId unit : sharers)
      shared_[unit.index()].push_back(static_cast<std::int32_t>(at_work_.size()));
    at_work_.push_back(0);
  }
  on_ = !at_work_.empty();
}

void Exclusion::Change(Occupation& slot, std::int32_t by) {
  slot.holds = by > 0;
  own_[slot.unit.index()] += by;
  for (const std::int32_t what : shared_[slot.unit.index()]) at_work_[static_cast<std::size_t>(what)] += by;
}

bool Exclusion::NoOtherWorks(UnitId unit) const {
  const std::int32_t own = own_[unit.index()];
  return std::ranges::all_of(shared_[unit.index()], [&](std::int32_t what) {
    return at_work_[static_cast<std::size_t>(what)] == own;
  });
}

}  // namespace tandem
