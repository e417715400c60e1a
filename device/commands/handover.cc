// tandem-device handover
#include <algorithm>

#include "device/commands/trial_options.h"
#include "device/machine/chosen_unit.h"
#include "device/study/handover.h"
#include "profiles/base/input_error.h"
#include "profiles/program/command_line.h"
#include "profiles/program/long_run.h"
#include "scenarios/exchange/named_programs.h"

namespace tandem::handover {
namespace {

struct HandoverArguments {
  HandoverRequest request;
  std::string platform;
  std::vector<std::string> modes;
  TrialArguments trials;
  bool allow_commands = false, json = false;
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
  request.kernel_store = arguments.trials.store;
  request.trials = arguments.trials.Most();
  request.platform = ChooseUnit({arguments.platform, request.unit, {}, arguments.allow_commands}).platform;
  CheckAllowed(arguments.platform, ProgramsOf(request.platform), arguments.allow_commands);
  EnergyMeter meter(FindEnergySensors());
  LongRun run(LongRun::Reader::kOfOutput);
  const HandoverResult result =
      CompareHandovers(request, meter, [&](const std::string& what, std::int64_t done, std::int64_t total) {
        return run.Progress(what, done, total);
      });
  run.Clear();
  if (!result.warmth.held_back.empty()) {
    WriteNote("tandem-device handover: " + result.warmth.held_back + "; the times are of that state\n");
  }
  WriteOutput(arguments.json ? HandoverJson(result) : HandoverText(result, OutputWidth()));
  if (!result.stopped) return kExitDone;
  WriteError("tandem-device handover: interrupted; this is what was measured until then\n");
  return kExitInterrupted;
}

void Declare(Command& command, HandoverArguments& arguments) {
  HandoverRequest& request = arguments.request;
  command.Add("MODEL", &request.model, "a name of the zoo, or a model's file").Required();
  command
      .Add("--unit", &request.unit, "the unit that is handed images; else the first with a memory of its own")
      .Shown("U");
  command.Add("--platform", &arguments.platform, "the board that the unit belongs to: a file or a name")
      .Shown("FILE");
  command.Add("--images", &request.images, "so many in each mode; 100").Shown("N").Range(1, 1'000'000);
  command
      .Add("--modes", &arguments.modes,
           "copy (from pinned memory), pageable (from plain memory), zero_copy, managed; all but the last")
      .Separated(',')
      .OneOf({"copy", "pageable", "zero_copy", "managed"});
  command.Add("--seed", &request.seed, "of images, random weights and the order; 1").Shown("N");
  AddTrialOptions(command, arguments.trials);
  command.AllowCommands(&arguments.allow_commands);
  command.Flag("--json", &arguments.json, "print JSON");
  command.Footer(
      "Units that work from the host's memory are measured beside it. Exit status 3 where no other is here.\n"
      "Examples:\n  tandem-device handover googlenet\n"
      "  tandem-device handover googlenet --unit gpu0 --images 100 --modes copy,zero_copy,managed\n"
      "  tandem-device handover resnet50 --platform board.json --json > handover.json");
}

const CommandRegistration kHandover{
    {.name = "handover",
     .summary = "what handing images to a GPU costs, by copies and through a mapping: time and energy",
     .order = 50},
    Declare,
    RunHandover};

}  // namespace
}  // namespace tandem::handover
