#include "device/device_info.h"

#include <algorithm>
#include <nlohmann/json.hpp>

#include "profiles/json_output.h"
#include "profiles/table.h"
#include "profiles/version.h"

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

Json VersionsJson(const DeviceInfo& info) {
  Json versions = {{"tandem", Version()}, {"compiler", CompilerName()}};
  for (const BackendInfo& backend : info.backends) {
    for (const Library& library : backend.state.libraries) versions[library.name] = library.version;
  }
  return versions;
}

std::string Mebibytes(std::int64_t bytes) { return Grouped(bytes >> 20) + " MiB"; }

std::string LibrariesText(const BackendState& state) {
  std::string text;
  for (const Library& library : state.libraries) {
    text += (text.empty() ? "" : ", ") + library.name + " " + library.version;
  }
  return text;
}

void AddBackend(Table& table, const BackendInfo& backend) {
  std::vector<std::string> lines = backend.state.found;
  if (!backend.state.trouble.empty()) lines.push_back("off: " + backend.state.trouble);
  std::string name = backend.name, libraries = LibrariesText(backend.state);
  for (std::string& line : lines) {
    table.Add({std::exchange(name, ""), std::exchange(libraries, ""), std::move(line)});
  }
}

}  // namespace

DeviceInfo LookAtDevice() {
  DeviceInfo info;
  info.host = ReadHost(UsableCores());
  info.platform.name = BoardSlug(info.host);
  info.platform.note = "what tandem-device info found";
  Memory memory;
  memory.name = "dram";
  if (info.host.memory_bytes > 0) memory.capacity_bytes = info.host.memory_bytes;
  info.platform.memories.push_back(memory);
  for (const DeviceBackend* backend : Backends()) {
    info.backends.push_back({std::string(backend->name()), backend->Look(info.host, info.platform)});
  }
  for (const MissingBackend& missing : MissingBackends()) {
    info.backends.push_back({std::string(missing.name), {{}, {}, std::string(missing.reason)}});
  }
  std::sort(info.backends.begin(), info.backends.end(),
            [](const BackendInfo& a, const BackendInfo& b) { return a.name < b.name; });
  return info;
}

std::string DeviceInfoJson(const DeviceInfo& info) {
  Json platform;
  if (!info.platform.units.empty()) platform = Json::parse(PlatformJson(info.platform));
  return JsonOutput({{"versions", VersionsJson(info)},
                     {"host", HostJson(info.host)},
                     {"backends", BackendsJson(info)},
                     {"platform", std::move(platform)}});
}

std::string DeviceInfoText(const DeviceInfo& info, std::size_t width) {
  std::string text = "board     " + info.platform.name + "\n";
  if (!info.host.cpu_name.empty()) text += "cpu       " + info.host.cpu_name + "\n";
  if (info.host.memory_bytes > 0) text += "memory    " + Mebibytes(info.host.memory_bytes) + "\n";
  text += "system    " + info.host.kernel + "\n\n";
  Table table({{"backend"}, {"libraries"}, {"units", false, true}});
  for (const BackendInfo& backend : info.backends) AddBackend(table, backend);
  text += table.Text(width);
  if (info.platform.units.empty()) text += "\nNo unit can be had here.\n";
  return text;
}

}  // namespace tandem
