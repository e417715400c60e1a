#include "policies/bounds/coming.h"

#include <algorithm>

namespace tandem {

Coming ComingByItself(const Stream& stream) {
  Coming coming;
  if (const auto* periodic = std::get_if<PeriodicArrival>(&stream.arrival)) {
    coming.period = std::max<std::int64_t>(periodic->period_ns / periodic->divisor, 1);
    coming.jitter = periodic->jitter;
  } else if (std::holds_alternative<OfflineArrival>(stream.arrival) && stream.until.duration == Nanos{0}) {
    coming.count = stream.until.count;
  } else {
    coming.unknown = std::holds_alternative<DependentArrival>(stream.arrival)
                         ? "its requests follow others"
                         : "its requests may come at any time";
  }
  return coming;
}

}  // namespace tandem
