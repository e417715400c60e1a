// tandem-device handover
#include <CLI/CLI.hpp>
#include <algorithm>
#include <memory>

#include "device/commands/command.h"
#include "device/machine/chosen_unit.h"
#include "device/study/handover.h"
#include "profiles/base/input_error.h"
#include "profiles/program/long_run.h"

namespace tandem {
namespace {

struct HandoverArguments {
  HandoverRequest request;
  std::string platform;
  std::vector<std::string> modes;
  bool json = false;
};

std::vector<HandoverMode> ModesOf(const std::vector<std::string>& names) {
  std::vector<HandoverMode> modes;
  for (const std::string& name : names) {
    for (const auto& mode : kHandoverModeNames) {
      if (mode.name != name) continue;
      if (std::find(modes.begin(), modes.end(), mode.value) != modes.end()) {
        throw InputError("--modes: " + name + " is given twice");
      }
      modes.push_back(mode.value);
    }
  }
  return modes;
}

int RunHandover(HandoverArguments arguments) {
  HandoverRequest& request = arguments.request;
  if (!arguments.modes.empty()) request.modes = ModesOf(arguments.modes);
  request.platform = ChooseUnit({arguments.platform, request.unit, {}}).platform;
  EnergyMeter meter(FindEnergySensors());
  LongRun run;
  const HandoverResult result =
      CompareHandovers(request, meter, [&](const std::string& what, std::int64_t done, std::int64_t total) {
        return run.Progress(what, done, total);
      });
  run.Clear();
  WriteOutput(arguments.json ? HandoverJson(result) : HandoverText(result, OutputWidth()));
  if (!result.stopped) return kExitDone;
  WriteError("tandem-device handover: interrupted; this is what was measured until then\n");
  return kExitInterrupted;
}

}  // namespace

void AddHandoverCommand(CLI::App& app, Action& action) {
  CLI::App* handover = app.add_subcommand(
      "handover", "what handing images to a GPU costs, by copies and through a mapping: time and energy");
  const auto arguments = std::make_shared<HandoverArguments>();
  HandoverRequest& request = arguments->request;
  handover->add_option("MODEL", request.model, "a name of the zoo, or a model's file")->required();
  handover
      ->add_option("--unit", request.unit,
                   "the unit that is handed images; else the first with a memory of its own")
      ->type_name("U");
  handover
      ->add_option("--platform", arguments->platform, "the board that the unit belongs to: a file or a name")
      ->type_name("FILE");
  handover->add_option("--images", request.images, "so many in each mode; 100")
      ->type_name("N")
      ->check(CLI::Range(std::int64_t{1}, std::int64_t{1'000'000}));
  handover
      ->add_option(
          "--modes", arguments->modes,
          "copy (from pinned memory), pageable (from plain memory), zero_copy, managed; all but the last")
      ->delimiter(',')
      ->check(CLI::IsMember({"copy", "pageable", "zero_copy", "managed"}));
  handover->add_option("--seed", request.seed, "of images, random weights and the order; 1")->type_name("N");
  handover->add_flag("--json", arguments->json, "print JSON");
  handover->footer(
      "Units that work from the host's memory are measured beside it. Exit status 3 where no other is here.\n"
      "Examples:\n  tandem-device handover googlenet\n"
      "  tandem-device handover googlenet --unit gpu0 --images 100 --modes copy,zero_copy,managed\n"
      "  tandem-device handover resnet50 --platform board.json --json > handover.json");
  handover->callback([arguments, &action] { action = [arguments] { return RunHandover(*arguments); }; });
}

}  // namespace tandem
