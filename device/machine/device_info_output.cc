// What `tandem-device info` prints.
#include <algorithm>
#include <nlohmann/json.hpp>
#include <utility>

#include "device/host/core_list.h"
#include "device/machine/device_info.h"
#include "profiles/base/figures.h"
#include "profiles/base/joined.h"
#include "profiles/base/json_output.h"
#include "profiles/base/table.h"
#include "profiles/program/version.h"

namespace tandem {
namespace {

using Json = nlohmann::ordered_json;

Json PartsJson(const CoreCluster& cluster) {
  Json parts = Json::array();
  for (const CorePart& part : cluster.parts) {
    parts.push_back({{"cores", part.cores},
                     {"max_khz", part.max_khz},
                     {"limit_khz", part.limit_khz},
                     {"capacity", part.capacity},
                     {"governor", part.governor}});
  }
  return parts;
}

Json ClustersJson(const HostInfo& host) {
  Json clusters = Json::array();
  for (const CoreCluster& cluster : host.clusters) {
    clusters.push_back({{"cores", cluster.cores},
                        {"package", cluster.package},
                        {"max_khz", cluster.max_khz},
                        {"limit_khz", cluster.limit_khz},
                        {"capacity", cluster.capacity},
                        {"threads_per_core", cluster.threads_per_core},
                        {"governor", cluster.governor},
                        {"design", cluster.design},
                        {"parts", PartsJson(cluster)}});
  }
  return clusters;
}

Json CachesJson(const HostInfo& host) {
  Json caches = Json::array();
  for (const Caches& alike : host.caches) {
    caches.push_back({{"level", alike.level},
                      {"holds", alike.holds},
                      {"bytes", alike.bytes},
                      {"shared_by", alike.shared_by}});
  }
  return caches;
}

Json HostJson(const HostInfo& host) {
  return {{"board", host.board},
          {"cpu", host.cpu_name},
          {"kernel", host.kernel},
          {"memory_bytes", host.memory_bytes},
          {"memory_limit_bytes", host.memory_limit_bytes ? Json(*host.memory_limit_bytes) : Json()},
          {"clusters", ClustersJson(host)},
          {"offline", host.offline},
          {"quota_cores", host.quota_cores ? Json(*host.quota_cores) : Json()},
          {"caches", CachesJson(host)}};
}

Json BackendsJson(const DeviceInfo& info) {
  Json backends = Json::array();
  for (const BackendInfo& backend : info.backends) {
    Json libraries = Json::object();
    for (const Library& library : backend.state.libraries) libraries[library.name] = library.version;
    backends.push_back({{"name", backend.name},
                        {"libraries", std::move(libraries)},
                        {"found", backend.state.found},
                        {"trouble", backend.state.trouble}});
  }
  return backends;
}

Json SensorsJson(const DeviceInfo& info) {
  Json sensors = Json::array();
  for (const SensorInfo& kind : info.sensors) {
    sensors.push_back({{"name", kind.kind}, {"found", kind.found}, {"trouble", kind.trouble}});
  }
  return sensors;
}

Json HeatJson(const Heat& heat) {
  Json celsius = Json::object();
  for (const auto& [zone, value] : heat.millicelsius) celsius[zone] = static_cast<double>(value) / 1e3;
  return {{"celsius", std::move(celsius)}, {"held_back", heat.held_back}};
}

Json VersionsJson(const DeviceInfo& info) {
  Json versions = {{"tandem", Version()}, {"compiler", CompilerName()}};
  for (const BackendInfo& backend : info.backends) {
    for (const Library& library : backend.state.libraries) versions[library.name] = library.version;
  }
  return versions;
}

std::string Mebibytes(std::int64_t bytes) { return Grouped(bytes >> 20) + " MiB"; }

std::string HeadText(const DeviceInfo& info) {
  const HostInfo& host = info.host;
  std::string text = "board     " + info.platform.name + "\n";
  if (!host.cpu_name.empty()) text += "cpu       " + host.cpu_name + "\n";
  if (!host.offline.empty()) text += "off       cores " + CoreListText(host.offline) + "\n";
  if (host.quota_cores) text += "quota     the time of " + Fixed(*host.quota_cores, 2) + " cores\n";
  if (host.memory_bytes > 0) text += "memory    " + Mebibytes(host.memory_bytes);
  if (host.memory_limit_bytes) {
    text += ", of which a control group leaves " + Mebibytes(*host.memory_limit_bytes);
  }
  if (host.memory_bytes > 0) text += "\n";
  if (!host.kernel.empty()) text += "system    " + host.kernel + "\n";
  return text;
}

std::string LibrariesText(const BackendState& state) {
  return Joined(state.libraries, ", ",
                [](const Library& library) { return library.name + " " + library.version; });
}

void AddBackend(Table& table, const BackendInfo& backend) {
  std::vector<std::string> lines = backend.state.found;
  if (!backend.state.trouble.empty()) lines.push_back("off: " + backend.state.trouble);
  std::string name = backend.name, libraries = LibrariesText(backend.state);
  for (std::string& line : lines) {
    table.Add({std::exchange(name, ""), std::exchange(libraries, ""), std::move(line)});
  }
}

// "0-1; 2-3"; where each core has one of its own, or there are many, in fewer words.
std::string SharedText(const Caches& alike) {
  constexpr std::size_t kMostListed = 4;
  std::vector<std::int64_t> cores;
  bool equal = true;
  const std::size_t many = alike.shared_by.front().size();
  for (const auto& group : alike.shared_by) {
    equal = equal && group.size() == many;
    cores.insert(cores.end(), group.begin(), group.end());
  }
  if (!equal || (many > 1 && alike.shared_by.size() <= kMostListed)) {
    return Joined(alike.shared_by, "; ", [](const auto& group) { return CoreListText(group); });
  }
  std::sort(cores.begin(), cores.end());
  return "each" + (many == 1 ? "" : " " + std::to_string(many)) + " of " + CoreListText(cores);
}

std::string CachesTable(const HostInfo& host, std::size_t width) {
  if (host.caches.empty()) return "";
  Table table({{"cache"}, {"size", true}, {"of cores", false, false, true}});
  for (const Caches& alike : host.caches) {
    table.Add({"L" + std::to_string(alike.level) +
                   (alike.holds.empty() || alike.holds == "unified" ? "" : " " + alike.holds),
               alike.bytes > 0 ? Grouped(alike.bytes >> 10) + " KiB" : "unknown", SharedText(alike)});
  }
  return "\n" + table.Text(width);
}

std::string SensorsTable(const DeviceInfo& info, std::size_t width) {
  if (info.sensors.empty()) return "";
  Table table({{"energy"}, {"sensors", false, false, true}});
  for (const SensorInfo& kind : info.sensors) {
    std::vector<std::string> lines = kind.found;
    if (!kind.trouble.empty()) lines.push_back("off: " + kind.trouble);
    std::string name = kind.kind;
    for (std::string& line : lines) table.Add({std::exchange(name, ""), std::move(line)});
  }
  return "\n" + table.Text(width);
}

std::string ClocksTable(const DeviceInfo& info, std::size_t width) {
  if (info.clocks.empty()) return "";
  Table table({{"clocks of"}, {"settings", false, false, true}});
  for (const auto& [whose, setting] : info.clocks) table.Add({whose, setting});
  return "\n" + table.Text(width);
}

std::string HeatTable(const Heat& heat, std::size_t width) {
  if (heat.millicelsius.empty() && heat.held_back.empty()) return "";
  Table table({{"heat of"}, {"now", false, false, true}});
  for (const auto& [zone, celsius] : HeatText(heat, heat)) table.Add({zone, celsius});
  for (const auto& [name, state] : heat.held_back) {
    table.Add({name, state > 0 ? "holds clocks back" : "holds nothing back"});
  }
  return "\n" + table.Text(width);
}

}  // namespace

std::string DeviceInfoJson(const DeviceInfo& info) {
  Json platform;
  if (!info.platform.units.empty()) platform = Json::parse(PlatformJson(info.platform));
  return JsonOutput({{"versions", VersionsJson(info)},
                     {"host", HostJson(info.host)},
                     {"backends", BackendsJson(info)},
                     {"energy", SensorsJson(info)},
                     {"clocks", info.clocks},
                     {"heat", HeatJson(info.heat)},
                     {"platform", std::move(platform)}});
}

std::string DeviceInfoText(const DeviceInfo& info, std::size_t width) {
  Table backends({{"backend"}, {"libraries"}, {"units", false, false, true}});
  for (const BackendInfo& backend : info.backends) AddBackend(backends, backend);
  std::string text = HeadText(info) + "\n" + backends.Text(width) + CachesTable(info.host, width) +
                     SensorsTable(info, width) + ClocksTable(info, width) + HeatTable(info.heat, width);
  if (info.platform.units.empty()) text += "\nNo unit can be had here.\n";
  return text;
}

}  // namespace tandem
