#include "profiles/costs/machine_state.h"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <utility>

#include "profiles/base/statistics.h"

namespace tandem {

Nanos ReferenceLevel(std::vector<Nanos> readings) {
  constexpr std::int64_t kTwentieth = 2000;
  return Percentile(std::move(readings), kTwentieth);
}

double OffLevel(Nanos reading, Nanos level) {
  const auto of = static_cast<double>(std::max<std::int64_t>(level.count(), 1));
  return std::abs(static_cast<double>(reading.count()) / of - 1);
}

bool IsReferenceState(Nanos reading, Nanos level) { return OffLevel(reading, level) < kSameState; }

}  // namespace tandem
