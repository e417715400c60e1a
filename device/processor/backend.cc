#include "device/processor/backend.h"

#include <algorithm>
#include <utility>

#include "profiles/base/input_error.h"
#include "profiles/base/suggest.h"

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

const DeviceBackend* FindBackendOf(const Unit& unit) {
  for (const auto& backend : Registered()) {
    if (&backend->about() == unit.backend) return backend.get();
  }
  return nullptr;
}

const DeviceBackend& BackendOf(const Unit& unit, const std::string& place) {
  if (unit.backend == nullptr) {
    throw InputError(
        place + ": unit \"" + unit.name +
        "\" names no backend, so nothing can be run on it; add \"backend\": \"cpu\" and its cores, "
        "or \"emulated\"");
  }
  if (const DeviceBackend* backend = FindBackendOf(unit)) return *backend;
  const std::string_view name = unit.backend->name;
  for (const MissingBackend& missing : MissingBackends()) {
    if (missing.name == name) {
      throw EnvironmentError("unit \"" + unit.name + "\": there is no backend \"" + std::string(name) +
                             "\" here: " + std::string(missing.reason));
    }
  }
  throw EnvironmentError("unit \"" + unit.name + "\": this build has no backend \"" + std::string(name) +
                         "\"");
}

TensorMemory& MemoryInPlans(Processor& processor, const Unit& unit) {
  const bool host = MeetsInHostMemory(unit) || processor.memory().HostReads();
  return host ? processor.host_memory() : processor.memory();
}

void RefuseLacking(const BackendDeclaration& backend, const SegmentSpec& spec) {
  for (const LayerId id : spec.layers) {
    const Layer& layer = spec.model->layer(id);
    const std::string& op = OpName(layer.op);
    if (std::find(backend.lacks.begin(), backend.lacks.end(), op) == backend.lacks.end()) continue;
    throw EnvironmentError(spec.model->name() + ": " + layer.name + ": the backend " + Quoted(backend.name) +
                           " has no kernel for " + op);
  }
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
