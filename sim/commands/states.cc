// tandem states SCENARIO
#include "profiles/base/files.h"
#include "profiles/base/input_error.h"
#include "profiles/program/command_line.h"
#include "profiles/program/outputs.h"
#include "profiles/program/program.h"
#include "scenarios/report/limits.h"
#include "scenarios/scenario/plan.h"
#include "sim/commands/engine_option.h"
#include "sim/commands/interval_option.h"
#include "sim/commands/objective_option.h"
#include "sim/commands/what_if_option.h"
#include "sim/questions/state_choice.h"

namespace tandem::states {
namespace {

struct StatesArguments {
  std::string scenario, engine = "virtual", objective, file;
  std::vector<std::string> units, policies, what_if;
  double interval = 100 * kUsualInterval;
  std::optional<std::uint64_t> seed;
  bool force = false, json = false;
};

void RefuseSupposed(const StatesArguments& arguments) {
  if (arguments.file.empty()) return;
  if (!arguments.policies.empty()) {
    throw InputError(
        "-o with --policy: the scenario is written with all of its policies, for which other states may be "
        "the "
        "best; name these policies in the scenario, and ask for its states");
  }
  if (arguments.what_if.empty()) return;
  throw InputError(
      "-o with --what-if: a scenario is of the board as it is; write what is supposed into the scenario or "
      "its "
      "platform, and ask for its states");
}

void WriteScenario(const StateChoice& choice, Scenario& scenario, const std::string& file) {
  SetBestStates(choice, scenario);
  WriteFile(file, ScenarioAsSet(scenario, file));
}

int FindStates(const StatesArguments& arguments) {
  RefuseSupposed(arguments);
  Scenario scenario = LoadSupposed(arguments.scenario, arguments.what_if).scenario;
  SetObjective(arguments.objective, scenario);
  if (arguments.seed) scenario.seed = *arguments.seed;
  const Outputs outputs({{"-o", arguments.file, {"scenario/1"}}}, arguments.force, arguments.json);
  StateOptions options;
  options.units = arguments.units;
  options.policies = arguments.policies;
  options.engine = EngineNamed(arguments.engine);
  options.interval = arguments.interval / 100;
  LongRun watch;
  const auto choice = ChooseStates(scenario, options, watch);
  watch.Clear();
  if (!choice) {
    WriteError("tandem: interrupted: no states are judged\n");
    return kExitInterrupted;
  }
  const StateRow* const best = choice->Best();
  if (best && !arguments.file.empty()) WriteScenario(*choice, scenario, arguments.file);
  outputs.Say(arguments.json ? StateChoiceJson(*choice) : StateChoiceText(*choice, OutputWidth()));
  return best && ExcessOf(*best->report) == 0 ? kExitDone : kExitNo;
}

void Declare(Command& command, StatesArguments& arguments) {
  command.Add("SCENARIO", &arguments.scenario, "a scenario: a file, or the name of one that tandem ships")
      .Required();
  command
      .Add("--unit", &arguments.units,
           "these alone change their states: gpu,cpu; else all of which the profiles know several")
      .Separated(',');
  command
      .Add("--policy", &arguments.policies,
           "these alone: labels of the scenario's, or any policies: fcfs,eft")
      .Separated(',');
  command.Add("-o,--output", &arguments.file, "write the scenario in the best states to this file");
  AddEngine(command, arguments.engine);
  AddInterval(command, arguments.interval);
  AddObjective(command, arguments.objective);
  AddWhatIf(command, arguments.what_if);
  command.Add("--seed", &arguments.seed, "instead of the scenario's");
  command.Force(&arguments.force);
  command.Flag("--json", &arguments.json, "print JSON, state_choice/1");
  command.Footer(
      "A state is a \"variant\" of entries in the profiles, such as \"900MHz\" with times and joules of its "
      "own; those of\nthe unit's precision are tried. What cannot be the best by its bound is not "
      "simulated.\n"
      "Exit status 1 where no states keep the scenario's limits.\n"
      "Examples:\n  tandem states clock-states\n"
      "  tandem states clock-states --unit gpu --policy fcfs,best --objective energy\n"
      "  tandem states clock-states -o slow.scenario.json\n"
      "  tandem states clock-states --what-if streams.scene.arrival.fps=60 --json");
}

const CommandRegistration kStates{
    {.name = "states",
     .summary = "in which clock states of its units a board is at its best, and how far from a bound",
     .order = 67},
    Declare,
    FindStates};

}  // namespace
}  // namespace tandem::states
