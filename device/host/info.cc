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

// How many entries "0-3,8" names.
std::int64_t ListSize(std::string_view list) {
  std::int64_t size = 0;
  while (!list.empty()) {
    const std::string_view range = list.substr(0, list.find(','));
    const auto dash = range.find('-');
    size += dash == std::string_view::npos
                ? 1
                : IntegerOf(range.substr(dash + 1), 0) - IntegerOf(range.substr(0, dash), 0) + 1;
    list.remove_prefix(std::min(list.size(), range.size() + 1));
  }
  return size;
}

CoreCluster ReadCore(const fs::path& root, std::int64_t core) {
  const fs::path folder = root / "sys/devices/system/cpu" / ("cpu" + std::to_string(core));
  CoreCluster cluster;
  cluster.cores = {core};
  cluster.package = IntegerOf(FirstLine(folder / "topology/physical_package_id"), 0);
  cluster.max_khz = IntegerOf(FirstLine(folder / "cpufreq/cpuinfo_max_freq"), 0);
  cluster.capacity = IntegerOf(FirstLine(folder / "cpu_capacity"), 0);
  cluster.threads_per_core =
      std::max<std::int64_t>(1, ListSize(FirstLine(folder / "topology/thread_siblings_list")));
  cluster.governor = FirstLine(folder / "cpufreq/scaling_governor");
  return cluster;
}

// Within a tenth: some desktop processors let a few of their equal cores clock a little higher.
bool AboutEqual(std::int64_t a, std::int64_t b) { return std::abs(a - b) <= std::max(a, b) / 10; }

void AddCore(std::vector<CoreCluster>& clusters, const CoreCluster& core) {
  for (CoreCluster& cluster : clusters) {
    if (cluster.package == core.package && cluster.threads_per_core == core.threads_per_core &&
        AboutEqual(cluster.max_khz, core.max_khz) && AboutEqual(cluster.capacity, core.capacity)) {
      cluster.cores.push_back(core.cores.front());
      cluster.max_khz = std::max(cluster.max_khz, core.max_khz);
      cluster.capacity = std::max(cluster.capacity, core.capacity);
      return;
    }
  }
  clusters.push_back(core);
}

std::string KernelName() {
  utsname name{};
  if (uname(&name) != 0) return {};
  return std::string(name.sysname) + " " + name.release + " " + name.machine;
}

}  // namespace

std::vector<std::int64_t> UsableCores() {
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

HostInfo ReadHost(const std::vector<std::int64_t>& cores, const fs::path& root) {
  HostInfo host;
  host.board = FirstLine(root / "sys/firmware/devicetree/base/model");
  for (const char* key : {"model name", "Hardware", "cpu model", "uarch"}) {
    if (host.cpu_name.empty()) host.cpu_name = ValueOf(root / "proc/cpuinfo", key);
  }
  host.kernel = KernelName();
  for (const std::int64_t core : cores) {
    CoreCluster cluster = ReadCore(root, core);
    // A board of a device tree has one package: its kernels count clusters as packages, equal ones too.
    if (!host.board.empty()) cluster.package = 0;
    AddCore(host.clusters, cluster);
  }
  // In kB; absurd values are taken for unknown.
  const std::int64_t kilobytes = IntegerOf(ValueOf(root / "proc/meminfo", "MemTotal"), 0);
  if (kilobytes > 0 && kilobytes < std::int64_t{1} << 50) host.memory_bytes = kilobytes * 1024;
  return host;
}

HostInfo SplitClusters(HostInfo host, std::int64_t parts) {
  std::vector<CoreCluster> clusters;
  for (const CoreCluster& cluster : host.clusters) {
    const auto cores = static_cast<std::int64_t>(cluster.cores.size());
    const std::int64_t count = std::clamp<std::int64_t>(parts, 1, cores);
    for (std::int64_t part = 0; part < count; ++part) {
      const auto begin = cluster.cores.begin();
      clusters.push_back(cluster);
      clusters.back().cores.assign(begin + part * cores / count, begin + (part + 1) * cores / count);
    }
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
