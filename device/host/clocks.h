// What the processor's clocks are at the moment, as far as Linux tells.
#pragma once

#include <cstdint>
#include <filesystem>
#include <map>
#include <span>
#include <string>

namespace tandem {

struct CoreClock {
  std::int64_t khz = 0;  // 0: unknown
  std::string governor;
  std::int64_t throttled = 0;  // how often the core was slowed down for its heat, since the system started
};
using CoreClocks = std::map<std::int64_t, CoreClock>;  // by core

CoreClocks ReadClocks(std::span<const std::int64_t> cores, const std::filesystem::path& root = "/");

// As Origin::clocks has it: {"cpu0": "2400 MHz, performance"}; a clock that moved is "2400 to 1800 MHz".
std::map<std::string, std::string> ClocksText(const CoreClocks& before, const CoreClocks& after);
// "core 0 was throttled 3 times"; empty where none was.
std::string ThrottlingText(const CoreClocks& before, const CoreClocks& after);

// What the clocks are set to, not what they are: "cpu0: performance, 408 to 1479 MHz"; cores that are set
// alike together, "cpu0, cpu1: ...". Empty where the system tells none of it. Limits that are read while
// something holds clocks back say so: "408 to 1008 MHz while held back".
std::string ClockSettingsText(std::span<const std::int64_t> cores, const std::filesystem::path& root = "/");

}  // namespace tandem
