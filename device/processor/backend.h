// What can run layers on this machine. A backend is a folder device/backends/<name>/: about.cc declares it to
// every program, and one object is registered here; where its package is missing it is not compiled and
// stands in the list with the reason.
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "device/host/info.h"
#include "device/processor/processor.h"
#include "device/processor/running_load.h"
#include "profiles/costs/cost_table.h"
#include "profiles/costs/platform.h"

namespace tandem {

struct Library {
  std::string name;     // "oneDNN"
  std::string version;  // "2.6.3", of what is loaded now
};

struct BackendState {
  std::vector<Library> libraries;
  std::vector<std::string> found;  // a line for each processor: "gpu0: NVIDIA H200, 139 GiB"
  std::string trouble;             // why there are no units, or not all; empty where all is well
};

struct OpenRequest {
  const Platform* platform = nullptr;
  UnitId unit;
  std::int64_t slot = 0;  // of the unit's, from 0: for backends whose slots are not alike
  // What profiles say of the unit, where the caller has some: emulated units wait as long.
  const CostTable* costs = nullptr;
  std::vector<std::string> models;  // by their ModelId in `costs`
  Nanos dispatch{0};                // what starting a task there takes beside its work
  Variant variant;                  // of the unit
  // Instead of the backend's own bound on what trials of the layers of one model take; with it trials go on
  // where earlier ones had no time left.
  std::optional<Nanos> trials;
};

class DeviceBackend {
 public:
  virtual ~DeviceBackend() = default;
  // As its about.cc declares it; the same object every time.
  virtual const BackendDeclaration& about() const = 0;
  std::string_view name() const { return about().name; }
  // Looks what is here and adds its units, and the memories of their own, to `platform`, whose first memory
  // is the board's. A library, driver or card that is missing or broken is told in `trouble`, never thrown.
  virtual BackendState Look(const HostInfo& host, Platform& platform) const = 0;
  // Opens a unit that names this backend, from the thread that will use it (one per slot). Throws InputError
  // where the unit's own description is wrong (no such core), EnvironmentError where it cannot be had.
  virtual std::unique_ptr<Processor> Open(const OpenRequest& request) const = 0;
  // What copies into and out of the unit's memory beside its work, from the thread that will use it. Null:
  // it has nothing of the kind. Throws as Open does.
  virtual std::unique_ptr<Copier> OpenCopier(const OpenRequest&) const { return nullptr; }
  // A load that takes `load_pct` (1..99) percent of the unit's time, beside whatever works there; for those
  // that declare one and do not own their cores. Throws as Open does.
  virtual std::unique_ptr<RunningLoad> OpenLoad(const OpenRequest&, std::int64_t /*load_pct*/) const {
    return nullptr;
  }
};

// `static const BackendRegistration kCpu{std::make_unique<CpuBackend>()};` at namespace scope.
struct BackendRegistration {
  explicit BackendRegistration(std::unique_ptr<DeviceBackend> backend);
};

// In order of name.
std::vector<const DeviceBackend*> Backends();

// Null where this build has none that runs the unit.
const DeviceBackend* FindBackendOf(const Unit& unit);
// The backend that runs the unit. Throws InputError where the unit names none (`place` first),
// EnvironmentError where this build or this machine has it not, with the reason.
const DeviceBackend& BackendOf(const Unit& unit, const std::string& place);
// How whoever opens units finds what runs them: the above, unless a test brings its own.
using FindBackend = std::function<const DeviceBackend&(const Unit&, const std::string& place)>;

// In plans, the tensors of a unit that works from the board's first memory lie in the host's, as all units
// there reach it.
inline bool MeetsInHostMemory(const Unit& unit) { return unit.memory == MemoryId(0); }
// Where the tensors lie that such a unit works on in plans: times are measured there.
TensorMemory& MemoryInPlans(Processor& processor, const Unit& unit);

// What a backend that lacks kernels calls first in Compile: throws EnvironmentError with the layer's name
// where the segment has one that it declares to lack.
void RefuseLacking(const BackendDeclaration& backend, const SegmentSpec& spec);

struct MissingBackend {
  std::string_view name;
  std::string_view reason;  // "built without oneDNN"
};
std::vector<MissingBackend> MissingBackends();

}  // namespace tandem
