// How many requests of a stream come within so long, whatever its phase.
#pragma once

#include <cstdint>
#include <string>

#include "scenarios/arrivals/stream.h"

namespace tandem {

struct Coming {
  std::int64_t period = 0;  // 0: all of `count` may come at once
  Nanos jitter{0};
  std::int64_t count = 0;
  std::string unknown;  // why nobody can tell; empty: as above

  std::int64_t Within(Nanos window) const {  // both ends belong to it
    return period == 0 ? count : (window + jitter).count() / period + 1;
  }
  std::int64_t Before(Nanos end) const {  // the end does not
    return period == 0 ? count : ((end + jitter).count() + period - 1) / period;
  }
};

// Of a stream that hangs on no other; of one that does nothing is known here.
Coming ComingByItself(const Stream& stream);

}  // namespace tandem
