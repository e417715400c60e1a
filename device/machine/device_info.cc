#include "device/machine/device_info.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <map>

#include "device/host/sysfs.h"

namespace tandem {
namespace {

// Cores stand in a machine's files. Its other devices are found by a library, which asks the machine itself.
BackendState LookWith(const DeviceBackend& backend, const HostInfo& host, bool own, Platform& platform) {
  if (own || backend.about().device == KeyUse::kRefused) return backend.Look(host, platform);
  return {{}, {}, "its library finds devices of the machine itself, not in a copy of its files"};
}

std::string NoteOf(const HostInfo& host, bool own) {
  std::string note = "what tandem-device info found";
  if (!own) note += " in a copy of its /sys and /proc";
  for (const std::string& withheld : WithheldTexts(host)) note += "; " + withheld;
  return note;
}

}  // namespace

DeviceInfo LookAtDevice(std::int64_t parts, const std::filesystem::path& root) {
  const bool own = IsOwnRoot(root);
  DeviceInfo info;
  info.host = ReadHost(UsableCores(root), root);
  info.platform.name = BoardSlug(info.host);
  info.platform.note = NoteOf(info.host, own);
  Memory memory;
  memory.name = "dram";
  if (const std::int64_t bytes = UsableMemory(info.host); bytes > 0) memory.capacity_bytes = bytes;
  info.platform.memories.push_back(memory);
  const HostInfo split = SplitClusters(info.host, parts);
  for (const DeviceBackend* backend : Backends()) {
    info.backends.push_back({std::string(backend->name()), LookWith(*backend, split, own, info.platform)});
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

}  // namespace tandem
