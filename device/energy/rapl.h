// RAPL, as Linux tells it under /sys/class/powercap: the energy of each processor package (x86: Intel and
// AMD).
#pragma once

#include <filesystem>

#include "device/energy/sensor.h"

namespace tandem {

// Packages alone: the zones inside one are parts of it, and "psys" is the package and more.
EnergySensors FindRapl(const std::filesystem::path& root = "/");

}  // namespace tandem
