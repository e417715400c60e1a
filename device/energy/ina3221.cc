#include "device/energy/ina3221.h"

#include <algorithm>
#include <functional>
#include <set>
#include <system_error>
#include <utility>

#include "device/energy/rails.h"
#include "device/host/sysfs.h"

namespace tandem {
namespace fs = std::filesystem;
namespace {

constexpr int kChannels = 3;
constexpr double kMilliwatt = 1e-3;
constexpr std::string_view kName = "ina3221";  // "ina3221x" by the older driver
constexpr std::string_view kNotConnected = "NC";

bool IsThere(const fs::path& file) {
  std::error_code error;
  return fs::exists(file, error);
}

// Of the older driver: "iio:device0", and "iio_device" in kernels before that.
bool IsIio(const fs::path& folder) {
  const std::string name = folder.filename().string();
  return name.starts_with("iio:device") || name == "iio_device";
}

// By bus and address: "1-0040". A driver's folder has other things, too.
bool IsChip(const fs::path& folder) {
  const std::string name = folder.filename().string();
  return name[0] >= '0' && name[0] <= '9' && name.find('-') != std::string::npos;
}

bool IsNamed(const fs::path& folder) { return SysfsLine(folder / "name").starts_with(kName); }

// As its driver calls it, or in the order of the chip's channels.
std::string LabelOf(const fs::path& file, const std::string& chip, const std::string& channel) {
  std::string label = SysfsLine(file);
  return label.empty() ? chip + " channel " + channel : label;
}

void AddHwmon(const std::string& chip, const fs::path& folder, std::vector<Rail>& rails) {
  for (int channel = 1; channel <= kChannels; ++channel) {
    const std::string number = std::to_string(channel);
    if (SysfsNumber(folder / ("in" + number + "_enable")) == 0) continue;
    Rail rail;
    rail.label = LabelOf(folder / ("in" + number + "_label"), chip, number);
    rail.millivolts = folder / ("in" + number + "_input");
    rail.milliamperes = folder / ("curr" + number + "_input");
    if (IsThere(rail.milliamperes)) rails.push_back(std::move(rail));
  }
}

void AddIio(const std::string& chip, const fs::path& folder, std::vector<Rail>& rails) {
  for (int channel = 0; channel < kChannels; ++channel) {
    const std::string number = std::to_string(channel);
    Rail rail;
    rail.label = LabelOf(folder / ("rail_name_" + number), chip, number);
    rail.power = folder / ("in_power" + number + "_input");
    rail.watts = kMilliwatt;
    if (IsThere(rail.power)) rails.push_back(std::move(rail));
  }
}

using AddRails = void (*)(const std::string& chip, const fs::path& folder, std::vector<Rail>&);

// A chip stands in several places: with its driver and its bus as "1-0040", of which the monitor is
// "hwmon/hwmon2", and among all monitors as "hwmon2"; likewise the iio device of the older driver.
class Chips {
 public:
  explicit Chips(const fs::path& root) {
    const fs::path i2c = root / "sys/bus/i2c";
    for (const char* driver : {"ina3221", "ina3221x"}) {
      for (const fs::path& chip : EntriesOf(i2c / "drivers" / driver)) AddChip(chip, true);
    }
    for (const fs::path& chip : EntriesOf(i2c / "devices")) AddChip(chip, IsNamed(chip));
    for (const fs::path& folder : EntriesOf(root / "sys/class/hwmon")) AddMonitor(folder, AddHwmon);
    for (const fs::path& folder : EntriesOf(root / "sys/bus/iio/devices")) AddMonitor(folder, AddIio);
  }
  bool empty() const { return chips_.empty(); }
  std::vector<Rail> TakeRails() { return std::move(rails_); }
  // Of one that no driver reads; empty: there is none.
  const fs::path& without_monitor() const { return without_monitor_; }

 private:
  void AddChip(const fs::path& chip, bool known) {
    const std::string name = chip.filename().string();
    if (chips_.contains(name)) return;
    for (const fs::path& folder : EntriesOf(chip / "hwmon")) {
      if (known || IsNamed(folder)) Add(name, folder, AddHwmon);
    }
    if (chips_.contains(name)) return;
    for (const fs::path& folder : EntriesOf(chip)) {
      if (IsIio(folder) && (known || IsNamed(folder))) Add(name, folder, AddIio);
    }
    if (known && IsChip(chip) && !chips_.contains(name)) without_monitor_ = chip;
  }
  void AddMonitor(const fs::path& folder, AddRails add) {
    if (!IsNamed(folder) || monitors_.contains(folder.filename().string())) return;
    std::error_code error;
    const fs::path device = fs::read_symlink(folder / "device", error);
    const std::string name = (error ? folder : device).filename().string();
    if (!chips_.contains(name)) Add(name, folder, add);
  }
  void Add(const std::string& chip, const fs::path& folder, AddRails add) {
    chips_.insert(chip);
    monitors_.insert(folder.filename().string());
    add(chip, folder, rails_);
  }

  std::vector<Rail> rails_;
  std::set<std::string> chips_, monitors_;
  fs::path without_monitor_;
};

}  // namespace

EnergySensors FindIna3221(const fs::path& root, EnergyClock clock) {
  Chips chips(root);
  std::vector<Rail> rails = chips.TakeRails();
  std::erase_if(rails, [](const Rail& rail) { return rail.label == kNotConnected; });
  if (rails.empty()) {
    if (!chips.empty()) return {"ina3221", {}, "no channel of its chips is on and connected"};
    if (const fs::path& chip = chips.without_monitor(); !chip.empty()) {
      return {"ina3221", {}, "neither hwmon nor iio tells what the chip " + chip.string() + " measures"};
    }
    return {"ina3221", {}, "no such chip under " + (root / "sys/bus/i2c/drivers").string()};
  }
  // A channel that measures nothing has no number. Where none has, why stands there.
  const auto tells = [](const Rail& rail) { return rail.Watts().has_value(); };
  if (std::any_of(rails.begin(), rails.end(), tells)) std::erase_if(rails, std::not_fn(tells));
  return SensorOfRails("ina3221", std::move(rails), std::move(clock));
}

}  // namespace tandem
