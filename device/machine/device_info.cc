#include "device/machine/device_info.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <map>
#include <nlohmann/json.hpp>

#include "profiles/base/joined.h"
#include "profiles/base/json_output.h"
#include "profiles/base/table.h"
#include "profiles/program/version.h"

namespace tandem {
namespace {

using Json = nlohmann::ordered_json;

Json HostJson(const HostInfo& host) {
  Json clusters = Json::array();
  for (const CoreCluster& cluster : host.clusters) {
    clusters.push_back({{"cores", cluster.cores},
                        {"package", cluster.package},
                        {"max_khz", cluster.max_khz},
                        {"threads_per_core", cluster.threads_per_core},
                        {"governor", cluster.governor}});
  }
  return {{"board", host.board},
          {"cpu", host.cpu_name},
          {"kernel", host.kernel},
          {"memory_bytes", host.memory_bytes},
          {"clusters", std::move(clusters)}};
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

Json VersionsJson(const DeviceInfo& info) {
  Json versions = {{"tandem", Version()}, {"compiler", CompilerName()}};
  for (const BackendInfo& backend : info.backends) {
    for (const Library& library : backend.state.libraries) versions[library.name] = library.version;
  }
  return versions;
}

std::string Mebibytes(std::int64_t bytes) { return Grouped(bytes >> 20) + " MiB"; }

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

void AddSensors(Table& table, const SensorInfo& kind) {
  std::vector<std::string> lines = kind.found;
  if (!kind.trouble.empty()) lines.push_back("off: " + kind.trouble);
  std::string name = kind.kind;
  for (std::string& line : lines) table.Add({std::exchange(name, ""), std::move(line)});
}

}  // namespace

DeviceInfo LookAtDevice(std::int64_t parts) {
  DeviceInfo info;
  info.host = ReadHost(UsableCores());
  info.platform.name = BoardSlug(info.host);
  info.platform.note = "what tandem-device info found";
  Memory memory;
  memory.name = "dram";
  if (info.host.memory_bytes > 0) memory.capacity_bytes = info.host.memory_bytes;
  info.platform.memories.push_back(memory);
  const HostInfo split = SplitClusters(info.host, parts);
  for (const DeviceBackend* backend : Backends()) {
    info.backends.push_back({std::string(backend->name()), backend->Look(split, info.platform)});
  }
  for (const MissingBackend& missing : MissingBackends()) {
    info.backends.push_back({std::string(missing.name), {{}, {}, std::string(missing.reason)}});
  }
  std::sort(info.backends.begin(), info.backends.end(),
            [](const BackendInfo& a, const BackendInfo& b) { return a.name < b.name; });
  return info;
}

std::vector<SensorInfo> LookAtSensors(const EnergyMeter& meter) {
  std::vector<SensorInfo> sensors;
  for (const EnergySensors& kind : meter.found()) {
    sensors.push_back({kind.kind, {}, kind.why_not});
    for (const auto& sensor : kind.sensors) sensors.back().found.push_back(sensor->name());
  }
  return sensors;
}

std::vector<std::string> MeasureIdle(EnergyMeter& meter, Platform& platform) {
  std::vector<EnergyScope> scopes;
  std::map<std::size_t, double> units;  // by sensor, that share it
  for (const Unit& unit : platform.units) {
    const std::array<const Unit*, 1> alone = {&unit};
    scopes.push_back(meter.ScopeOf(alone));
    for (const std::size_t sensor : scopes.back().sensors) ++units[sensor];
  }
  std::map<std::size_t, double> watts;
  for (const auto& [sensor, sharing] : units) watts[sensor] = meter.IdleWatts({{sensor}, ""});
  std::vector<std::string> unknown;
  for (std::size_t u = 0; u < scopes.size(); ++u) {
    if (!scopes[u].known()) {
      unknown.push_back(scopes[u].why);
      continue;
    }
    double of_unit = 0;
    for (const std::size_t sensor : scopes[u].sensors) of_unit += watts[sensor] / units[sensor];
    platform.units[u].idle_w = std::max(std::round(of_unit * 1e3) / 1e3, 0.0);
  }
  return unknown;
}

std::string DeviceInfoJson(const DeviceInfo& info) {
  Json platform;
  if (!info.platform.units.empty()) platform = Json::parse(PlatformJson(info.platform));
  return JsonOutput({{"versions", VersionsJson(info)},
                     {"host", HostJson(info.host)},
                     {"backends", BackendsJson(info)},
                     {"energy", SensorsJson(info)},
                     {"clocks", info.clocks},
                     {"platform", std::move(platform)}});
}

std::string DeviceInfoText(const DeviceInfo& info, std::size_t width) {
  std::string text = "board     " + info.platform.name + "\n";
  if (!info.host.cpu_name.empty()) text += "cpu       " + info.host.cpu_name + "\n";
  if (info.host.memory_bytes > 0) text += "memory    " + Mebibytes(info.host.memory_bytes) + "\n";
  text += "system    " + info.host.kernel + "\n\n";
  Table table({{"backend"}, {"libraries"}, {"units", false, false, true}});
  for (const BackendInfo& backend : info.backends) AddBackend(table, backend);
  text += table.Text(width);
  Table sensors({{"energy"}, {"sensors", false, false, true}});
  for (const SensorInfo& kind : info.sensors) AddSensors(sensors, kind);
  if (!info.sensors.empty()) text += "\n" + sensors.Text(width);
  Table clocks({{"clocks of"}, {"settings", false, false, true}});
  for (const auto& [whose, setting] : info.clocks) clocks.Add({whose, setting});
  if (!info.clocks.empty()) text += "\n" + clocks.Text(width);
  if (info.platform.units.empty()) text += "\nNo unit can be had here.\n";
  return text;
}

}  // namespace tandem
