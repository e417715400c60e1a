// Room sim/commands: the command line of tandem, a file a command.
//
// tandem simulate SCENARIO
#include <algorithm>
#include <map>
#include <optional>

#include "profiles/base/input_error.h"
#include "profiles/base/suggest.h"
#include "profiles/base/table.h"
#include "profiles/program/command_line.h"
#include "profiles/program/outputs.h"
#include "profiles/program/program.h"
#include "scenarios/report/json.h"
#include "scenarios/report/table.h"
#include "scenarios/report/unchanged.h"
#include "scenarios/scenario/measured_room.h"
#include "sim/commands/engine_option.h"
#include "sim/commands/interval_option.h"
#include "sim/commands/objective_option.h"
#include "sim/commands/what_if_option.h"
#include "sim/study/all_policies.h"
#include "sim/study/known_data.h"

namespace tandem::simulate {
namespace {

constexpr std::int64_t kMostReplications = 100000;

struct SimulateArguments {
  std::string scenario, engine = "simgrid", objective;
  std::map<std::string, std::string> files;  // by the writer's name; empty: it does not write
  std::vector<std::string> policies, what_if;
  std::int64_t replications = 0;
  double interval = 100 * kUsualInterval;
  std::optional<std::uint64_t> seed;
  bool contention = false, force = false, details = false, json = false;
};

// Without what is supposed; nothing where no policy can run that.
std::vector<Report> RunUnchanged(const SimulateArguments& arguments, std::optional<Scenario>& unchanged,
                                 LongRun& run) {
  if (!unchanged) return {};
  SimulateOptions options;
  options.engine = EngineNamed(arguments.engine);
  options.interval = arguments.interval / 100;
  try {
    const std::vector<PolicySpec> policies = ChoosePolicies(*unchanged, arguments.policies);
    if (arguments.replications == 0) return RunAll(*unchanged, policies, options, run);
    return Replicate(*unchanged, policies, options, arguments.replications, run);
  } catch (const InputError& error) {
    WriteError("tandem: nothing to compare with, without what is supposed: " + std::string(error.what()) +
               "\n");
    return {};
  }
}

std::vector<Report> Run(const SimulateArguments& arguments, LoadedScenario& loaded,
                        const std::vector<PolicySpec>& policies, LongRun& run) {
  Scenario& scenario = loaded.scenario;
  SimulateOptions options;
  options.engine = EngineNamed(arguments.engine);
  options.interval = arguments.interval / 100;
  options.contention = arguments.contention;
  options.unchanged = RunUnchanged(arguments, loaded.unchanged, run);
  if (arguments.replications > 0) {
    std::vector<Report> reports = Replicate(scenario, policies, options, arguments.replications, run);
    SetUnchanged(options.unchanged, reports);
    return reports;
  }
  for (const ReportWriterDeclaration& writer : ReportWriters()) {
    const std::string& file = arguments.files.at(writer.name);
    if (!file.empty()) options.files.push_back({&writer, file});
  }
  return RunAll(scenario, policies, options, run);
}

Outputs OutputsOf(const SimulateArguments& arguments) {
  std::vector<Output> files;
  for (const ReportWriterDeclaration& writer : ReportWriters()) {
    files.push_back({"--" + writer.name, arguments.files.at(writer.name), writer.kind});
  }
  return Outputs(std::move(files), arguments.force, arguments.json);
}

void Print(const SimulateArguments& arguments, const Scenario& scenario, const std::vector<Report>& reports,
           const Outputs& outputs) {
  if (arguments.json) return WriteOutput(ReportsJson(reports));
  const std::size_t width = OutputWidth();
  const bool replicated = !reports.empty() && reports[0].replications;
  std::string text = Wrapped(scenario.name, width) + WhatIfText(scenario.what_if, width) +
                     RoomsInDoubtText(scenario, width) +
                     (replicated ? ReplicationTable(reports, width) : ReportTable(reports, width)) +
                     MissingText(scenario, width) + UnchangedTable(reports, width);
  const bool details = arguments.details || (reports.size() == 1 && !replicated);
  for (const Report& report : reports) {
    if (details) text += "\n" + ReportDetails(report, width);
  }
  outputs.Say(text);
}

// Says which policies have no run: how many are they?
std::int64_t TellFailures(const std::vector<Report>& reports) {
  std::int64_t failures = 0;
  for (const Report& report : reports) {
    if (report.failed.empty()) continue;
    ++failures;
    WriteError("tandem: policy " + Quoted(report.label) + " failed: " + report.failed + "\n");
  }
  return failures;
}

int Simulate(const SimulateArguments& arguments) {
  LongRun run;
  LoadedScenario loaded = LoadSupposed(arguments.scenario, arguments.what_if);
  Scenario& scenario = loaded.scenario;
  for (Scenario* each : {&scenario, loaded.unchanged ? &*loaded.unchanged : nullptr}) {
    if (each == nullptr) continue;
    if (arguments.seed) each->seed = *arguments.seed;
    SetObjective(arguments.objective, *each);
  }
  const std::vector<PolicySpec> policies = ChoosePolicies(scenario, arguments.policies);
  const Outputs outputs = OutputsOf(arguments);
  const std::vector<Report> reports = Run(arguments, loaded, policies, run);
  run.Clear();
  if (run.interrupted()) {
    WriteError("tandem: interrupted; this is what was complete by then, of " +
               std::to_string(reports.size()) + " of " + std::to_string(policies.size()) + " policies\n");
  }
  Print(arguments, scenario, reports, outputs);
  if (run.interrupted()) return kExitInterrupted;
  if (TellFailures(reports) > 0) return kExitBadInput;
  return std::all_of(reports.begin(), reports.end(), IsValid) ? kExitDone : kExitNo;
}

void Declare(Command& command, SimulateArguments& arguments) {
  command
      .Add("SCENARIO", &arguments.scenario,
           "a scenario or a plan: a file, or the name of one that tandem ships")
      .Required();
  command
      .Add("--policy", &arguments.policies,
           "these alone: labels of the scenario's, or any policies: fcfs,eft")
      .Separated(',');
  AddEngine(command, arguments.engine);
  AddObjective(command, arguments.objective);
  std::vector<Command::Option> of_one_run;
  for (const ReportWriterDeclaration& writer : ReportWriters()) {
    of_one_run.push_back(command.Add("--" + writer.name, &arguments.files[writer.name], writer.summary));
  }
  of_one_run.push_back(
      command.Flag("--contention", &arguments.contention,
                   "a run by SimGrid's own physics beside; intervals reach as far as it is off"));
  command
      .Add("--replications", &arguments.replications,
           "so many runs each, seed by seed, with times drawn from samples")
      .Range(1, kMostReplications)
      .Excludes(of_one_run);
  AddInterval(command, arguments.interval);
  AddWhatIf(command, arguments.what_if);
  command.Add("--seed", &arguments.seed, "instead of the scenario's");
  command.Force(&arguments.force);
  command.Flag("--details", &arguments.details, "tables per unit and stream of every policy");
  command.Flag("--json", &arguments.json, "print JSON, report/1");
  command.Footer(
      "Exit status 1 where a stream under LoadGen's rules is INVALID; 2 where a policy cannot run the "
      "scenario, "
      "with the results of the others; 130 after Ctrl-C, SIGTERM or SIGHUP, with what was complete.\n"
      "Examples:\n  tandem simulate study-003\n  tandem simulate study-003 --policy eft --trace eft.json\n"
      "  tandem simulate study-003 --html study.html\n"
      "  tandem simulate overload --what-if streams.camera.arrival.fps=120 --what-if units.coral.speed=1.5\n"
      "  tandem simulate overload --replications 20 --engine virtual\n"
      "  tandem simulate mine.scenario.json --json --seed 7");
}

const CommandRegistration kSimulate{
    {.name = "simulate", .summary = "run every policy of a scenario and compare them", .order = 40},
    Declare,
    Simulate};

}  // namespace
}  // namespace tandem::simulate
