// Where work goes on: a place is one slot of one unit. Those of the platform's units come first, in their
// order; the copy engines follow as units of one place each.
#pragma once

#include <cstdint>
#include <vector>

#include "profiles/base/ids.h"
#include "profiles/costs/platform.h"

namespace tandem {

using SlotId = Id<struct SlotTag>;
using PlaceId = Id<struct PlaceTag>;

class Places {
 public:
  explicit Places(const Platform& platform) {
    for (const Unit& unit : platform.units) Add(static_cast<std::size_t>(unit.slots));
    of_units_ = unit_.size();
    for (const Link& link : platform.links) {
      if (link.engine) Add(1);
    }
  }

  std::size_t size() const { return unit_.size(); }
  std::size_t of_units() const { return of_units_; }  // without the engines
  std::size_t units() const { return first_.size() - 1; }
  std::size_t slots(UnitId unit) const { return first_[unit.index() + 1] - first_[unit.index()]; }

  PlaceId First(UnitId unit) const { return PlaceId(first_[unit.index()]); }
  PlaceId At(UnitId unit, SlotId slot) const { return PlaceId(first_[unit.index()] + slot.index()); }
  UnitId UnitOf(PlaceId place) const { return unit_[place.index()]; }
  SlotId SlotOf(PlaceId place) const { return SlotId(place.index() - first_[UnitOf(place).index()]); }

 private:
  void Add(std::size_t slots) {
    unit_.insert(unit_.end(), slots, UnitId(first_.size() - 1));
    first_.push_back(unit_.size());
  }

  std::vector<std::size_t> first_ = {0};  // per unit and engine; one more at the end
  std::vector<UnitId> unit_;              // per place
  std::size_t of_units_ = 0;
};

}  // namespace tandem
