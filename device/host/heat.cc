#include "device/host/heat.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <string_view>
#include <system_error>
#include <vector>

#include "device/host/sysfs.h"

namespace tandem {
namespace fs = std::filesystem;
namespace {

constexpr const char* kThermal = "sys/class/thermal";
constexpr std::int64_t kNoTemperature = -256'000;  // as Jetsons have it; other kernels have -274000

// What cools by slowing processors and devices down, as drivers name it: "thermal-cpufreq-0",
// "thermal-idle-0", "CPU-balanced", "gpu-throttle-alert", "cpu-isolate0", "tegra-heavy", "Processor".
constexpr std::array<std::string_view, 12> kOfClocks = {"freq",    "cpu",        "gpu",      "dsp",
                                                        "idle",    "processor",  "throttle", "isolate",
                                                        "hotplug", "powerclamp", "balanced", "heavy"};
// What is named after these and slows nothing down: fans, and what keeps clocks up in the cold.
constexpr std::array<std::string_view, 3> kOfNone = {"fan", "pump", "floor"};

bool LimitsClocks(const std::string& type) {
  const std::string name = InSmallLetters(type);
  const auto is_part = [&](std::string_view part) { return name.find(part) != std::string::npos; };
  return std::any_of(kOfClocks.begin(), kOfClocks.end(), is_part) &&
         std::none_of(kOfNone.begin(), kOfNone.end(), is_part);
}

// A Raspberry Pi's firmware, as the kernel last heard of it (every two seconds mostly): hexadecimal, with or
// without "0x", what it limits in the lower half (1: the voltage is low; and for the heat or for that 2: the
// clock is limited, 4: more so, 8: a little), what it has limited since it was asked before that, or since
// the start, in the upper one.
constexpr const char* kFirmware = "firmware";
constexpr std::int64_t kFirmwareLimits = 2 | 4 | 8;

std::optional<std::int64_t> FirmwareBits(const fs::path& folder) {
  std::string line = SysfsLine(folder / "get_throttled");
  if (line.starts_with("0x")) line.erase(0, 2);
  std::int64_t bits = 0;
  const auto [end, error] = std::from_chars(line.data(), line.data() + line.size(), bits, 16);
  if (error != std::errc() || end != line.data() + line.size()) return std::nullopt;
  return bits;
}

std::optional<fs::path> FirmwareFolder(const fs::path& root) {
  for (const fs::path& soc : EntriesOf(root / "sys/devices/platform")) {
    if (!soc.filename().string().starts_with("soc")) continue;
    for (const fs::path& part : EntriesOf(soc)) {
      if (part.filename().string().ends_with(":firmware") && FirmwareBits(part)) return part;
    }
  }
  return std::nullopt;
}

// Of a Jetson Orin: each event is counted, "oc1_event_cnt", whether or not it slows clocks down
// ("oc1_throt_en"); whether it does so at the moment is not told.
constexpr const char* kOverCurrent = "soctherm_oc";

std::optional<std::int64_t> OverCurrentEvents(const fs::path& folder) {
  constexpr std::string_view kBegin = "oc", kEnd = "_event_cnt";
  std::optional<std::int64_t> events;
  for (const fs::path& counter : EntriesOf(folder)) {
    const std::string file = counter.filename().string();
    if (!file.starts_with(kBegin) || !file.ends_with(kEnd)) continue;
    if (SysfsNumber(folder / (file.substr(0, file.size() - kEnd.size()) + "_throt_en")) == 0) continue;
    if (const auto count = SysfsNumber(counter)) events = events.value_or(0) + *count;
  }
  return events;
}

// How far clocks are held back; nothing where that is not told.
std::optional<std::int64_t> StateOf(const std::string& name, const fs::path& folder) {
  if (name == kOverCurrent) return std::nullopt;
  if (name != kFirmware) return SysfsNumber(folder / "cur_state");
  const auto bits = FirmwareBits(folder);
  return bits ? std::optional(*bits & kFirmwareLimits) : std::nullopt;
}

// Grows with every change; of the firmware a bit for each limit that there was.
std::optional<std::int64_t> ChangesOf(const std::string& name, const fs::path& folder) {
  if (name == kOverCurrent) return OverCurrentEvents(folder);
  if (name != kFirmware) return SysfsNumber(folder / "stats/total_trans");
  const auto bits = FirmwareBits(folder);
  return bits ? std::optional(*bits >> 16 & kFirmwareLimits) : std::nullopt;
}

// In the order of their numbers: "thermal_zone2" before "thermal_zone10".
std::vector<fs::path> NumberedIn(const fs::path& folder, std::string_view begin, std::string_view end = "") {
  std::vector<fs::path> entries = EntriesOf(folder);
  std::erase_if(entries, [&](const fs::path& at) {
    const std::string name = at.filename().string();
    return !name.starts_with(begin) || !name.ends_with(end);
  });
  std::stable_sort(entries.begin(), entries.end(), [](const fs::path& a, const fs::path& b) {
    return a.filename().string().size() < b.filename().string().size();
  });
  return entries;
}

// "acpitz", and where several zones are of one type "acpitz #2".
std::string ZoneName(const std::string& type, int of_type) {
  return of_type == 1 ? type : type + " #" + std::to_string(of_type);
}

// Gives each of one name another one, whether or not it can be read at the moment.
class Temperatures {
 public:
  explicit Temperatures(std::map<std::string, std::int64_t>& millicelsius) : millicelsius_(&millicelsius) {}

