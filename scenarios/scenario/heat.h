// Units that their own work makes warm, and that are held back where they get too warm.
#pragma once

#include "profiles/base/ids.h"
#include "profiles/base/time.h"

namespace tandem {

// Warmth is a share of how warm work at full speed would make the unit in the end. Work takes it towards the
// speed at which the unit works, whatever sets that, idling towards 0: after each `time_constant` 1/e of the
// difference is left. From `hot` on the unit is held back to `speed` of what it has otherwise, until it has
// cooled down to `cool`.
struct UnitHeat {
  UnitId unit;
  Nanos time_constant{0};
  double hot = 1, cool = 0, speed = 1;
  double warmth = 0;  // at the start
};

// Of hot: how near `cool` may be, where a unit would do little else than change its speed, and what it
// usually is.
inline constexpr double kMostCool = 0.99, kUsualCool = 0.95;

}  // namespace tandem
