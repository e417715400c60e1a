#include "device/host/info.h"

#include <sched.h>
#include <sys/utsname.h>

#include <algorithm>
#include <cctype>
#include <cerrno>
#include <charconv>
#include <cstdlib>
#include <fstream>
#include <iterator>
#include <string_view>
#include <tuple>
#include <utility>

#include "device/host/core_list.h"
#include "device/host/sysfs.h"

namespace tandem {
namespace fs = std::filesystem;
namespace {

// The first line of a file of /proc or /sys; those of the device tree end in a NUL.
std::string FirstLine(const fs::path& path) {
  std::ifstream stream(path);
  std::string line;
  std::getline(stream, line);
  if (const auto end = line.find('\0'); end != std::string::npos) line.resize(end);
  while (!line.empty() && line.back() == ' ') line.pop_back();
  return line;
}

std::int64_t IntegerOf(std::string_view text, std::int64_t otherwise) {
  std::int64_t value = otherwise;
  std::from_chars(text.data(), text.data() + text.size(), value);
  return value;
}

// The value after "key   : " in files such as /proc/cpuinfo, of the first line that has it.
std::string ValueOf(const fs::path& path, std::string_view key) {
  std::ifstream stream(path);
  for (std::string line; std::getline(stream, line);) {
    const auto colon = line.find(':');
    if (colon == std::string::npos || line.compare(0, key.size(), key) != 0) continue;
    if (line.find_last_not_of(" \t", colon - 1) + 1 != key.size()) continue;
    const auto start = line.find_first_not_of(" \t", colon + 1);
    return start == std::string::npos ? std::string() : line.substr(start);
  }
  return {};
}

fs::path CpuFolder(const fs::path& root) { return root / "sys/devices/system/cpu"; }

CoreCluster ReadCore(const fs::path& root, std::int64_t core, bool of_device_tree) {
  const fs::path folder = CpuFolder(root) / ("cpu" + std::to_string(core));
  CoreCluster cluster;
  cluster.cores = {core};
  cluster.package = IntegerOf(FirstLine(folder / "topology/physical_package_id"), 0);
  cluster.max_khz = IntegerOf(FirstLine(folder / "cpufreq/cpuinfo_max_freq"), 0);
  cluster.capacity = IntegerOf(FirstLine(folder / "cpu_capacity"), 0);
  cluster.threads_per_core = std::max<std::int64_t>(
      1, std::ssize(ReadCoreList(FirstLine(folder / "topology/thread_siblings_list"))));
  cluster.governor = FirstLine(folder / "cpufreq/scaling_governor");
  if (of_device_tree) {
    cluster.parts.push_back({{core},
                             cluster.package,
                             IntegerOf(FirstLine(folder / "topology/cluster_id"), 0),
                             cluster.max_khz,
                             cluster.capacity});
    // Such a board has one package: its kernels count clusters as packages, equal ones too.
    cluster.package = 0;
  }
  return cluster;
}

// Within a tenth: some desktop processors let a few of their equal cores clock a little higher.
bool AboutEqual(std::int64_t a, std::int64_t b) { return std::abs(a - b) <= std::max(a, b) / 10; }

void AddParts(std::vector<CorePart>& parts, const std::vector<CorePart>& more) {
  const auto key = [](const CorePart& part) {
    return std::tie(part.package, part.cluster, part.max_khz, part.capacity);
  };
  for (const CorePart& one : more) {
    const auto same =
        std::find_if(parts.begin(), parts.end(), [&](const CorePart& part) { return key(part) == key(one); });
    if (same == parts.end()) {
      parts.push_back(one);
    } else {
      same->cores.insert(same->cores.end(), one.cores.begin(), one.cores.end());
    }
  }
}

void AddCore(std::vector<CoreCluster>& clusters, const CoreCluster& core) {
  for (CoreCluster& cluster : clusters) {
    if (cluster.package == core.package && cluster.threads_per_core == core.threads_per_core &&
        AboutEqual(cluster.max_khz, core.max_khz) && AboutEqual(cluster.capacity, core.capacity)) {
      cluster.cores.push_back(core.cores.front());
      cluster.max_khz = std::max(cluster.max_khz, core.max_khz);
      cluster.capacity = std::max(cluster.capacity, core.capacity);
      AddParts(cluster.parts, core.parts);
      return;
    }
  }
  clusters.push_back(core);
}

// A copy tells its own as "Linux version 5.10.104-tegra (buildbrain@host) ...".
std::string KernelOfCopy(const fs::path& root) {
  constexpr std::string_view kBefore = "Linux version ";
  const std::string line = FirstLine(root / "proc/version");
  if (!line.starts_with(kBefore)) return {};
  return "Linux " + line.substr(kBefore.size(), line.find(' ', kBefore.size()) - kBefore.size());
}

std::string KernelName(const fs::path& root) {
  if (!IsOwnRoot(root)) return KernelOfCopy(root);
  utsname name{};
  if (uname(&name) != 0) return {};
  return std::string(name.sysname) + " " + name.release + " " + name.machine;
}

std::vector<std::int64_t> AllowedCores() {
  for (int most = 1024; most <= 1 << 20; most *= 4) {
    cpu_set_t* set = CPU_ALLOC(static_cast<std::size_t>(most));
    const std::size_t size = CPU_ALLOC_SIZE(static_cast<std::size_t>(most));
    CPU_ZERO_S(size, set);
    const bool told = sched_getaffinity(0, size, set) == 0;
    const bool too_small = !told && errno == EINVAL;
    std::vector<std::int64_t> cores;
    for (int core = 0; told && core < most; ++core) {
      if (CPU_ISSET_S(static_cast<std::size_t>(core), size, set)) cores.push_back(core);
    }
    CPU_FREE(set);
    if (!cores.empty()) return cores;
    if (!too_small) break;
  }
  return {0};
}

std::vector<std::vector<std::int64_t>> CutCores(const CoreCluster& cluster, std::int64_t parts) {
  std::vector<std::vector<std::int64_t>> cut;
  if (std::ssize(cluster.parts) == parts) {
    for (const CorePart& part : cluster.parts) cut.push_back(part.cores);
    return cut;
  }
  const std::int64_t cores = std::ssize(cluster.cores), count = std::clamp<std::int64_t>(parts, 1, cores);
  const auto begin = cluster.cores.begin();
  for (std::int64_t i = 0; i < count; ++i) {
    cut.emplace_back(begin + i * cores / count, begin + (i + 1) * cores / count);
  }
  return cut;
}

// Of a cluster these cores alone.
CoreCluster OfCluster(CoreCluster cluster, std::vector<std::int64_t> cores) {
  cluster.cores = std::move(cores);
  std::vector<CorePart> parts;
  for (CorePart part : std::exchange(cluster.parts, {})) {
    std::erase_if(part.cores, [&](std::int64_t core) {
      return std::find(cluster.cores.begin(), cluster.cores.end(), core) == cluster.cores.end();
    });
    if (part.cores.empty()) continue;
    if (parts.empty()) cluster.max_khz = cluster.capacity = 0;
    cluster.max_khz = std::max(cluster.max_khz, part.max_khz);
    cluster.capacity = std::max(cluster.capacity, part.capacity);
    parts.push_back(std::move(part));
  }
  cluster.parts = std::move(parts);
  return cluster;
}

// On the board, and off: kernels list as "offline" what the board could have, too.
std::vector<std::int64_t> CoresOff(const fs::path& root) {
  const std::vector<std::int64_t> present = ReadCoreList(FirstLine(CpuFolder(root) / "present")),
                                  online = ReadCoreList(FirstLine(CpuFolder(root) / "online"));
  std::vector<std::int64_t> off;
  if (online.empty()) return off;
  std::set_difference(present.begin(), present.end(), online.begin(), online.end(), std::back_inserter(off));
  return off;
}

}  // namespace

std::vector<std::int64_t> UsableCores(const fs::path& root) {
  if (IsOwnRoot(root)) return AllowedCores();
  for (const char* told : {"online", "present"}) {
    std::vector<std::int64_t> cores = ReadCoreList(FirstLine(CpuFolder(root) / told));
    if (!cores.empty()) return cores;
  }
  return {0};
}

std::string CoreKind(std::int64_t core, const fs::path& root) {
  const CoreCluster alone = ReadCore(root, core, false);
  return alone.capacity > 0 ? "capacity " + std::to_string(alone.capacity)
                            : std::to_string(alone.max_khz) + " kHz";
}

HostInfo ReadHost(const std::vector<std::int64_t>& cores, const fs::path& root) {
  HostInfo host;
  host.board = FirstLine(root / "sys/firmware/devicetree/base/model");
  for (const char* key : {"model name", "Hardware", "cpu model", "uarch"}) {
    if (host.cpu_name.empty()) host.cpu_name = ValueOf(root / "proc/cpuinfo", key);
  }
  host.kernel = KernelName(root);
  for (const std::int64_t core : cores) AddCore(host.clusters, ReadCore(root, core, !host.board.empty()));
  host.offline = CoresOff(root);
  host.caches = ReadCaches(cores, root);
  // In kB; absurd values are taken for unknown.
  const std::int64_t kilobytes = IntegerOf(ValueOf(root / "proc/meminfo", "MemTotal"), 0);
  if (kilobytes > 0 && kilobytes < std::int64_t{1} << 50) host.memory_bytes = kilobytes * 1024;
  return host;
}

HostInfo SplitClusters(HostInfo host, std::int64_t parts) {
  std::vector<CoreCluster> clusters;
  for (const CoreCluster& cluster : host.clusters) {
    for (auto& cores : CutCores(cluster, parts)) clusters.push_back(OfCluster(cluster, std::move(cores)));
  }
  host.clusters = std::move(clusters);
  return host;
}

std::string HostText(const HostInfo& host) {
  constexpr std::int64_t kGibibyte = std::int64_t{1} << 30;
  std::size_t cores = 0;
  for (const CoreCluster& cluster : host.clusters) cores += cluster.cores.size();
  std::string text = host.board.empty() ? host.cpu_name : host.board;
  if (text.empty()) text = "unknown processor";
  text += ", " + std::to_string(cores) + (cores == 1 ? " core" : " cores");
  if (host.memory_bytes == 0) return text;
  // Rounded: another kernel keeps a little more or less of it for itself.
  return text + ", " + std::to_string((host.memory_bytes + kGibibyte / 2) / kGibibyte) + " GiB";
}

std::string BoardSlug(const HostInfo& host) {
  std::string slug;
  for (const char c : host.board.empty() ? host.cpu_name : host.board) {
    const auto byte = static_cast<unsigned char>(c);
    if (byte < 0x80 && std::isalnum(byte) != 0) {
      slug += static_cast<char>(std::tolower(byte));
    } else if (!slug.empty() && slug.back() != '-') {
      slug += '-';
    }
    if (slug.size() >= 60) break;
  }
  while (!slug.empty() && slug.back() == '-') slug.pop_back();
  return slug.empty() ? "this-machine" : slug;
}

}  // namespace tandem
