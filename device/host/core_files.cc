#include "device/host/core_files.h"

#include <algorithm>
#include <iterator>
#include <string>

#include "device/host/core_list.h"
#include "device/host/sysfs.h"

namespace tandem {
namespace fs = std::filesystem;
namespace {

// Those that have a folder: "cpu0", and neither "cpufreq" nor "cpuidle".
std::vector<std::int64_t> CoresWithFolders(const fs::path& root) {
  std::string list;
  for (const fs::path& folder : EntriesOf(CpuFolder(root))) {
    const std::string name = folder.filename().string();
    if (name.starts_with("cpu")) list += name.substr(3) + ",";
  }
  return ReadCoreList(list);
}

// That /proc/cpuinfo has a block of: those that are online.
std::vector<std::int64_t> CoresOfCpuinfo(const fs::path& root) {
  std::string list;
  for (const auto& [key, value] : KeyedLines(root / "proc/cpuinfo")) {
    if (key == "processor") list += value + ",";
  }
  return ReadCoreList(list);
}

// "0 1 2 3"
bool HasCore(const fs::path& file, std::int64_t core) {
  std::string list = SysfsLine(file);
  std::replace(list.begin(), list.end(), ' ', ',');
  const std::vector<std::int64_t> cores = ReadCoreList(list);
  return std::binary_search(cores.begin(), cores.end(), core);
}

}  // namespace

fs::path CpuFolder(const fs::path& root) { return root / "sys/devices/system/cpu"; }

fs::path CoreFolder(const fs::path& root, std::int64_t core) {
  return CpuFolder(root) / ("cpu" + std::to_string(core));
}

fs::path ClockFolder(const fs::path& root, std::int64_t core) {
  const fs::path own = CoreFolder(root, core) / "cpufreq";
  if (!EntriesOf(own).empty()) return own;
  for (const fs::path& policy : EntriesOf(CpuFolder(root) / "cpufreq")) {
    if (!policy.filename().string().starts_with("policy")) continue;
    if (HasCore(policy / "related_cpus", core) || HasCore(policy / "affected_cpus", core)) return policy;
  }
  return own;
}

BoardCores ReadBoardCores(const fs::path& root) {
  BoardCores cores;
  cores.online = ReadCoreList(SysfsLine(CpuFolder(root) / "online"));
  std::vector<std::int64_t> there = ReadCoreList(SysfsLine(CpuFolder(root) / "present"));
  if (there.empty()) there = CoresWithFolders(root);
  if (cores.online.empty() && there.empty()) {
    cores.online = CoresOfCpuinfo(root);
  } else if (cores.online.empty()) {
    for (const std::int64_t core : there) {
      const bool off = SysfsNumber(CoreFolder(root, core) / "online") == 0;
      (off ? cores.offline : cores.online).push_back(core);
    }
  } else {
    std::set_difference(there.begin(), there.end(), cores.online.begin(), cores.online.end(),
                        std::back_inserter(cores.offline));
  }
  return cores;
}

}  // namespace tandem
