// Time is integer nanoseconds everywhere; only files speak of micro- and milliseconds.
#pragma once

#include <array>
#include <chrono>
#include <cstdint>
#include <string_view>

namespace tandem {

using Nanos = std::chrono::nanoseconds;

// Dates are kept below 2^53 ns (104 days), where a double still tells every nanosecond from the next.
inline constexpr Nanos kLongestTime{std::int64_t{1} << 53};

inline constexpr std::int64_t kNanosPerSecond = 1'000'000'000;

// A unit in which files write durations: a number in it has so many decimals to the nanosecond.
struct WrittenUnit {
  std::string_view name, words;
  int decimals = 0;
};
inline constexpr WrittenUnit kMicroseconds{"us", "microseconds", 3}, kMilliseconds{"ms", "milliseconds", 6},
    kSeconds{"s", "seconds", 9};
inline constexpr std::array<WrittenUnit, 3> kWrittenUnits = {kMicroseconds, kMilliseconds, kSeconds};

}  // namespace tandem
