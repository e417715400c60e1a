#include "device/host/control_group.h"

#include <algorithm>
#include <fstream>
#include <string>
#include <string_view>

#include "device/host/sysfs.h"

namespace tandem {
namespace fs = std::filesystem;
namespace {

using Quota = std::optional<double>;
using Bytes = std::optional<std::int64_t>;

Quota QuotaOf(std::optional<std::int64_t> time, std::optional<std::int64_t> period) {
  if (time.value_or(0) <= 0 || period.value_or(0) <= 0) return std::nullopt;
  return static_cast<double>(*time) / static_cast<double>(*period);
}

// "150000 100000"; "max 100000" where there is no limit.
Quota OfNewerGroup(const fs::path& group) {
  const std::string line = SysfsLine(group / "cpu.max");
  const auto blank = line.find(' ');
  if (blank == std::string::npos) return std::nullopt;
  return QuotaOf(NumberIn(std::string_view(line).substr(0, blank)),
                 NumberIn(std::string_view(line).substr(blank + 1)));
}

// -1 where there is no limit.
Quota OfOlderGroup(const fs::path& group) {
  return QuotaOf(SysfsNumber(group / "cpu.cfs_quota_us"), SysfsNumber(group / "cpu.cfs_period_us"));
}

Bytes BytesIn(const fs::path& file) {
  const Bytes bytes = SysfsNumber(file);
  return bytes.value_or(0) > 0 ? bytes : std::nullopt;
}

// "max" where there is no limit.
Bytes MemoryOfNewerGroup(const fs::path& group) { return BytesIn(group / "memory.max"); }

// More than any machine has where there is no limit.
Bytes MemoryOfOlderGroup(const fs::path& group) { return BytesIn(group / "memory.limit_in_bytes"); }

// Where the process is among the groups, of the line "4:cpu,cpuacct:/a/b" or "0::/a/b": "a/b". A container
// may see its own group as the first.
fs::path GroupOf(const fs::path& root, std::string_view controller) {
  std::ifstream stream(root / "proc/self/cgroup");
  for (std::string line; std::getline(stream, line);) {
    const auto first = line.find(':');
    const auto second = first == std::string::npos ? first : line.find(':', first + 1);
    if (second == std::string::npos) continue;
    const std::string controllers = "," + line.substr(first + 1, second - first - 1) + ",";
    if (controllers.find("," + std::string(controller) + ",") == std::string::npos) continue;
    return fs::path(line.substr(second + 1)).relative_path();
  }
  return {};
}

template <typename Limit>
void KeepLeast(Limit& least, const fs::path& all, fs::path group, Limit (*limit_of)(const fs::path&)) {
  for (;; group = group.parent_path()) {
    if (const Limit limit = limit_of(all / group)) least = std::min(least.value_or(*limit), *limit);
    if (group.empty()) return;
  }
}

}  // namespace

Quota CpuQuota(const fs::path& root) {
  const fs::path groups = root / "sys/fs/cgroup";
  Quota least;
  KeepLeast(least, groups, GroupOf(root, ""), OfNewerGroup);
  for (const char* older : {"cpu", "cpu,cpuacct"})
    KeepLeast(least, groups / older, GroupOf(root, "cpu"), OfOlderGroup);
  return least;
}

Bytes MemoryLimit(const fs::path& root) {
  const fs::path groups = root / "sys/fs/cgroup";
  Bytes least;
  KeepLeast(least, groups, GroupOf(root, ""), MemoryOfNewerGroup);
  KeepLeast(least, groups / "memory", GroupOf(root, "memory"), MemoryOfOlderGroup);
  return least;
}

}  // namespace tandem
