// Time is integer nanoseconds everywhere; only files speak of micro- and milliseconds.
#pragma once

#include <chrono>

namespace tandem {

using Nanos = std::chrono::nanoseconds;

// Dates are kept below 2^53 ns (104 days), where a double still tells every nanosecond from the next.
inline constexpr Nanos kLongestTime{std::int64_t{1} << 53};

}  // namespace tandem
