#include "device/host/info.h"

#include <sched.h>
#include <sys/utsname.h>

#include <algorithm>
#include <cctype>
#include <cerrno>
#include <charconv>
#include <cstdlib>
#include <fstream>
#include <string_view>
#include <tuple>
#include <utility>

#include "device/host/control_group.h"
#include "device/host/core_files.h"
#include "device/host/core_kinds.h"
#include "device/host/core_list.h"
#include "device/host/core_names.h"
#include "device/host/heat.h"
#include "device/host/sysfs.h"
#include "profiles/base/figures.h"
#include "profiles/base/table.h"

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

// Of the first line that has this key.
std::string ValueOf(const fs::path& path, std::string_view key) {
  for (auto& [name, value] : KeyedLines(path)) {
    if (name == key) return std::move(value);
  }
  return {};
}

std::string BoardName(const fs::path& root) {
  std::string name;
  for (const char* tree : {"sys/firmware/devicetree/base", "proc/device-tree"}) {
    if (name.empty()) name = FirstLine(root / tree / "model");
  }
  for (const char* key : {"Model", "Hardware"}) {
    if (name.empty()) name = ValueOf(root / "proc/cpuinfo", key);
  }
  return name;
}

CoreCluster ReadCore(const fs::path& root, std::int64_t core, bool of_device_tree) {
  const fs::path folder = CoreFolder(root, core), clock = ClockFolder(root, core);
  CoreCluster cluster;
  cluster.cores = {core};
  cluster.package = IntegerOf(FirstLine(folder / "topology/physical_package_id"), 0);
  cluster.max_khz = IntegerOf(FirstLine(clock / "cpuinfo_max_freq"), 0);
  cluster.limit_khz = IntegerOf(FirstLine(clock / "scaling_max_freq"), cluster.max_khz);
  if (cluster.limit_khz <= 0 || (cluster.max_khz > 0 && cluster.limit_khz > cluster.max_khz)) {
    cluster.limit_khz = cluster.max_khz;
  }
  cluster.threads_per_core = std::max<std::int64_t>(
      1, std::ssize(ReadCoreList(FirstLine(folder / "topology/thread_siblings_list"))));
  cluster.governor = FirstLine(clock / "scaling_governor");
  if (of_device_tree) {
    cluster.parts.push_back({{core},
                             cluster.package,
                             IntegerOf(FirstLine(folder / "topology/cluster_id"), 0),
                             cluster.max_khz,
                             0,
                             cluster.limit_khz,
                             cluster.governor});
    // Such a board has one package: its kernels count clusters as packages, equal ones too.
    cluster.package = 0;
  }
  return cluster;
}

void ForgetLimits(std::vector<CoreCluster>& cores) {
  for (CoreCluster& core : cores) {
    core.limit_khz = 0;
    for (CorePart& part : core.parts) part.limit_khz = 0;
  }
}

std::vector<CoreCluster> ReadCores(const fs::path& root, const std::vector<std::int64_t>& cores,
                                   bool of_device_tree) {
  const auto designs = CoreDesigns(cores, root);
  const auto capacities = CoreCapacities(cores, root);
  std::vector<CoreCluster> read;
  for (const std::int64_t core : cores) {
    CoreCluster& one = read.emplace_back(ReadCore(root, core, of_device_tree));
    if (const auto told = designs.find(core); told != designs.end()) one.design = told->second;
    if (const auto told = capacities.find(core); told != capacities.end()) one.capacity = told->second;
    for (CorePart& part : one.parts) part.capacity = one.capacity;
  }
  if (ClockLimits(root).HoldBack()) ForgetLimits(read);
  return read;
}

// Within a tenth: some desktop processors let a few of their equal cores clock a little higher.
bool AboutEqual(std::int64_t a, std::int64_t b) { return std::abs(a - b) <= std::max(a, b) / 10; }

bool MayBeAboutEqual(std::int64_t a, std::int64_t b) { return a == 0 || b == 0 || AboutEqual(a, b); }
bool MayBeEqual(std::int64_t a, std::int64_t b) { return a == 0 || b == 0 || a == b; }

