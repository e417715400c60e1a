#include "device/energy/ina2xx.h"

#include <algorithm>
#include <set>
#include <system_error>
#include <utility>

#include "device/energy/rails.h"
#include "device/host/sysfs.h"
#include "profiles/base/joined.h"

namespace tandem {
namespace fs = std::filesystem;
namespace {

constexpr double kMicrowatt = 1e-6;

bool TellsEnergy(const fs::path& folder) {
  std::error_code error;
  const auto is_there = [&](const char* file) { return fs::exists(folder / file, error); };
  return is_there("power1_input") || is_there("power1_average") || is_there("energy1_input");
}

// What the rail is called: by the driver, in the device tree ("ina226-u76"), or as its place among its like.
std::string LabelOf(const fs::path& folder) {
  for (const char* file : {"power1_label", "label", "of_node/label"}) {
    if (std::string label = SysfsLine(folder / file); !label.empty()) return label;
  }
  return folder.filename().string();
}

}  // namespace

EnergySensors FindIna2xx(const fs::path& root, EnergyClock clock) {
  const fs::path monitors = root / "sys/class/hwmon";
  std::vector<Rail> rails;
  std::set<std::string> others;
  for (const fs::path& folder : EntriesOf(monitors)) {
    if (!TellsEnergy(folder)) continue;
    const std::string name = SysfsLine(folder / "name");  // "ina226", by way of iio "ina226_u76"
    if (name.starts_with("ina2")) {
      rails.push_back({LabelOf(folder), folder / "power1_input", kMicrowatt, {}, {}});
    } else {
      others.insert(name.empty() ? folder.filename().string() : name);
    }
  }
  if (!rails.empty()) return SensorOfRails("ina2xx", std::move(rails), std::move(clock));
  EnergySensors none{"ina2xx", {}, "no such chip under " + monitors.string()};
  if (!others.empty()) none.why_not += "; what " + Joined(others) + " there counts is not known";
  return none;
}

}  // namespace tandem
