// What each slot has of a unit whose time its slots share: the unit draws its power once, however many work.
#pragma once

#include <span>
#include <vector>

#include "policies/engine/occupation.h"
#include "policies/problem/problem.h"

namespace tandem {

// Those that work at one time have equal parts of it, in whole nanoseconds; of what is over each of the first
// ones has one more. So all parts together are the time that any of them worked.
class SharedTime {
 public:
  explicit SharedTime(const Problem& problem);

  // Does any unit share its time?
  bool on() const { return on_; }
  bool Has(UnitId unit) const { return unit.index() < units_.size() && units_[unit.index()].shared; }
  // Before one of the slots, all of such a unit, begins to work at `now`, or ends.
  void Until(Nanos now, std::span<const Occupation> slots);
  // The slot takes another task.
  void Begin(PlaceId place) { had_[place.index()] = Nanos{0}; }
  // What it has had since then.
  Nanos Of(PlaceId place) const { return had_[place.index()]; }

 private:
  struct OfUnit {
    bool shared = false;
    Nanos since{0};  // what was before is divided
  };
  std::vector<OfUnit> units_;
  std::vector<Nanos> had_;  // per place
  bool on_;
};

}  // namespace tandem
