#include "device/backend.h"

#include <algorithm>
#include <utility>

namespace tandem {
namespace {

std::vector<std::unique_ptr<DeviceBackend>>& Registered() {
  static std::vector<std::unique_ptr<DeviceBackend>> backends;
  return backends;
}

}  // namespace

BackendRegistration::BackendRegistration(std::unique_ptr<DeviceBackend> backend) {
  Registered().push_back(std::move(backend));
}

std::vector<const DeviceBackend*> Backends() {
  std::vector<const DeviceBackend*> backends;
  for (const auto& backend : Registered()) backends.push_back(backend.get());
  std::sort(backends.begin(), backends.end(),
            [](const DeviceBackend* a, const DeviceBackend* b) { return a->name() < b->name(); });
  return backends;
}

std::vector<MissingBackend> MissingBackends() {
  std::vector<MissingBackend> missing;
  std::string_view rest = TANDEM_MISSING_BACKENDS;  // "cpu=built without oneDNN|cuda=built without CUDA|"
  while (!rest.empty()) {
    const std::string_view entry = rest.substr(0, rest.find('|'));
    const auto middle = entry.find('=');
    missing.push_back({entry.substr(0, middle), entry.substr(middle + 1)});
    rest.remove_prefix(entry.size() + 1);
  }
  return missing;
}

}  // namespace tandem
