// What clocks are set to, in words, as Origin::clocks has it: "cpu0, cpu1: performance, 408 to 1479 MHz".
#pragma once

#include <string>
#include <string_view>

namespace tandem {

// Stands behind limits that were read while something held clocks back, which sets the same files.
inline constexpr std::string_view kWhileHeldBack = " while held back";
std::string WhileHeldBack(std::string setting);  // of one clock; without limits it stays as it is

// May both be of one setting? What holds clocks back lowers the upper limit, and a lower one that would be
// above it: so far limits that were read meanwhile say nothing. Else the texts are the same.
bool SameClockSettings(std::string_view a, std::string_view b);

}  // namespace tandem
