// tandem-device info
#include <CLI/CLI.hpp>
#include <memory>

#include "device/command.h"
#include "device/device_info.h"

namespace tandem {
namespace {

int Info(bool json) {
  const DeviceInfo info = LookAtDevice();
  WriteOutput(json ? DeviceInfoJson(info) : DeviceInfoText(info, OutputWidth()));
  return kExitDone;
}

}  // namespace

void AddInfoCommand(CLI::App& app, Action& action) {
  CLI::App* info =
      app.add_subcommand("info", "the units that can be had here, versions, a platform to start from");
  const auto json = std::make_shared<bool>(false);
  info->add_flag("--json", *json, "print JSON: \"platform\" is a platform as scenarios take it");
  info->footer("Examples:\n  tandem-device info\n  tandem-device info --json");
  info->callback([json, &action] { action = [json] { return Info(*json); }; });
}

}  // namespace tandem
