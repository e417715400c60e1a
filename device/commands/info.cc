// tandem-device info

#include "device/host/clock_settings.h"
#include "device/machine/device_info.h"
#include "profiles/base/files.h"
#include "profiles/base/input_error.h"
#include "profiles/program/command_line.h"
#include "profiles/program/outputs.h"

namespace tandem::info {
namespace {

struct InfoArguments {
  std::int64_t split = 1;
  std::string platform;
  bool idle = false, force = false, json = false;
};

int Info(const InfoArguments& arguments) {
  const Outputs outputs({{"-o", arguments.platform, {"platform/1"}}}, arguments.force, arguments.json);
  DeviceInfo info = LookAtDevice(arguments.split);
  EnergyMeter meter(FindEnergySensors());
  info.sensors = LookAtSensors(meter);
  info.clocks = ClockSettings(UsableCores(), info.platform.units);
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
  command.Add("-o,--output", &arguments.platform, "write the platform to this file");
  command.Force(&arguments.force);
  command.Flag("--idle", &arguments.idle,
               "measure for some seconds what the units draw idle, and put it into the platform");
  command.Flag("--json", &arguments.json, "print JSON: \"platform\" is a platform as scenarios take it");
  command.Footer(
      "Examples:\n  tandem-device info\n  tandem-device info --json\n"
      "  tandem-device info --split 2 -o board.platform.json\n"
      "  tandem-device info --idle -o board.platform.json");
}

const CommandRegistration kInfo{
    {.name = "info",
     .summary = "the units that can be had here, versions, a platform to start from",
     .order = 10},
    Declare,
    Info};

}  // namespace
}  // namespace tandem::info
