// The GPU backend on a card that computes on the host, as backends that the contract tests take in.
#pragma once

#include <vector>

#include "device/backends/cuda/gpu/context.h"
#include "device/processor/backend.h"
#include "tests/support/device/host_card.h"

namespace tandem {

// One for every way in which a segment may be compiled; alive to the end of the program.
std::vector<const DeviceBackend*> CudaOnHostBackends();

}  // namespace tandem
