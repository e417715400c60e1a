// What the yardstick of a unit reads while the unit is measured, whether its clocks are held back meanwhile,
// and what that says so far.
#pragma once

#include <vector>

#include "device/host/heat.h"
#include "device/machine/yardstick.h"
#include "device/profiler/bench/bench.h"
#include "device/profiler/samples/samples.h"

namespace tandem {

// Where is asked whether clocks are held back for the heat, and where that is kept, per reading.
struct HeatBeside {
  const ClockLimits* limits = nullptr;  // none or an empty one: nothing tells
  std::vector<bool>* held_back = nullptr;
};

class UnitState {
 public:
  // `read` may be empty: the unit has none. All of it outlives it; readings of an earlier run count.
  // In `timed` they stand with when they were taken.
  UnitState(const ReadYardstick& read, std::vector<Nanos>& readings,
            std::vector<TimedReading>* timed = nullptr, bool at_once = false, HeatBeside heat = {});
  // Of that unit of the bench; `at_once`: read while others read theirs.
  UnitState(ProfilerBench& bench, std::size_t unit, ProfilerSamples& samples, bool at_once = false);

  // On the unit's thread.
  StateReading Read();
  // What the yardstick takes in the reference state, as far as it is known; 0: the unit has none.
  Nanos level() const { return level_; }
  // Are clocks held back in that state?
  bool hot() const { return hot_; }
  // Is the unit in a state whose samples will count? Yes while too few readings say what that is.
  bool WorthMeasuring(const StateReading& reading) const;
  // How far from such a state, as a fraction; 0: in one.
  double Off(const StateReading& reading) const;

 private:
  std::size_t Seen() const;
  void Judge();

  const ReadYardstick* read_;
  std::vector<Nanos>* readings_;
  std::vector<TimedReading>* timed_;
  bool at_once_;
  HeatBeside heat_;
  Nanos level_{0};
  bool hot_ = false;
  std::size_t judged_ = 0;  // so many readings
};

}  // namespace tandem
