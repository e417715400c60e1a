// NVML, NVIDIA's management library: the energy of each GPU. It is loaded where it is there; nothing is
// linked.
#pragma once

#include <string>

#include "device/energy/sensor.h"
#include "device/host/nvml_library.h"

namespace tandem {

// Where a GPU does not count its energy, its draw is summed up.
EnergySensors FindNvml(const std::string& library = kNvmlName, EnergyClock clock = SteadyNow);

}  // namespace tandem
