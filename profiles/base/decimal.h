// Decimal numbers as files write them, exactly: no detour over binary fractions.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace tandem {

// The JSON number `text` times 10^decimals as an integer; nothing where that is no integer or beyond 64 bits.
std::optional<std::int64_t> ScaledDecimal(std::string_view text, int decimals);
// The same, rounded to an integer, a half away from zero; nothing where that is beyond 64 bits.
std::optional<std::int64_t> RoundedDecimal(std::string_view text, int decimals);

// `value` / 10^decimals without trailing zeros: DecimalText(33333333, 3) is "33333.333".
std::string DecimalText(std::int64_t value, int decimals);

}  // namespace tandem
