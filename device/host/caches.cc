#include "device/host/caches.h"

#include <algorithm>
#include <cctype>
#include <charconv>

#include "device/host/core_list.h"
#include "device/host/sysfs.h"

namespace tandem {
namespace fs = std::filesystem;
namespace {

constexpr std::int64_t kUnknownCache = std::int64_t{32} << 20;

std::vector<fs::path> CacheFoldersOf(const fs::path& root, std::int64_t core) {
  std::vector<fs::path> folders =
      EntriesOf(root / "sys/devices/system/cpu" / ("cpu" + std::to_string(core)) / "cache");
  std::erase_if(folders, [](const fs::path& at) { return !at.filename().string().starts_with("index"); });
  return folders;
}

// "2048K"; 0 where it is not told.
std::int64_t CacheBytes(const fs::path& folder) {
  const std::string size = SysfsLine(folder / "size");
  std::int64_t value = 0;
  std::from_chars(size.data(), size.data() + size.size(), value);
  return value << (size.ends_with('K') ? 10 : size.ends_with('M') ? 20 : 0);
}

std::string InSmallLetters(std::string text) {
  for (char& c : text) c = static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
  return text;
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
      one.bytes = CacheBytes(folder);
      if (one.level <= 0 || one.bytes <= 0) continue;
      one.shared_by = {ReadCoreList(SysfsLine(folder / "shared_cpu_list"))};
      if (one.shared_by.front().empty()) one.shared_by = {{core}};
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
      largest = std::max(largest, CacheBytes(folder));
    }
  }
  return largest > 0 ? largest : kUnknownCache;
}

std::int64_t CacheThatCounts(std::span<const std::int64_t> cores, const fs::path& root) {
  return std::min(LargestCache(cores, root), kMostCacheThatCounts);
}

}  // namespace tandem
