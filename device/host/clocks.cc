#include "device/host/clocks.h"

#include <algorithm>
#include <charconv>
#include <fstream>
#include <utility>
#include <vector>

#include "device/host/core_files.h"
#include "device/host/heat.h"
#include "profiles/base/joined.h"
#include "profiles/costs/clock_text.h"

namespace tandem {
namespace fs = std::filesystem;
namespace {

std::string Line(const fs::path& path) {
  std::ifstream stream(path);
  std::string line;
  std::getline(stream, line);
  return line;
}

std::int64_t Number(std::string_view text) {
  std::int64_t value = 0;
  std::from_chars(text.data(), text.data() + text.size(), value);
  return value;
}

// The n-th "cpu MHz : 2400.000" of /proc/cpuinfo; virtual machines have nothing else.
std::int64_t KhzOfCpuinfo(const fs::path& root, std::int64_t core) {
  std::ifstream stream(root / "proc/cpuinfo");
  std::int64_t at = -1;
  for (std::string line; std::getline(stream, line);) {
    const auto colon = line.find(": ");
    if (colon == std::string::npos) continue;
    if (line.starts_with("processor")) at = Number(std::string_view(line).substr(colon + 2));
    if (at == core && line.starts_with("cpu MHz"))
      return Number(std::string_view(line).substr(colon + 2)) * 1000;
  }
  return 0;
}

CoreClock ReadClock(const fs::path& root, std::int64_t core) {
  const fs::path folder = ClockFolder(root, core);
  CoreClock clock;
  clock.khz = Number(Line(folder / "scaling_cur_freq"));
  if (clock.khz == 0) clock.khz = KhzOfCpuinfo(root, core);
  clock.governor = Line(folder / "scaling_governor");
  clock.throttled = Number(Line(CoreFolder(root, core) / "thermal_throttle/core_throttle_count"));
  return clock;
}

std::string Megahertz(std::int64_t khz) { return std::to_string((khz + 500) / 1000); }

std::string ClockText(const CoreClock& before, const CoreClock& after) {
  std::string text = "unknown";
  if (before.khz > 0) {
    text = Megahertz(before.khz);
    // A percent is what a clock that stands still is told to wander.
    if (after.khz > 0 && std::abs(after.khz - before.khz) * 100 > before.khz) {
      text += " to " + Megahertz(after.khz);
    }
    text += " MHz";
  }
  return before.governor.empty() ? text : text + ", " + before.governor;
}

std::string SettingsText(const fs::path& folder) {
  std::string text = Line(folder / "scaling_governor");
  const std::int64_t least = Number(Line(folder / "scaling_min_freq"));
  const std::int64_t most = Number(Line(folder / "scaling_max_freq"));
  if (most > 0) {
    text += (text.empty() ? "" : ", ") + Megahertz(least) + " to " + Megahertz(most) + " MHz";
  }
  return text;
}

}  // namespace

std::string ClockSettingsText(std::span<const std::int64_t> cores, const fs::path& root) {
  std::vector<std::pair<std::string, std::string>> settings;  // and the cores that have them
  const ClockLimits limits(root);
  bool held_back = limits.HoldBack();
  for (const std::int64_t core : cores) {
    const std::string text = SettingsText(ClockFolder(root, core));
    if (text.empty()) continue;
    const auto same = [&](const auto& other) { return other.first == text; };
    auto at = std::find_if(settings.begin(), settings.end(), same);
    if (at == settings.end()) at = settings.insert(at, {text, ""});
    at->second += (at->second.empty() ? "cpu" : ", cpu") + std::to_string(core);
  }
  held_back = held_back || limits.HoldBack();  // or from in between on
  return Joined(settings, "; ", [&](const auto& one) {
    return one.second + ": " + (held_back ? WhileHeldBack(one.first) : one.first);
  });
}

CoreClocks ReadClocks(std::span<const std::int64_t> cores, const fs::path& root) {
  CoreClocks clocks;
  for (const std::int64_t core : cores) clocks[core] = ReadClock(root, core);
  return clocks;
}

std::map<std::string, std::string> ClocksText(const CoreClocks& before, const CoreClocks& after) {
  std::map<std::string, std::string> texts;
  for (const auto& [core, clock] : before) {
    const auto later = after.find(core);
    texts["cpu" + std::to_string(core)] = ClockText(clock, later == after.end() ? clock : later->second);
  }
  return texts;
}

std::string ThrottlingText(const CoreClocks& before, const CoreClocks& after) {
  std::string text;
  for (const auto& [core, clock] : before) {
    const auto later = after.find(core);
    if (later == after.end() || later->second.throttled <= clock.throttled) continue;
    text += (text.empty() ? "core " : ", core ") + std::to_string(core) + " was throttled " +
            std::to_string(later->second.throttled - clock.throttled) + " times";
  }
  return text;
}

}  // namespace tandem
