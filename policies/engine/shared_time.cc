#include "policies/engine/shared_time.h"

#include <algorithm>

namespace tandem {

SharedTime::SharedTime(const Problem& problem) {
  for (const Unit& unit : problem.platform().units) units_.push_back({unit.time_shared});
  on_ = std::any_of(units_.begin(), units_.end(), [](const OfUnit& unit) { return unit.shared; });
  if (on_) had_.resize(problem.places().size());
}

void SharedTime::Until(Nanos now, std::span<const Occupation> slots) {
  OfUnit& unit = units_[slots.front().unit.index()];
  const Nanos passed = now - unit.since;
  unit.since = now;
  if (passed == Nanos{0}) return;
  const auto working =
      std::count_if(slots.begin(), slots.end(), [](const auto& slot) { return slot.working; });
  if (working == 0) return;
  const Nanos each = passed / working;
  Nanos over = passed - each * working;
  for (const Occupation& slot : slots) {
    if (!slot.working) continue;
    const Nanos one = std::min(over, Nanos{1});
    had_[slot.place.index()] += each + one;
    over -= one;
  }
}

}  // namespace tandem
