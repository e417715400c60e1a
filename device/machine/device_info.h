// Room device/machine: what this machine offers, which unit a command line means, and by what work its state
// is told.
//
// What `tandem-device info` tells: this machine, its backends, and a platform to start from.
#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "device/energy/meter.h"
#include "device/host/heat.h"
#include "device/processor/backend.h"

namespace tandem {

struct BackendInfo {
  std::string name;
  BackendState state;
};

struct SensorInfo {
  std::string kind;                // "rapl"
  std::vector<std::string> found;  // "rapl package-0"
  std::string trouble;             // why there are none
};

struct DeviceInfo {
  HostInfo host;
  std::vector<BackendInfo> backends;          // those that are missing too, with nothing but trouble
  std::vector<SensorInfo> sensors;            // of energy, all kinds, where LookAtSensors told
  std::map<std::string, std::string> clocks;  // ClockSettings, where they were asked for
  Heat heat;                                  // ReadHeat, where it was asked for
  Platform platform;                          // its units are what can be had here; there may be none
};

// `parts`: CPU units, of every cluster of equal cores, where it has so many cores. `root`: of this machine,
// or a copy of another's /sys and /proc, in which are its cores and no device that a library finds.
DeviceInfo LookAtDevice(std::int64_t parts = 1, const std::filesystem::path& root = "/");

std::vector<SensorInfo> LookAtSensors(const EnergyMeter& meter);

// Gives each unit its `idle_w`: what its sensors tell while nothing runs here, in equal parts where they
// count several units. A sentence for each unit whose draw cannot be told.
std::vector<std::string> MeasureIdle(EnergyMeter& meter, Platform& platform);

// "platform" is null where there is no unit: a platform has at least one.
std::string DeviceInfoJson(const DeviceInfo& info);
std::string DeviceInfoText(const DeviceInfo& info, std::size_t width);

}  // namespace tandem