// Names with ", " between: each stands there once.
void AddNames(std::string& names, std::string_view more) {
  while (!more.empty()) {
    const std::string_view name = more.substr(0, more.find(", "));
    more.remove_prefix(std::min(more.size(), name.size() + 2));
    if ((", " + names + ", ").find(", " + std::string(name) + ", ") != std::string::npos) continue;
    names += (names.empty() ? "" : ", ") + std::string(name);
  }
}

bool OfOnePart(const CorePart& a, const CorePart& b) {
  return a.package == b.package && a.cluster == b.cluster;
}

void AddParts(std::vector<CorePart>& parts, const std::vector<CorePart>& more) {
  for (const CorePart& one : more) {
    const auto same = std::find_if(parts.begin(), parts.end(), [&](const CorePart& part) {
      return OfOnePart(part, one) && MayBeEqual(part.max_khz, one.max_khz) &&
             MayBeEqual(part.limit_khz, one.limit_khz) && MayBeEqual(part.capacity, one.capacity);
    });
    if (same == parts.end()) {
      parts.push_back(one);
    } else {
      same->cores.insert(same->cores.end(), one.cores.begin(), one.cores.end());
      same->max_khz = std::max(same->max_khz, one.max_khz);
      same->limit_khz = std::max(same->limit_khz, one.limit_khz);
      same->capacity = std::max(same->capacity, one.capacity);
      AddNames(same->governor, one.governor);
    }
  }
}

bool MayJoin(const CoreCluster& cluster, const CoreCluster& core) {
  return cluster.package == core.package && cluster.threads_per_core == core.threads_per_core &&
         MayBeAboutEqual(cluster.max_khz, core.max_khz) &&
         MayBeAboutEqual(cluster.limit_khz, core.limit_khz) &&
         MayBeAboutEqual(cluster.capacity, core.capacity) &&
         (cluster.design.empty() || core.design.empty() || cluster.design == core.design);
}

// Of several clusters that a core may join, the one with the greatest of these: of its design, then of where
// the kernel counts it; and the nearest one where neither its clock nor its capacity is told.
auto Nearness(const CoreCluster& cluster, const CoreCluster& core) {
  const auto with_core = [&](const CorePart& part) {
    return !core.parts.empty() && OfOnePart(part, core.parts.front());
  };
  std::int64_t away = 0;
  if (core.max_khz == 0 && core.capacity == 0) {
    away = std::abs(cluster.cores.front() - core.cores.front());
    for (const std::int64_t other : cluster.cores) {
      away = std::min(away, std::abs(other - core.cores.front()));
    }
  }
  return std::tuple(!core.design.empty() && cluster.design == core.design,
                    std::any_of(cluster.parts.begin(), cluster.parts.end(), with_core), -away);
}

void AddCore(std::vector<CoreCluster>& clusters, const CoreCluster& core) {
  CoreCluster* nearest = nullptr;
  for (CoreCluster& cluster : clusters) {
    if (!MayJoin(cluster, core)) continue;
    if (nearest == nullptr || Nearness(*nearest, core) < Nearness(cluster, core)) nearest = &cluster;
  }
  if (nearest == nullptr) return clusters.push_back(core);
  nearest->cores.push_back(core.cores.front());
  nearest->max_khz = std::max(nearest->max_khz, core.max_khz);
  nearest->limit_khz = std::max(nearest->limit_khz, core.limit_khz);
  nearest->capacity = std::max(nearest->capacity, core.capacity);
  if (nearest->design.empty()) nearest->design = core.design;
  AddNames(nearest->governor, core.governor);
  AddParts(nearest->parts, core.parts);
}

// Those of which most is told first: others then join what they may be.
std::vector<CoreCluster> ClustersOf(std::vector<CoreCluster> cores) {
  const auto told = [](const CoreCluster& core) {
    return (core.max_khz > 0) + (core.capacity > 0) + !core.design.empty();
  };
  std::stable_sort(cores.begin(), cores.end(),
                   [&](const CoreCluster& a, const CoreCluster& b) { return told(a) > told(b); });
  std::vector<CoreCluster> clusters;
  for (const CoreCluster& core : cores) AddCore(clusters, core);
  const auto by_first = [](const auto& a, const auto& b) { return a.cores.front() < b.cores.front(); };
  for (CoreCluster& cluster : clusters) {
    std::sort(cluster.cores.begin(), cluster.cores.end());
    for (CorePart& part : cluster.parts) std::sort(part.cores.begin(), part.cores.end());
    std::sort(cluster.parts.begin(), cluster.parts.end(), by_first);
  }
  std::sort(clusters.begin(), clusters.end(), by_first);
  return clusters;
}

