// tandem new baseline SCENARIO... -o FILE
#include <algorithm>
#include <set>

#include "profiles/base/file_kinds.h"
#include "profiles/base/files.h"
#include "profiles/base/input_error.h"
#include "profiles/base/suggest.h"
#include "profiles/program/command_line.h"
#include "profiles/program/outputs.h"
#include "profiles/program/program.h"
#include "profiles/program/shipped.h"
#include "profiles/program/version.h"
#include "scenarios/baseline/inputs.h"
#include "scenarios/scenario/plan.h"
#include "sim/commands/engine_option.h"
#include "sim/commands/new_names.h"
#include "sim/regress/run_again.h"

namespace tandem::new_baseline {
namespace {

struct NewBaselineArguments {
  std::vector<std::string> scenarios, policies, figures;
  std::string file, name, engine = "virtual";
  std::optional<std::uint64_t> seed;
  bool shipped = false, force = false;
};

constexpr std::string_view kAllFigures = "all";

// Without a board or times there is nothing to simulate.
bool CanBeSimulated(const std::string& name) {
  const Scenario scenario = ReadScenarioOrPlan(FindScenario(name));
  return scenario.costs && !scenario.policies.empty();
}

std::vector<std::string> ScenariosOf(const NewBaselineArguments& arguments) {
  std::vector<std::string> scenarios = arguments.scenarios;
  if (arguments.shipped) {
    for (const std::string& name : ShippedNames("scenarios", ".scenario.json")) {
      if (CanBeSimulated(name)) scenarios.push_back(name);
    }
  }
  if (scenarios.empty())
    throw InputError("SCENARIO: name at least one, or all that tandem ships by --shipped");
  std::set<std::string> seen;
  for (const std::string& name : scenarios) {
    if (!seen.insert(name).second) throw InputError("SCENARIO: " + Quoted(name) + " is given twice");
  }
  return scenarios;
}

std::vector<FigureName> WantedFigures(const NewBaselineArguments& arguments, const Report& report) {
  std::vector<FigureName> wanted;
  for (const FigureName& figure : FiguresOf(report)) {
    const auto named = [&](const std::string& word) {
      const auto found = FindFigure(word);
      if (word != kAllFigures && !found) throw InputError("--figure: " + WhyNoFigure(word));
      return word == kAllFigures || found->Text() == figure.Text();
    };
    const bool usual = arguments.figures.empty() && figure.kind->usual && figure.stream.empty();
    bool is_wanted = usual;
    for (const std::string& word : arguments.figures) is_wanted = named(word) || is_wanted;
    if (is_wanted) wanted.push_back(figure);
  }
  return wanted;
}

void AddName(const std::string& name, std::vector<std::string>& names) {
  for (const std::string& known : names) {
    if (known == name) return;
  }
  names.push_back(name);
}

struct NamedScenario {
  std::string name;
  Scenario scenario;
};

std::vector<NamedScenario> ReadScenarios(const NewBaselineArguments& arguments) {
  std::vector<NamedScenario> scenarios;
  for (const std::string& name : ScenariosOf(arguments)) {
    scenarios.push_back({name, LoadScenario(name)});
    if (arguments.seed) scenarios.back().scenario.seed = *arguments.seed;
  }
  return scenarios;
}

void AddScenario(const NewBaselineArguments& arguments, const NamedScenario& named, LongRun& watch,
                 Baseline& baseline) {
  const auto& [name, scenario] = named;
  const std::vector<PolicySpec> policies = ChoosePolicies(scenario, arguments.policies);
  const auto tells_winner = [](const std::string& word) { return word == kAllFigures || word == "winner"; };
  const WantedOfRuns wanted = {
      .bound = true,
      .winner = arguments.figures.empty() || std::ranges::any_of(arguments.figures, tells_winner)};
  const ScenarioRuns runs = RunPolicies(scenario, policies, EngineNamed(arguments.engine), wanted, watch);
  const std::string inputs = InputsHash(scenario);
  for (const PolicyRun& run : runs.policies) {
    if (!run.report.failed.empty()) {
      throw InputError("policy " + Quoted(run.report.label) + " of scenario " + Quoted(name) +
                       " failed: " + run.report.failed + "; --policy says which are to be held");
    }
    BaselineCase made = CaseOf(run, runs.winner, WantedFigures(arguments, run.report));
    if (made.figures.empty()) throw InputError("--figure: scenario " + Quoted(name) + " has none of them");
    made.scenario = NameFrom(arguments.file, name);
    made.inputs = inputs;
    for (const auto& [figure, kept] : made.figures) AddName(figure, baseline.figures);
    baseline.cases.push_back(std::move(made));
  }
}

int NewBaseline(const NewBaselineArguments& arguments) {
  Baseline baseline;
  baseline.name =
      arguments.name.empty() ? NameOfFile(arguments.file, ".baseline.json", "baseline") : arguments.name;
  baseline.version = Version();
  const std::vector<NamedScenario> scenarios = ReadScenarios(arguments);
  const Outputs outputs({{"-o", arguments.file, {"baseline/1"}}}, arguments.force, false);
  LongRun watch;
  for (const NamedScenario& scenario : scenarios) {
    AddScenario(arguments, scenario, watch, baseline);
    if (!watch.interrupted()) continue;
    watch.Clear();
    WriteError("tandem: interrupted: nothing is written\n");
    return kExitInterrupted;
  }
  watch.Clear();
  WriteFile(arguments.file, BaselineJson(baseline));
  outputs.Say(arguments.file + ": " + Counted(static_cast<std::int64_t>(baseline.cases.size()), "case") +
              "\n");
  return kExitDone;
}

void Declare(Command& command, NewBaselineArguments& arguments) {
  command.Add("SCENARIO", &arguments.scenarios, "files, or names of what tandem ships");
  command.Add("-o,--output", &arguments.file, "the baseline's file").Required();
  command.Flag("--shipped", &arguments.shipped, "every scenario that tandem ships and can simulate");
  command
      .Add("--figure", &arguments.figures,
           "instead of makespan, p99, missed, gap and the winner; streams.NAME.p99 is one stream's, all: "
           "every one")
      .Separated(',')
      .OneWord()
      .Shown("FIGURE");
  command
      .Add("--policy", &arguments.policies,
           "these alone: labels of the scenarios', or any policies: fcfs,eft")
      .Separated(',')
      .OneWord();
  AddExactEngine(command, arguments.engine);
  command.Add("--seed", &arguments.seed, "instead of the scenarios'");
  command.Add("--name", &arguments.name, "the baseline's name; else its file's");
  command.Force(&arguments.force);
  command.Footer(
      "Every policy of each scenario is simulated, unless --policy says which. Figures are exact until a\n"
      "tolerance is written into the file.\n"
      "Examples:\n  tandem new baseline study-003 -o ci.baseline.json\n"
      "  tandem new baseline mine.scenario.json -o ci/mine.baseline.json --figure p99,energy\n"
      "  tandem new baseline --shipped -o shipped.baseline.json");
}

const CommandRegistration kNewBaseline{
    {.name = "new baseline", .summary = "the figures of scenarios, to be held against later", .order = 50},
    Declare,
    NewBaseline};

}  // namespace
}  // namespace tandem::new_baseline
