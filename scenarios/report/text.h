// Figures of a report as the cells of its tables.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "scenarios/report/latency_summary.h"

namespace tandem {

// One unit of time for a whole table, so that its numbers compare; three decimals each.
struct TimeUnit {
  std::string_view name;
  std::int64_t thousandth_ns = 1;  // a thousandth of it

  std::string Text(Nanos time) const;
  std::string Text(const std::optional<LatencySummary>& latency, Nanos LatencySummary::*figure) const;
};
TimeUnit UnitFor(Nanos longest);

std::string Short(double value);  // about four digits: 0.001, 1.234, 98.77, 1234
std::string Short(std::optional<double> value);
std::string Percent(std::optional<double> share);  // "36.4%"
std::string Words(std::string_view name);          // "mean_latency" as "mean latency"

}  // namespace tandem
