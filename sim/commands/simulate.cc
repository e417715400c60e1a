// Room sim/commands: the command line of tandem, a file a command.
//
// tandem simulate SCENARIO
#include <CLI/CLI.hpp>
#include <algorithm>
#include <memory>

#include "profiles/base/input_error.h"
#include "profiles/base/table.h"
#include "profiles/program/command_line.h"
#include "profiles/program/program.h"
#include "scenarios/report/json.h"
#include "scenarios/report/table.h"
#include "sim/commands/command.h"
#include "sim/study/all_policies.h"

namespace tandem {
namespace {

constexpr std::int64_t kMostReplications = 100000;

struct SimulateArguments {
  std::string scenario, engine = "simgrid", trace, csv;
  std::vector<std::string> policies;
  std::int64_t replications = 0;
  std::optional<std::uint64_t> seed;
  bool details = false, json = false;
};

std::vector<Report> Run(const SimulateArguments& arguments, Scenario& scenario,
                        const std::vector<PolicySpec>& policies, LongRun& run) {
  SimulateOptions options;
  if (arguments.engine == "virtual") options.engine = Engine::kVirtual;
  if (arguments.replications > 0) {
    return Replicate(scenario, policies, options.engine, arguments.replications, run);
  }
  if (!arguments.trace.empty()) options.trace = arguments.trace;
  if (!arguments.csv.empty()) options.csv = arguments.csv;
  return RunAll(scenario, policies, options, run);
}

void Print(const SimulateArguments& arguments, const Scenario& scenario, const std::vector<Report>& reports) {
  if (arguments.json) return WriteOutput(ReportsJson(reports));
  const std::size_t width = OutputWidth();
  const bool replicated = !reports.empty() && reports[0].replications;
  std::string text = Wrapped(scenario.name, width) +
                     (replicated ? ReplicationTable(reports, width) : ReportTable(reports, width));
  const bool details = arguments.details || (reports.size() == 1 && !replicated);
  for (const Report& report : reports) {
    if (details) text += "\n" + ReportDetails(report, width);
  }
  WriteOutput(text);
}

int Simulate(const SimulateArguments& arguments) {
  LongRun run;
  Scenario scenario = LoadScenario(arguments.scenario);
  if (arguments.seed) scenario.seed = *arguments.seed;
  const std::vector<PolicySpec> policies = ChoosePolicies(scenario, arguments.policies);
  const std::vector<Report> reports = Run(arguments, scenario, policies, run);
  run.Clear();
  if (run.interrupted()) {
    WriteError("tandem: interrupted; this is what was complete by then, of " +
               std::to_string(reports.size()) + " of " + std::to_string(policies.size()) + " policies\n");
  }
  Print(arguments, scenario, reports);
  if (run.interrupted()) return kExitInterrupted;
  return std::all_of(reports.begin(), reports.end(), IsValid) ? kExitDone : kExitNo;
}

}  // namespace

void AddSimulateCommand(CLI::App& app, Action& action) {
  CLI::App* simulate = app.add_subcommand("simulate", "run every policy of a scenario and compare them");
  const auto arguments = std::make_shared<SimulateArguments>();
  simulate
      ->add_option("SCENARIO", arguments->scenario,
                   "a scenario or a plan: a file, or the name of one that tandem ships")
      ->required();
  simulate->add_option("--policy", arguments->policies,
                       "these alone: a label of the scenario's, or any policy");
  simulate->add_option("--engine", arguments->engine, "simgrid (the model of record) or virtual (faster)")
      ->check(CLI::IsMember({"simgrid", "virtual"}));
  CLI::Option* trace =
      simulate->add_option("--trace", arguments->trace, "write a trace for ui.perfetto.dev to this file");
  CLI::Option* csv =
      simulate->add_option("--csv", arguments->csv, "write a table of all requests to this file");
  simulate
      ->add_option("--replications", arguments->replications,
                   "so many runs each, seed by seed, with times drawn from samples")
      ->check(CLI::Range(std::int64_t{1}, kMostReplications))
      ->excludes(trace)
      ->excludes(csv);
  simulate->add_option("--seed", arguments->seed, "instead of the scenario's");
  simulate->add_flag("--details", arguments->details, "tables per unit and stream of every policy");
  simulate->add_flag("--json", arguments->json, "print JSON, report/1");
  simulate->footer(
      "Exit status 1 where a stream under LoadGen's rules is INVALID; 130 after Ctrl-C, with what was "
      "complete.\n"
      "Examples:\n  tandem simulate study-003\n  tandem simulate study-003 --policy eft --trace eft.json\n"
      "  tandem simulate overload --replications 20 --engine virtual\n"
      "  tandem simulate mine.scenario.json --json --seed 7");
  simulate->callback([arguments, &action] { action = [arguments] { return Simulate(*arguments); }; });
}

}  // namespace tandem
