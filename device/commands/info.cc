// tandem-device info

#include <filesystem>
#include <system_error>

#include "device/host/clock_settings.h"
#include "device/machine/device_info.h"
#include "profiles/base/files.h"
#include "profiles/base/input_error.h"
#include "profiles/base/suggest.h"
#include "profiles/program/command_line.h"
#include "profiles/program/outputs.h"

namespace tandem::info {
namespace {

struct InfoArguments {
  std::int64_t split = 1;
  std::string platform, root;
  bool idle = false, force = false, json = false;
};

// Where /proc and /sys are looked for.
std::filesystem::path RootOf(const InfoArguments& arguments) {
  if (arguments.root.empty()) return "/";
  const std::filesystem::path root = arguments.root;
  std::error_code error;
  for (const char* folder : {"sys", "proc"}) {
    if (std::filesystem::is_directory(root / folder, error)) return root;
  }
  throw InputError("--root: " + Quoted(arguments.root) + " has neither a sys nor a proc");
}

int Info(const InfoArguments& arguments) {
  const std::filesystem::path root = RootOf(arguments);
  const Outputs outputs({{"-o", arguments.platform, {"platform/1"}}}, arguments.force, arguments.json);
  DeviceInfo info = LookAtDevice(arguments.split, root);
  EnergyMeter meter(FindEnergySensors(root));
  info.sensors = LookAtSensors(meter);
  info.clocks = ClockSettings(UsableCores(root), info.platform.units, {.root = root});
  info.heat = ReadHeat(root);
  if (info.host.quota_cores) WriteNote("tandem-device info: " + QuotaText(info.host) + "\n");
  if (arguments.idle) {
    for (const std::string& unknown : MeasureIdle(meter, info.platform)) {
      WriteNote("tandem-device info: " + unknown + "\n");
    }
  }
  if (!arguments.platform.empty()) {
    if (info.platform.units.empty())
      throw EnvironmentError("no unit can be had here: there is no platform to write");
    WriteFile(arguments.platform, PlatformJson(info.platform));
  }
  outputs.Say(arguments.json ? DeviceInfoJson(info) : DeviceInfoText(info, OutputWidth()));
  return kExitDone;
}

void Declare(Command& command, InfoArguments& arguments) {
  command
      .Add("--split", &arguments.split,
           "make so many CPU units of the cores that are alike, where there are so many")
      .Range(1, 1024);
  const auto copy = command
                        .Add("--root", &arguments.root,
                             "look at a copy of a board's /sys and /proc instead of this machine")
                        .Shown("DIR");
  command.Add("-o,--output", &arguments.platform, "write the platform to this file");
  command.Force(&arguments.force);
  command
      .Flag("--idle", &arguments.idle,
            "measure for some seconds what the units draw idle, and put it into the platform")
      .Excludes({copy});
  command.Flag("--json", &arguments.json, "print JSON: \"platform\" is a platform as scenarios take it");
  command.Footer(
      "How to make a copy of a board's files for --root stands in docs/device.md.\n"
      "Examples:\n  tandem-device info\n  tandem-device info --json\n"
      "  tandem-device info --split 2 -o board.platform.json\n"
      "  tandem-device info --idle -o board.platform.json\n"
      "  tandem-device info --root copied-board -o board.platform.json");
}

const CommandRegistration kInfo{
    {.name = "info",
     .summary = "the units that can be had here, versions, a platform to start from",
     .order = 10},
    Declare,
    Info};

}  // namespace
}  // namespace tandem::info
