// An interval as JSON has it: [low, high], or null.
#pragma once

#include <optional>
#include <vector>

#include "profiles/base/fields.h"
#include "scenarios/report/replication.h"

namespace tandem {

using Limits = std::optional<std::vector<double>>;

inline Limits LimitsOf(const std::optional<Interval>& interval) {
  return interval ? Limits({interval->low, interval->high}) : std::nullopt;
}
inline CodecOf<Limits> LimitsOrNull() { return as::OrNull(as::ListOf(as::Figure())); }

}  // namespace tandem
