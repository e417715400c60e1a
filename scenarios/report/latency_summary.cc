#include "scenarios/report/latency_summary.h"

#include <algorithm>

#include "profiles/base/statistics.h"

namespace tandem {
namespace {

using Lists = std::vector<const std::deque<Nanos>*>;

// Exact where the sum is beyond 64 bits: whole parts and remainders are added apart.
Nanos Mean(const Lists& lists, std::int64_t count) {
  std::int64_t whole = 0, rest = 0;
  for (const auto* list : lists) {
    for (const Nanos value : *list) {
      whole += value.count() / count;
      rest += value.count() % count;
    }
  }
  whole += rest / count;
  rest %= count;
  return Nanos{whole + (rest >= count - rest ? 1 : 0)};
}

std::int64_t CountUpTo(const Lists& lists, Nanos value) {
  std::int64_t count = 0;
  for (const auto* list : lists) count += std::upper_bound(list->begin(), list->end(), value) - list->begin();
  return count;
}

// The least value with `rank` values up to it, found by halving the range of values.
Nanos ValueOfRank(const Lists& lists, std::int64_t rank, Nanos most) {
  Nanos low{0}, high = most;
  while (low < high) {
    const Nanos middle = low + (high - low) / 2;
    if (CountUpTo(lists, middle) >= rank) {
      high = middle;
    } else {
      low = middle + Nanos{1};
    }
  }
  return low;
}

}  // namespace

std::optional<LatencySummary> Summarize(const Lists& sorted) {
  std::int64_t count = 0;
  Nanos most{0};
  for (const auto* list : sorted) {
    if (list->empty()) continue;
    count += static_cast<std::int64_t>(list->size());
    most = std::max(most, list->back());
  }
  if (count == 0) return std::nullopt;
  const auto percentile = [&](std::int64_t hundredths) {
    return ValueOfRank(sorted, NearestRank(count, hundredths), most);
  };
  return LatencySummary{Mean(sorted, count), percentile(5000), percentile(9000),
                        percentile(9500),    percentile(9900), most};
}

std::optional<LatencySummary> Summarize(const std::deque<Nanos>& sorted) { return Summarize(Lists{&sorted}); }

std::string LatencyText(const std::optional<LatencySummary>& latency, Nanos LatencySummary::*figure,
                        const TimeUnit& unit) {
  return latency ? unit.Text((*latency).*figure) : "-";
}

}  // namespace tandem
