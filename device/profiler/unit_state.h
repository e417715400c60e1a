// What the yardstick of a unit reads while the unit is measured, and what that says so far.
#pragma once

#include <vector>

#include "device/machine/yardstick.h"
#include "device/profiler/samples.h"

namespace tandem {

inline constexpr std::size_t kTooFewReadings = 10;  // to say what state is the reference

class UnitState {
 public:
  // `read` may be empty: the unit has none. Both outlive it; readings of an earlier run count.
  // In `timed` they stand with when they were taken.
  UnitState(const ReadYardstick& read, std::vector<Nanos>& readings,
            std::vector<TimedReading>* timed = nullptr, bool at_once = false);

  // On the unit's thread. 0: it has no yardstick.
  Nanos Read();
  // The reference state's, as far as it is known; 0: it has no yardstick.
  Nanos level() const { return level_; }
  // Is the unit in a state whose samples will count? Yes while too few readings say what that is.
  bool WorthMeasuring(Nanos reading) const;

 private:
  void FindLevel();

  const ReadYardstick* read_;
  std::vector<Nanos>* readings_;
  std::vector<TimedReading>* timed_;
  bool at_once_;
  Nanos level_{0};
  std::size_t judged_ = 0;  // so many readings
};

}  // namespace tandem
