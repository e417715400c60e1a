// The backends that are held against the reference kernels.
#pragma once

#include <vector>

#include "device/host/info.h"
#include "device/processor/backend.h"
#include "tests/support/device/cuda_on_host_backend.h"

namespace tandem {

// Those that can be opened here, and the GPU backend on a card that computes on the host.
inline std::vector<const DeviceBackend*> ComputingBackends() {
  std::vector<const DeviceBackend*> found = CudaOnHostBackends();
  for (const DeviceBackend* backend : Backends()) {
    if (!backend->about().Measurable()) continue;
    Platform seen;
    const std::size_t units = (backend->Look(ReadHost(UsableCores()), seen), seen.units.size());
    if (units > 0 || backend->about().yardstick) found.push_back(backend);
  }
  return found;
}

inline bool ComputesInFloat(const DeviceBackend& backend) {
  return backend.about().precisions.front() == "fp32";
}

}  // namespace tandem