// "Cortex-A55, Cortex-A76": kernels of ARM mostly tell no other name.
std::string CoreNames(const std::vector<CoreCluster>& clusters) {
  std::string names;
  for (const CoreCluster& cluster : clusters) AddNames(names, CoreName(cluster.design));
  return names;
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
  std::string governor;
  for (CorePart part : std::exchange(cluster.parts, {})) {
    std::erase_if(part.cores, [&](std::int64_t core) {
      return std::find(cluster.cores.begin(), cluster.cores.end(), core) == cluster.cores.end();
    });
    if (part.cores.empty()) continue;
    if (parts.empty()) cluster.max_khz = cluster.limit_khz = cluster.capacity = 0;
    cluster.max_khz = std::max(cluster.max_khz, part.max_khz);
    cluster.limit_khz = std::max(cluster.limit_khz, part.limit_khz);
    AddNames(governor, part.governor);
    cluster.capacity = std::max(cluster.capacity, part.capacity);
    parts.push_back(std::move(part));
  }
  cluster.parts = std::move(parts);
  if (!governor.empty()) cluster.governor = std::move(governor);
  return cluster;
}

}  // namespace

std::vector<std::int64_t> UsableCores(const fs::path& root) {
  if (IsOwnRoot(root)) return AllowedCores();
  std::vector<std::int64_t> online = ReadBoardCores(root).online;
  return online.empty() ? std::vector<std::int64_t>{0} : online;
}

std::string CoreKind(std::int64_t core, const fs::path& root) {
  const CoreCluster alone = ReadCores(root, {core}, false).front();
  const std::string speed = alone.capacity > 0 ? "capacity " + std::to_string(alone.capacity)
                                               : std::to_string(alone.max_khz) + " kHz";
  return alone.design.empty() ? speed : alone.design + ", " + speed;
}

HostInfo ReadHost(const std::vector<std::int64_t>& cores, const fs::path& root) {
  HostInfo host;
  host.board = BoardName(root);
  for (const char* key : {"model name", "Hardware", "cpu model", "uarch"}) {
    if (host.cpu_name.empty()) host.cpu_name = ValueOf(root / "proc/cpuinfo", key);
  }
  host.kernel = KernelName(root);
  host.clusters = ClustersOf(ReadCores(root, cores, !host.board.empty()));
  if (host.cpu_name.empty()) host.cpu_name = CoreNames(host.clusters);
  host.offline = ReadBoardCores(root).offline;
  host.quota_cores = CpuQuota(root);
  if (host.quota_cores >= static_cast<double>(cores.size())) host.quota_cores.reset();
  host.caches = ReadCaches(cores, root);
  // In kB; absurd values are taken for unknown.
  const std::int64_t kilobytes = IntegerOf(ValueOf(root / "proc/meminfo", "MemTotal"), 0);
  if (kilobytes > 0 && kilobytes < std::int64_t{1} << 50) host.memory_bytes = kilobytes * 1024;
  host.memory_limit_bytes = MemoryLimit(root);
  if (host.memory_limit_bytes >= host.memory_bytes || host.memory_bytes == 0) host.memory_limit_bytes.reset();
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

std::int64_t UsableMemory(const HostInfo& host) {
  return host.memory_limit_bytes.value_or(host.memory_bytes);
}

std::string QuotaText(const HostInfo& host) {
  if (!host.quota_cores) return {};
  return "a control group leaves this process the time of " + Fixed(*host.quota_cores, 2) +
         " cores, fewer than it sees: it may be held back";
}

std::vector<std::string> WithheldTexts(const HostInfo& host) {
  std::vector<std::string> texts;
  if (!host.offline.empty()) texts.push_back("switched off: cores " + CoreListText(host.offline));
  if (host.quota_cores) texts.push_back(QuotaText(host));
  if (host.memory_limit_bytes) {
    texts.push_back("a control group leaves this process " + Grouped(*host.memory_limit_bytes >> 20) +
                    " MiB of the memory");
  }
  return texts;
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
