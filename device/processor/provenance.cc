#include "device/processor/provenance.h"

#include <array>
#include <ctime>

#include "device/processor/backend.h"
#include "profiles/program/version.h"

namespace tandem {

std::map<std::string, std::string> LibrariesOf(const Platform& platform) {
  std::map<std::string, std::string> libraries = {{"tandem", std::string(Version())}};
  const HostInfo host = ReadHost(UsableCores());
  for (const DeviceBackend* backend : Backends()) {
    bool used = false;
    for (const Unit& unit : platform.units) {
      used = used || unit.backend == &backend->about();
    }
    if (!used) continue;
    Platform scratch = platform;  // Look adds what it finds
    for (const Library& library : backend->Look(host, scratch).libraries) {
      libraries[library.name] = library.version;
    }
  }
  return libraries;
}

std::string DateNow() {
  const std::time_t now = std::time(nullptr);
  std::tm parts{};
  gmtime_r(&now, &parts);
  std::array<char, 32> text{};
  std::strftime(text.data(), text.size(), "%Y-%m-%dT%H:%M:%SZ", &parts);
  return text.data();
}

}  // namespace tandem
