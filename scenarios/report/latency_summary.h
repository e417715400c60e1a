// Statistics of latencies in whole nanoseconds.
#pragma once

#include <cstdint>
#include <deque>
#include <optional>
#include <vector>

#include "profiles/base/time.h"

namespace tandem {

// The nearest-rank percentile of `count` values is the one of this rank, counted from 1: the 99th percentile
// of 100 values is the 99th. `percentile` in hundredths of a percent.
std::int64_t NearestRank(std::int64_t count, std::int64_t percentile);

struct LatencySummary {
  Nanos mean{0};  // to the nearest nanosecond, halves up
  Nanos p50{0}, p90{0}, p95{0}, p99{0}, max{0};
};

// Of several ascending lists taken together, without a copy of them; nothing where all are empty.
std::optional<LatencySummary> Summarize(const std::vector<const std::deque<Nanos>*>& sorted);
std::optional<LatencySummary> Summarize(const std::deque<Nanos>& sorted);

}  // namespace tandem
