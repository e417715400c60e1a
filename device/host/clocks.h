// What the processor's clocks and caches are at the moment, as far as Linux tells.
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
// alike together, "cpu0, cpu1: ...". Empty where the system tells none of it.
std::string ClockSettingsText(std::span<const std::int64_t> cores, const std::filesystem::path& root = "/");

// Bytes of the largest cache that one of the cores uses; 32 MiB where nothing is told.
std::int64_t LargestCache(std::span<const std::int64_t> cores, const std::filesystem::path& root = "/");
// As far as loads and sweeps go by it: what they go through has to find room on any board, and of the greater
// cache of a large server a few cores have only a part.
inline constexpr std::int64_t kMostCacheThatCounts = std::int64_t{32} << 20;
std::int64_t CacheThatCounts(std::span<const std::int64_t> cores, const std::filesystem::path& root = "/");

}  // namespace tandem
