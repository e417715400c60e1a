// What the clocks of cores, memory and GPUs are set to, which stays while the clocks themselves move.
#pragma once

#include <cstdint>
#include <filesystem>
#include <map>
#include <span>
#include <string>
#include <vector>

#include "device/host/gpu_clocks.h"

namespace tandem {

// Where it is read; tests have their own.
struct ClockSources {
  std::filesystem::path root = "/";
  std::string nvml = kNvmlName;
};

// As Origin::clocks has it, by whose they are: {"cores set to": "cpu0, cpu1: performance, 408 to 1479 MHz",
// "boost set to": "on", "emc set to": "204 to 1600 MHz", "gpu0 set to": "persistence on, limit 700 W"}.
// Memory and others that the kernel scales have the names of their devices. What the system does not tell is
// not there.
std::map<std::string, std::string> ClockSettings(std::span<const std::int64_t> cores,
                                                 const std::vector<Unit>& units,
                                                 const ClockSources& sources = {});
// The momentary clocks of memory and those others, in hertz.
std::map<std::string, std::int64_t> DeviceHertz(const std::filesystem::path& root = "/");
// The same as text: {"emc": "1600 MHz"}.
std::map<std::string, std::string> DeviceClocks(const std::filesystem::path& root = "/");

// "cores set to \"powersave\" and not \"performance\"", for each of `before` that is otherwise now.
std::vector<std::string> ChangedSettings(const std::map<std::string, std::string>& before,
                                         const std::map<std::string, std::string>& now);

// A state that was reached by the user's command, as Origin::clocks has it.
inline constexpr const char* kClockState = "state";           // its name
inline constexpr const char* kClockStateReached = "before";   // by this command
inline constexpr const char* kClockStateRead = "read";        // told by this one; none: the cores' settings
inline constexpr const char* kClockStateReading = "reading";  // what it read
// What it reads now. Throws EnvironmentError, `what` first, where the command fails.
std::string ReadClockState(const std::string& read, std::span<const std::int64_t> cores,
                           const std::string& what, const std::filesystem::path& root = "/");

}  // namespace tandem
