// INA219, INA226, INA231 and their like: chips that measure a rail each (ZCU102 has 18), as hwmon shows them;
// summed up here.
#pragma once

#include <filesystem>

#include "device/energy/sensor.h"

namespace tandem {

// One sensor (rails.h). What else tells a power or an energy under hwmon is named in `why_not` and not
// counted: it may be a part of a board, the same rail once more or a whole machine, and nothing says which.
EnergySensors FindIna2xx(const std::filesystem::path& root = "/", EnergyClock clock = SteadyNow);

}  // namespace tandem
