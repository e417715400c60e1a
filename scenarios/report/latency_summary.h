// Statistics of latencies in whole nanoseconds.
#pragma once

#include <array>
#include <cstdint>
#include <deque>
#include <optional>
#include <string>
#include <vector>

#include "profiles/base/figures.h"
#include "profiles/base/time.h"

namespace tandem {

struct LatencySummary {
  Nanos mean{0};  // to the nearest nanosecond, halves up
  Nanos p50{0}, p90{0}, p95{0}, p99{0}, max{0};
};
inline constexpr std::array<Nanos LatencySummary::*, 6> kFiguresOfLatency = {
    &LatencySummary::mean, &LatencySummary::p50, &LatencySummary::p90,
    &LatencySummary::p95,  &LatencySummary::p99, &LatencySummary::max};

// Of several ascending lists taken together, without a copy of them; nothing where all are empty.
std::optional<LatencySummary> Summarize(const std::vector<const std::deque<Nanos>*>& sorted);
std::optional<LatencySummary> Summarize(const std::deque<Nanos>& sorted);

// A figure of it as a table shows it: "-" where there is none.
std::string LatencyText(const std::optional<LatencySummary>& latency, Nanos LatencySummary::*figure,
                        const TimeUnit& unit);

}  // namespace tandem
