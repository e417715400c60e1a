#include "device/host/caches.h"

#include <algorithm>
#include <charconv>
#include <optional>

#include "device/host/core_files.h"
#include "device/host/core_list.h"
#include "device/host/sysfs.h"

namespace tandem {
namespace fs = std::filesystem;
namespace {

constexpr std::int64_t kUnknownCache = std::int64_t{32} << 20;

std::vector<fs::path> CacheFoldersOf(const fs::path& root, std::int64_t core) {
  std::vector<fs::path> folders = EntriesOf(CoreFolder(root, core) / "cache");
  std::erase_if(folders, [](const fs::path& at) { return !at.filename().string().starts_with("index"); });
  return folders;
}

// "2048K"; 0 where it is not told, nothing where what is told is no size.
std::optional<std::int64_t> CacheBytes(const fs::path& folder) {
  const std::string size = SysfsLine(folder / "size");
  if (size.empty()) return 0;
  std::int64_t value = 0;
  const auto [end, error] = std::from_chars(size.data(), size.data() + size.size(), value);
  if (error != std::errc{} || value < 0) return std::nullopt;
  return value << (size.ends_with('K') ? 10 : size.ends_with('M') ? 20 : 0);
}

// Itself at least.
std::vector<std::int64_t> SharedBy(const fs::path& folder, std::int64_t core) {
  std::vector<std::int64_t> cores = ReadCoreList(SysfsLine(folder / "shared_cpu_list"));
  if (cores.empty()) cores = ReadCoreMask(SysfsLine(folder / "shared_cpu_map"));
  return cores.empty() ? std::vector{core} : cores;
}

void AddCache(std::vector<Caches>& all, const Caches& one) {
  const auto alike = std::find_if(all.begin(), all.end(), [&](const Caches& other) {
    return other.level == one.level && other.holds == one.holds && other.bytes == one.bytes;
  });
  if (alike == all.end()) return all.push_back(one);
  const std::vector<std::int64_t>& cores = one.shared_by.front();
  auto& known = alike->shared_by;
  if (std::find(known.begin(), known.end(), cores) == known.end()) known.push_back(cores);
}

}  // namespace

std::vector<Caches> ReadCaches(std::span<const std::int64_t> cores, const fs::path& root) {
  std::vector<Caches> caches;
  for (const std::int64_t core : cores) {
    for (const fs::path& folder : CacheFoldersOf(root, core)) {
      Caches one;
      one.level = SysfsNumber(folder / "level").value_or(0);
      one.holds = InSmallLetters(SysfsLine(folder / "type"));
      const auto bytes = CacheBytes(folder);
      if (one.level <= 0 || !bytes) continue;
      one.bytes = *bytes;
      one.shared_by = {SharedBy(folder, core)};
      AddCache(caches, one);
    }
  }
  std::stable_sort(caches.begin(), caches.end(),
                   [](const Caches& a, const Caches& b) { return a.level < b.level; });
  return caches;
}

std::int64_t LargestCache(std::span<const std::int64_t> cores, const fs::path& root) {
  std::int64_t largest = 0;
  for (const std::int64_t core : cores) {
    for (const fs::path& folder : CacheFoldersOf(root, core)) {
      largest = std::max(largest, CacheBytes(folder).value_or(0));
    }
  }
  return largest > 0 ? largest : kUnknownCache;
}

std::int64_t CacheThatCounts(std::span<const std::int64_t> cores, const fs::path& root) {
  return std::min(LargestCache(cores, root), kMostCacheThatCounts);
}

}  // namespace tandem
