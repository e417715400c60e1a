// Units that share cores or a device: while one of them works, copies or loads, the others may not. A slot
// that has a task and waits, to load or for what others bring, keeps nobody off, and goes on when none of
// the others is at work: so what it waits for can always come.
#pragma once

#include <cstdint>
#include <vector>

#include "policies/engine/occupation.h"
#include "profiles/costs/platform.h"

namespace tandem {

// Per unit those that share cores or a device with it, ascending.
std::vector<std::vector<UnitId>> ExcludedUnits(const Platform& platform);

class Exclusion {
 public:
  explicit Exclusion(const Platform& platform);

  bool on() const { return on_; }  // else nobody ever keeps anybody off
  // Is none of the others at work?
  bool Free(UnitId unit) const { return !on_ || NoOtherWorks(unit); }
  // The slot is at work from now on, or no more; copy engines exclude nobody.
  void Hold(Occupation& slot) {
    if (on_ && !slot.holds && slot.unit.index() < shared_.size()) Change(slot, 1);
  }
  void LetGo(Occupation& slot) {
    if (slot.holds) Change(slot, -1);
  }

 private:
  void Change(Occupation& slot, std::int32_t by);
  bool NoOtherWorks(UnitId unit) const;

  bool on_ = false;
  // Not of units but of what they share: of many units that share one core each knows that core alone.
  std::vector<std::vector<std::int32_t>> shared_;  // per unit: its cores and card that others have, too
  std::vector<std::int32_t> at_work_;              // per such core or card: slots
  std::vector<std::int32_t> own_;                  // per unit: its slots at work
};

}  // namespace tandem
