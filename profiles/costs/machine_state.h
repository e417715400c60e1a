// The state that a unit is in, as its yardstick tells: a fixed piece of work, timed again and again. A busy
// neighbour on the core's other thread, a clock that is held down, slow all work there by about as much.
#pragma once

#include <vector>

#include "profiles/base/time.h"

namespace tandem {

inline constexpr double kSameState = 0.08;  // readings that differ by less are of one state

// What it reads in the state that counts, undisturbed: the 20th percentile of at least one reading. A state
// that holds for a fifth of the time is found, and a few readings that are too short do not make one.
Nanos ReferenceLevel(std::vector<Nanos> readings);
// |reading / level - 1|.
double OffLevel(Nanos reading, Nanos level);
bool IsReferenceState(Nanos reading, Nanos level);

// What a file may say of a slowdown: beyond it a unit did nothing, or nobody read well.
inline constexpr double kLeastSlowdownOfState = 0.01, kMostSlowdownOfState = 1000;

// For so long all work there took `slowdown` times as long as in the reference state.
struct MachineStretch {
  Nanos lasts{0};
  double slowdown = 1;
  friend bool operator==(const MachineStretch&, const MachineStretch&) = default;
};
using MachineCourse = std::vector<MachineStretch>;

}  // namespace tandem
