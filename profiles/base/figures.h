// Figures as people read them, in tables and sentences.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "profiles/base/time.h"

namespace tandem {

constexpr double InMicros(Nanos time) { return static_cast<double>(time.count()) / 1e3; }
constexpr double InMillis(Nanos time) { return static_cast<double>(time.count()) / 1e6; }
constexpr double InSeconds(Nanos time) { return static_cast<double>(time.count()) / 1e9; }

// One unit of time for a whole table, so that its numbers compare; three decimals each.
struct TimeUnit {
  std::string_view name;
  std::int64_t thousandth_ns = 1;  // a thousandth of it

  std::string Text(Nanos time) const;    // "0.120", "-0.120"
  std::string Signed(Nanos time) const;  // "+0.120"; 0 has no sign
};
inline constexpr TimeUnit kMillis{"ms", 1000};
TimeUnit UnitFor(Nanos longest);

std::string ExactMillis(Nanos time);  // to the nanosecond, without trailing zeros: "12.3"

std::string Fixed(double value, int decimals);  // "12.30"
std::string Short(double value);                // about four digits: 0.001, 1.234, 98.77, 1234
std::string Short(std::optional<double> value);

std::string Share(std::optional<double> share);            // "36.4%"
std::string Percent(double fraction, int decimals);        // "3.27 %"
std::string SignedPercent(double fraction, int decimals);  // "+3.3 %"
std::string PercentInTenths(double fraction);              // without trailing zeros: "3.3 %", "3 %"
std::string Beyond(double value, double of);               // how much more it is: "+3.3 %", "-5 %"

std::string Words(std::string_view name);  // "mean_latency" as "mean latency"

}  // namespace tandem