  bool empty() const { return of_type_.empty(); }
  void Add(const std::string& type, const fs::path& file) {
    const std::string name = ZoneName(type, ++of_type_[type]);
    const auto value = SysfsNumber(file);
    if (value && *value > kNoTemperature) millicelsius_->emplace(name, *value);
  }

 private:
  std::map<std::string, std::int64_t>* millicelsius_;
  std::map<std::string, int> of_type_;
};

// "temp1_input" and "temp1_label" of each chip.
void AddMonitors(const fs::path& root, Temperatures& temperatures) {
  constexpr std::string_view kInput = "_input";
  for (const fs::path& chip : NumberedIn(root / "sys/class/hwmon", "hwmon")) {
    std::string name = SysfsLine(chip / "name");
    if (name.empty()) name = chip.filename().string();
    for (const fs::path& input : NumberedIn(chip, "temp", kInput)) {
      std::string file = input.filename().string();
      file.replace(file.size() - kInput.size(), kInput.size(), "_label");
      const std::string label = SysfsLine(chip / file);
      temperatures.Add(label.empty() ? name : name + " " + label, input);
    }
  }
}

std::string Celsius(std::int64_t millicelsius) {
  return std::to_string((millicelsius + (millicelsius < 0 ? -500 : 500)) / 1000);
}

std::int64_t ValueAt(const std::map<std::string, std::int64_t>& values, const std::string& name) {
  const auto found = values.find(name);
  return found == values.end() ? 0 : found->second;
}

}  // namespace

ClockLimits::ClockLimits(const fs::path& root) {
  for (const fs::path& folder : EntriesOf(root / kThermal)) {
    if (!folder.filename().string().starts_with("cooling_device")) continue;
    std::string type = SysfsLine(folder / "type");
    if (LimitsClocks(type) && StateOf(type, folder)) devices_.push_back({std::move(type), folder});
  }
  if (auto folder = FirmwareFolder(root)) devices_.push_back({kFirmware, std::move(*folder)});
  for (const fs::path& folder : EntriesOf(root / "sys/class/hwmon")) {
    if (SysfsLine(folder / "name") != kOverCurrent || !OverCurrentEvents(folder)) continue;
    devices_.push_back({kOverCurrent, folder});
  }
}

bool ClockLimits::HoldBack() const {
  return std::any_of(devices_.begin(), devices_.end(), [](const Device& device) {
    return StateOf(device.name, device.folder).value_or(0) > 0;
  });
}

void ClockLimits::AddTo(Heat& heat) const {
  for (const Device& device : devices_) {
    if (device.name != kOverCurrent) {
      std::int64_t& most = heat.held_back[device.name];
      most = std::max(most, StateOf(device.name, device.folder).value_or(0));
    }
    if (const auto changes = ChangesOf(device.name, device.folder)) heat.changes[device.name] += *changes;
  }
}

Heat ReadHeat(const fs::path& root) {
  Heat heat;
  Temperatures temperatures(heat.millicelsius);
  for (const fs::path& zone : NumberedIn(root / kThermal, "thermal_zone")) {
    const std::string type = SysfsLine(zone / "type");
    if (!type.empty()) temperatures.Add(type, zone / "temp");
  }
  if (temperatures.empty()) AddMonitors(root, temperatures);
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
  for (const auto& [name, changes] : after.changes) most.try_emplace(name, 0);
  for (const auto& [name, state] : most) {
    // Who counts a change between the two was at another state in between.
    const std::int64_t was = ValueAt(before.changes, name), is = ValueAt(after.changes, name);
    const bool changed = name == kFirmware ? (is & ~was) != 0 : is > was;
    if (state == 0 && !changed) continue;
    text += (text.empty() ? "" : ", ") + name + " held clocks back for ";
    text += name == kOverCurrent ? "too high a current" : "the heat";
    if (name == kFirmware) text += " or for a low voltage";
  }
  return text;
}

}  // namespace tandem
