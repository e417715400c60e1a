// Which caches the processor has, and which cores share one, as far as Linux tells.
#pragma once

#include <cstdint>
#include <filesystem>
#include <span>
#include <string>
#include <vector>

namespace tandem {

// Caches that are alike.
struct Caches {
  std::int64_t level = 0;                            // 1: the nearest to the core
  std::string holds;                                 // "data", "instruction", "unified"
  std::int64_t bytes = 0;                            // each, 0 where unknown
  std::vector<std::vector<std::int64_t>> shared_by;  // the cores of each; others than were asked for, too
};

// Those that these cores use, the nearest first.
std::vector<Caches> ReadCaches(std::span<const std::int64_t> cores, const std::filesystem::path& root = "/");

// Bytes of the largest cache that one of the cores uses; 32 MiB where nothing is told.
std::int64_t LargestCache(std::span<const std::int64_t> cores, const std::filesystem::path& root = "/");
// As far as loads and sweeps go by it: what they go through has to find room on any board, and of the greater
// cache of a large server a few cores have only a part.
inline constexpr std::int64_t kMostCacheThatCounts = std::int64_t{32} << 20;
std::int64_t CacheThatCounts(std::span<const std::int64_t> cores, const std::filesystem::path& root = "/");

}  // namespace tandem
