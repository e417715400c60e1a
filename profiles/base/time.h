// Time is integer nanoseconds everywhere; only files speak of micro- and milliseconds.
#pragma once

#include <chrono>
#include <cstdint>

namespace tandem {

using Nanos = std::chrono::nanoseconds;

// Dates are kept below 2^53 ns (104 days), where a double still tells every nanosecond from the next.
inline constexpr Nanos kLongestTime{std::int64_t{1} << 53};

inline constexpr std::int64_t kNanosPerSecond = 1'000'000'000;

}  // namespace tandem
