#include "device/host/heat.h"

#include <algorithm>
#include <array>
#include <string_view>
#include <vector>

#include "device/host/sysfs.h"

namespace tandem {
namespace fs = std::filesystem;
namespace {

constexpr const char* kThermal = "sys/class/thermal";

// What cools by slowing down, as drivers name it; fans do not.
constexpr std::array<std::string_view, 5> kOfClocks = {"thermal-cpufreq", "cpufreq", "thermal-devfreq",
                                                       "devfreq", "Processor"};

bool LimitsClocks(const std::string& type) {
  return std::any_of(kOfClocks.begin(), kOfClocks.end(),
                     [&](std::string_view begin) { return type.starts_with(begin); });
}

std::optional<std::int64_t> StateOf(const fs::path& folder) { return SysfsNumber(folder / "cur_state"); }

// In the order of their numbers: "thermal_zone2" before "thermal_zone10".
std::vector<fs::path> ZonesOf(const fs::path& thermal) {
  std::vector<fs::path> zones = EntriesOf(thermal);
  std::erase_if(zones,
                [](const fs::path& at) { return !at.filename().string().starts_with("thermal_zone"); });
  std::stable_sort(zones.begin(), zones.end(), [](const fs::path& a, const fs::path& b) {
    return a.filename().string().size() < b.filename().string().size();
  });
  return zones;
}

// "acpitz", and where several zones are of one type "acpitz #2".
std::string ZoneName(const std::string& type, int of_type) {
  return of_type == 1 ? type : type + " #" + std::to_string(of_type);
}

std::string Celsius(std::int64_t millicelsius) { return std::to_string((millicelsius + 500) / 1000); }

std::int64_t ValueAt(const std::map<std::string, std::int64_t>& values, const std::string& name) {
  const auto found = values.find(name);
  return found == values.end() ? 0 : found->second;
}

}  // namespace

ClockLimits::ClockLimits(const fs::path& root) {
  for (const fs::path& folder : EntriesOf(root / kThermal)) {
    if (!folder.filename().string().starts_with("cooling_device")) continue;
    std::string type = SysfsLine(folder / "type");
    if (LimitsClocks(type) && StateOf(folder)) devices_.push_back({std::move(type), folder});
  }
}

bool ClockLimits::HoldBack() const {
  return std::any_of(devices_.begin(), devices_.end(),
                     [](const Device& device) { return StateOf(device.folder).value_or(0) > 0; });
}

void ClockLimits::AddTo(Heat& heat) const {
  for (const Device& device : devices_) {
    std::int64_t& most = heat.held_back[device.name];
    most = std::max(most, StateOf(device.folder).value_or(0));
    if (const auto changes = SysfsNumber(device.folder / "stats/total_trans")) {
      heat.changes[device.name] += *changes;
    }
  }
}

Heat ReadHeat(const fs::path& root) {
  Heat heat;
  std::map<std::string, int> of_type;  // zones so far, whether or not they can be read at the moment
  for (const fs::path& folder : ZonesOf(root / kThermal)) {
    const std::string type = SysfsLine(folder / "type");
    if (type.empty()) continue;
    const std::string name = ZoneName(type, ++of_type[type]);
    if (const auto value = SysfsNumber(folder / "temp")) heat.millicelsius.emplace(name, *value);
  }
  ClockLimits(root).AddTo(heat);
  return heat;
}

std::map<std::string, std::string> HeatText(const Heat& before, const Heat& after) {
  std::map<std::string, std::string> texts;
  for (const auto& [zone, value] : before.millicelsius) {
    const auto later = after.millicelsius.find(zone);
    const std::string from = Celsius(value),
                      to = later == after.millicelsius.end() ? from : Celsius(later->second);
    texts.emplace(zone, (from == to ? from : from + " to " + to) + " C");
  }
  return texts;
}

std::string HeldBackText(const Heat& before, const Heat& after) {
  std::string text;
  std::map<std::string, std::int64_t> most = before.held_back;
  for (const auto& [name, state] : after.held_back) most[name] = std::max(most[name], state);
  for (const auto& [name, state] : most) {
    // Who counts a change between the two was at another state in between.
    const bool changed = ValueAt(after.changes, name) > ValueAt(before.changes, name);
    if (state > 0 || changed) text += (text.empty() ? "" : ", ") + name + " held clocks back for the heat";
  }
  return text;
}

}  // namespace tandem
