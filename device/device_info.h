// What `tandem-device info` tells: this machine, its backends, and a platform to start from.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "device/backend.h"

namespace tandem {

struct BackendInfo {
  std::string name;
  BackendState state;
};

struct DeviceInfo {
  HostInfo host;
  std::vector<BackendInfo> backends;  // those that are missing too, with nothing but trouble
  Platform platform;                  // its units are what can be had here; there may be none
};

DeviceInfo LookAtDevice();

// "platform" is null where there is no unit: a platform has at least one.
std::string DeviceInfoJson(const DeviceInfo& info);
std::string DeviceInfoText(const DeviceInfo& info, std::size_t width);

}  // namespace tandem
