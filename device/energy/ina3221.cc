#include "device/energy/ina3221.h"

#include <system_error>
#include <utility>

#include "device/energy/rails.h"
#include "device/host/sysfs.h"

namespace tandem {
namespace fs = std::filesystem;
namespace {

constexpr int kChannels = 3;
constexpr double kMilliwatt = 1e-3;
constexpr std::string_view kNotConnected = "NC";

bool IsThere(const fs::path& file) {
  std::error_code error;
  return fs::exists(file, error);
}

void AddHwmon(const fs::path& folder, std::vector<Rail>& rails) {
  for (int channel = 1; channel <= kChannels; ++channel) {
    const std::string number = std::to_string(channel);
    Rail rail;
    rail.label = SysfsLine(folder / ("in" + number + "_label"));
    rail.millivolts = folder / ("in" + number + "_input");
    rail.milliamperes = folder / ("curr" + number + "_input");
    if (!rail.label.empty() && IsThere(rail.milliamperes)) rails.push_back(std::move(rail));
  }
}

void AddIio(const fs::path& folder, std::vector<Rail>& rails) {
  for (int channel = 0; channel < kChannels; ++channel) {
    const std::string number = std::to_string(channel);
    Rail rail;
    rail.label = SysfsLine(folder / ("rail_name_" + number));
    rail.power = folder / ("in_power" + number + "_input");
    rail.watts = kMilliwatt;
    if (!rail.label.empty() && IsThere(rail.power)) rails.push_back(std::move(rail));
  }
}

// Chips hang on their driver as "1-0040".
void AddChips(const fs::path& driver, std::vector<Rail>& rails) {
  for (const fs::path& chip : EntriesOf(driver)) {
    for (const fs::path& folder : EntriesOf(chip / "hwmon")) AddHwmon(folder, rails);
    for (const fs::path& folder : EntriesOf(chip)) {
      if (folder.filename().string().starts_with("iio:device")) AddIio(folder, rails);
    }
  }
}

}  // namespace

EnergySensors FindIna3221(const fs::path& root, EnergyClock clock) {
  std::vector<Rail> rails;
  const fs::path drivers = root / "sys/bus/i2c/drivers";
  for (const char* driver : {"ina3221", "ina3221x"}) AddChips(drivers / driver, rails);
  std::erase_if(rails, [](const Rail& rail) { return rail.label == kNotConnected; });
  if (rails.empty()) return {"ina3221", {}, "no such chip under " + drivers.string()};
  return SensorOfRails("ina3221", std::move(rails), std::move(clock));
}

}  // namespace tandem
