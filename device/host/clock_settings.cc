#include "device/host/clock_settings.h"

#include <algorithm>

#include "device/host/clocks.h"
#include "device/host/heat.h"
#include "device/host/shell.h"
#include "device/host/sysfs.h"
#include "profiles/base/suggest.h"
#include "profiles/costs/clock_text.h"

namespace tandem {
namespace fs = std::filesystem;
namespace {

constexpr const char* kSetTo = " set to";

// A clock that the kernel scales, in the files that its kind of driver has.
struct ScaledClock {
  std::string name;
  fs::path now, least, most, governor;
};

std::vector<ScaledClock> ScaledClocks(const fs::path& root) {
  std::vector<ScaledClock> clocks;
  for (const fs::path& folder : EntriesOf(root / "sys/class/devfreq")) {
    clocks.push_back({folder.filename().string(), folder / "cur_freq", folder / "min_freq",
                      folder / "max_freq", folder / "governor"});
  }
  // A Jetson's memory, for those who may look there.
  const fs::path emc = root / "sys/kernel/debug/bpmp/debug/clk/emc";
  clocks.push_back({"emc", emc / "rate", emc / "min_rate", emc / "max_rate", {}});
  return clocks;
}

std::string MhzText(std::int64_t hz) { return std::to_string((hz + 500'000) / 1'000'000); }

std::string SettingsOf(const ScaledClock& clock) {
  std::string text = clock.governor.empty() ? "" : SysfsLine(clock.governor);
  const auto least = SysfsNumber(clock.least), most = SysfsNumber(clock.most);
  if (most)
    text += (text.empty() ? "" : ", ") + (least ? MhzText(*least) + " to " : "") + MhzText(*most) + " MHz";
  return text;
}

// Of all cores: may they go beyond what they are sold for?
std::string BoostText(const fs::path& root) {
  const fs::path cpu = root / "sys/devices/system/cpu";
  if (const auto boost = SysfsNumber(cpu / "cpufreq/boost")) return *boost != 0 ? "on" : "off";
  if (const auto none = SysfsNumber(cpu / "intel_pstate/no_turbo")) return *none == 0 ? "on" : "off";
  return {};
}

}  // namespace

std::map<std::string, std::string> ClockSettings(std::span<const std::int64_t> cores,
                                                 const std::vector<Unit>& units,
                                                 const ClockSources& sources) {
  std::map<std::string, std::string> settings;
  const auto add = [&](const std::string& whose, std::string text) {
    if (!text.empty()) settings.emplace(whose + kSetTo, std::move(text));
  };
  add("cores", ClockSettingsText(cores, sources.root));
  add("boost", BoostText(sources.root));
  const ClockLimits limits(sources.root);
  for (const ScaledClock& clock : ScaledClocks(sources.root)) {
    const bool held_back = limits.HoldBack();
    std::string text = SettingsOf(clock);
    add(clock.name, held_back || limits.HoldBack() ? WhileHeldBack(std::move(text)) : std::move(text));
  }
  for (const auto& [unit, clock] : ReadGpuClocks(units, sources.nvml).units)
    add(unit, GpuSettingsText(clock));
  return settings;
}

std::map<std::string, std::int64_t> DeviceHertz(const fs::path& root) {
  std::map<std::string, std::int64_t> clocks;
  for (const ScaledClock& clock : ScaledClocks(root)) {
    if (const auto hz = SysfsNumber(clock.now)) clocks.emplace(clock.name, *hz);
  }
  return clocks;
}

std::map<std::string, std::string> DeviceClocks(const fs::path& root) {
  std::map<std::string, std::string> clocks;
  for (const auto& [name, hz] : DeviceHertz(root)) clocks.emplace(name, MhzText(hz) + " MHz");
  return clocks;
}

std::vector<std::string> ChangedSettings(const std::map<std::string, std::string>& before,
                                         const std::map<std::string, std::string>& now) {
  std::vector<std::string> changed;
  for (const auto& [whose, setting] : before) {
    if (!whose.ends_with(kSetTo)) continue;
    const auto found = now.find(whose);
    if (found == now.end()) {
      changed.push_back(whose + " " + Quoted(setting) + ", which nothing tells now");
    } else if (!SameClockSettings(found->second, setting)) {
      changed.push_back(whose + " " + Quoted(setting) + ", now " + Quoted(found->second));
    }
  }
  return changed;
}

std::string ReadClockState(const std::string& read, std::span<const std::int64_t> cores,
                           const std::string& what, const fs::path& root) {
  return read.empty() ? ClockSettingsText(cores, root) : TextFromShell(read, what);
}

}  // namespace tandem
