// INA3221, the current sensor of Jetson boards: what the board's rails draw at the moment, summed up here.
#pragma once

#include <filesystem>

#include "device/energy/sensor.h"

namespace tandem {

// One sensor (rails.h), of the channels that tell a number. By hwmon, or by the older driver's iio files.
EnergySensors FindIna3221(const std::filesystem::path& root = "/", EnergyClock clock = SteadyNow);

}  // namespace tandem
