// tandem new baseline SCENARIO... -o FILE
#include <filesystem>
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
#include "sim/regress/run_again.h"

namespace tandem::new_baseline {
namespace {

namespace fs = std::filesystem;

struct NewBaselineArguments {
  std::vector<std::string> scenarios, policies, figures;
  std::string file, name, engine = "virtual";
  std::optional<std::uint64_t> seed;
  bool shipped = false;
};

constexpr std::string_view kAllFigures = "all";
constexpr std::string_view kSuffix = ".baseline.json";

// As the baseline is to call it: a shipped name as it is, a file by the way from the baseline's folder.
std::string NameFrom(const fs::path& baseline, const std::string& scenario) {
  if (IsShippedName(scenario)) return scenario;
  const std::string way = WayTo(scenario, baseline);
  return IsShippedName(way) ? "./" + way : way;
}

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

void AddScenario(const NewBaselineArguments& arguments, const std::string& name, LongRun& watch,
                 Baseline& baseline) {
  Scenario scenario = LoadScenario(name);
  if (arguments.seed) scenario.seed = *arguments.seed;
  const std::vector<PolicySpec> policies = ChoosePolicies(scenario, arguments.policies);
  const ScenarioRuns runs = RunPolicies(scenario, policies, EngineOf(arguments.engine), true, watch);
  const std::string inputs = InputsHash(scenario);
  for (const PolicyRun& run : runs.policies) {
    BaselineCase made = CaseOf(run, runs.winner, WantedFigures(arguments, run.report));
    if (made.figures.empty()) throw InputError("--figure: scenario " + Quoted(name) + " has none of them");
    made.scenario = NameFrom(arguments.file, name);
    made.inputs = inputs;
    baseline.cases.push_back(std::move(made));
  }
}

std::string NameOfFile(const std::string& file) {
  std::string name = fs::path(file).filename().string();
  if (name.ends_with(kSuffix)) name.resize(name.size() - kSuffix.size());
  return name;
}

int NewBaseline(const NewBaselineArguments& arguments) {
  Baseline baseline;
  baseline.name = arguments.name.empty() ? NameOfFile(arguments.file) : arguments.name;
  baseline.version = Version();
  LongRun watch;
  for (const std::string& name : ScenariosOf(arguments)) {
    AddScenario(arguments, name, watch, baseline);
    if (!watch.interrupted()) continue;
    watch.Clear();
    WriteError("tandem: interrupted: nothing is written\n");
    return kExitInterrupted;
  }
  watch.Clear();
  const Outputs outputs({{"-o", arguments.file, {"baseline/1"}}}, true, false);  // the scenarios are inputs
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
      .OneWord()
      .Shown("FIGURE");
  command.Add("--policy", &arguments.policies, "these alone: a label of the scenarios', or any policy")
      .OneWord();
  AddEngine(command, arguments.engine);
  command.Add("--seed", &arguments.seed, "instead of the scenarios'");
  command.Add("--name", &arguments.name, "the baseline's name; else its file's");
  command.Footer(
      "Every policy of each scenario is simulated, unless --policy says which. Figures are exact until a\n"
      "tolerance is written into the file.\n"
      "Examples:\n  tandem new baseline study-003 -o ci.baseline.json\n"
      "  tandem new baseline mine.scenario.json -o ci/mine.baseline.json --figure p99 --figure energy\n"
      "  tandem new baseline --shipped -o shipped.baseline.json");
}

const CommandRegistration kNewBaseline{
    {.name = "new baseline", .summary = "the figures of scenarios, to be held against later", .order = 50},
    Declare,
    NewBaseline};

}  // namespace
}  // namespace tandem::new_baseline
