// When a thread that is to have a certain share of a core works, and when it sleeps. Nothing here looks at a
// clock.
#pragma once

#include <optional>

#include "profiles/base/time.h"

namespace tandem {

class DutyCycle {
 public:
  // From `begin` on `share` (0..1) of every period, as processor time of the thread's own. What it did not
  // get in one period, since others had the core, it takes in the next ones, as far as it is not too much.
  DutyCycle(double share, Nanos period, Nanos begin);

  // At the time `now`, having had `used` of the processor since the cycle was made: nothing, it has to work
  // on; else the time until which it sleeps.
  std::optional<Nanos> SleepUntil(Nanos now, Nanos used);

 private:
  Nanos work_, period_, begin_;  // work_: in one period
  Nanos forgiven_{0};
};

// How many threads have to share a load of so many percent (0..99) of a core, so that a scheduler that is
// fair to all of them and to one more that never sleeps gives them as much.
int ThreadsForLoad(std::int64_t load_pct);

}  // namespace tandem
