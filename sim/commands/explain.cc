// tandem explain SCENARIO
#include <algorithm>

#include "profiles/base/input_error.h"
#include "profiles/base/joined.h"
#include "profiles/program/command_line.h"
#include "profiles/program/long_run.h"
#include "profiles/program/program.h"
#include "scenarios/report/unchanged.h"
#include "sim/commands/engine_option.h"
#include "sim/commands/html_option.h"
#include "sim/commands/interval_option.h"
#include "sim/commands/objective_option.h"
#include "sim/commands/what_if_option.h"
#include "sim/study/contest.h"
#include "sim/study/draws.h"
#include "sim/study/explanation.h"
#include "sim/study/known_data.h"
#include "sim/study/traced.h"

namespace tandem::explain {
namespace {

struct ExplainArguments {
  std::string scenario, engine = "simgrid", objective, policy, versus, html;
  std::vector<std::string> what_if;
  double interval = 100 * kUsualInterval;
  bool force = false, json = false;
};

// The one policy of that name.
PolicySpec TheOne(const Scenario& scenario, const std::string& name, const std::string& option) {
  std::vector<PolicySpec> found = ChoosePolicies(scenario, {name}, option);
  if (found.size() == 1) return std::move(found.front());
  throw InputError(option + ": the scenario has several policies " + Quoted(name) + ": say which of " +
                   Joined(found, ", ", [](const PolicySpec& policy) { return Quoted(policy.label); }));
}

class Explainer {
 public:
  Explainer(const Scenario& scenario, Engine engine, double interval, LongRun& watch)
      : scenario_(scenario), engine_(engine), interval_(interval), watch_(watch) {}

  // Nothing where it was interrupted.
  std::optional<ExplainedRun> Run(const PolicySpec& policy, Followed followed = Followed::kWhatTells) {
    const auto progress = [&](std::int64_t ended) { return watch_.Progress(policy.label, ended, 0); };
    if (!progress(0)) return std::nullopt;
    ExplainedRun run = RunAndExplain(scenario_, policy, engine_, progress, followed);
    if (!run.report.complete) return std::nullopt;
    return run;
  }

  // Whom a plan would be made of; interrupted or without a winner nothing.
  std::optional<ExplainedRun> Winner(const std::vector<PolicySpec>& policies) {
    const std::vector<Contender> contenders = RunContest(scenario_, policies, engine_, interval_, watch_);
    if (watch_.interrupted()) return std::nullopt;
    const ContestVerdict verdict = Judge(contenders, scenario_.objective);
    if (!verdict.winner) return std::nullopt;
    if (contenders.size() > 1) chosen_ = ChoiceAmong(ReportsOf(contenders));
    return Run(*contenders[*verdict.winner].run.spec);
  }
  const std::optional<Choice>& chosen() const { return chosen_; }  // of the winner

 private:
  const Scenario& scenario_;
  Engine engine_;
  double interval_;
  LongRun& watch_;
  std::optional<Choice> chosen_;
};

std::vector<PolicySpec> ExplainedPolicies(const Explanation& explanation) {
  std::vector<PolicySpec> policies = {Decided(explanation.policy.run)};
  if (explanation.versus) policies.push_back(Decided(explanation.versus->run));
  return policies;
}

void AddDrawsTo(const Scenario& scenario, double interval, Explanation& explanation, LongRun& watch) {
  std::vector<Report> reports = {explanation.policy.report};
  if (explanation.versus) reports.push_back(explanation.versus->report);
  AddTakenForWant(scenario, reports);
  AddDraws(scenario, ExplainedPolicies(explanation), interval, Wanted::kIntervals, reports, watch);
  explanation.policy.report = std::move(reports[0]);
  if (explanation.versus) explanation.versus->report = std::move(reports[1]);
}

LoadedScenario ScenarioOf(const ExplainArguments& arguments) {
  LoadedScenario loaded = LoadSupposed(arguments.scenario, arguments.what_if);
  SetObjective(arguments.objective, loaded.scenario);
  if (loaded.unchanged) SetObjective(arguments.objective, *loaded.unchanged);
  return loaded;
}

// What the run was without what is supposed.
void AddUnchanged(const Scenario& unchanged, Engine engine, ExplainedRun& run) {
  const PolicySpec policy = TheOne(unchanged, run.report.label, "--policy");
  const PreparedRun before = Prepare(unchanged, policy);
  std::vector<Report> reports = {run.report};
  SetUnchanged({ReportOf(before, engine, BoundFor(unchanged, {policy}), RunOn(engine, before))}, reports);
  run.report.unchanged = std::move(reports[0].unchanged);
}

int Explain(const ExplainArguments& arguments) {
  const LoadedScenario loaded = ScenarioOf(arguments);
  const Scenario& scenario = loaded.scenario;
  const Engine engine = EngineNamed(arguments.engine);
  std::vector<PolicySpec> policies;
  if (arguments.policy.empty()) {
    policies = ChoosePolicies(scenario, {});
  } else {
    policies.push_back(TheOne(scenario, arguments.policy, "--policy"));
  }
  std::optional<PolicySpec> other;
  if (!arguments.versus.empty()) other = TheOne(scenario, arguments.versus, "--versus");
  const Outputs outputs({HtmlOutput(arguments.html)}, arguments.force, arguments.json);
  LongRun watch;
  const double interval = arguments.interval / 100;
  Explainer explainer(scenario, engine, interval, watch);
  Explanation explanation;
  auto run = policies.size() == 1 ? explainer.Run(policies.front()) : explainer.Winner(policies);
  if (run) {
    explanation.policy = std::move(*run);
    explanation.chosen = explainer.chosen();
    // Alike, so that they compare.
    const Followed alike = explanation.policy.follows ? Followed::kRequest : Followed::kRun;
    if (other) explanation.versus = explainer.Run(*other, alike);
    AddDrawsTo(scenario, interval, explanation, watch);
    if (loaded.unchanged) AddUnchanged(*loaded.unchanged, engine, explanation.policy);
    if (loaded.unchanged && explanation.versus) AddUnchanged(*loaded.unchanged, engine, *explanation.versus);
    explanation.keeps_plan = explanation.policy.run.policy->decisions() != nullptr;
    const auto go_on = [&](std::int64_t tried) { return watch.Progress("tried otherwise", tried, 0); };
    const ExplainedRun& explained = explanation.policy;
    AlternativeDraws draws;
    if (const auto& drawn = explained.report.draws) {
      draws = {drawn->runs, drawn->probability, [&](std::int64_t done, std::int64_t all) {
                 return watch.Progress("draws of decisions", done, all);
               }};
    }
    explanation.alternatives =
        TryAlternatives(*explained.run.problem, explained.taken, explained.path, go_on, draws);
    const GoesOn draws_go_on = [&](std::int64_t done, std::int64_t all) {
      return watch.Progress("draws of a faster part", done, all);
    };
    std::int64_t parts = 0;
    const auto parts_go_on = [&] { return watch.Progress("faster parts", parts++, 0); };
    explanation.faster = TryFasterParts(explained, ScenarioOf(arguments).scenario, parts_go_on, draws_go_on);
  }
  watch.Clear();
  if (watch.interrupted()) {
    WriteError("tandem: interrupted: nothing is explained\n");
    return kExitInterrupted;
  }
  if (!run) {
    throw InputError(scenario.file + ": no policy can be named the winner: say which with --policy NAME");
  }
  if (!arguments.html.empty()) {
    Page page = PageOf(scenario, {ExplanationJson(explanation)});
    AddRuns(scenario, engine, ExplainedPolicies(explanation), page);
    WriteHtml(arguments.html, page);
  }
  outputs.Say(arguments.json ? ExplanationJson(explanation)
                             : ExplanationText(explanation, scenario, OutputWidth()));
  return kExitDone;
}

void Declare(Command& command, ExplainArguments& arguments) {
  command
      .Add("SCENARIO", &arguments.scenario,
           "a scenario or a plan: a file, or the name of one that tandem ships")
      .Required();
  command.Add("--policy", &arguments.policy,
              "a label of the scenario's, or any policy; else the winner among the scenario's");
  command.Add("--versus", &arguments.versus, "another one, to be held beside it");
  AddExactEngine(command, arguments.engine);
  AddInterval(command, arguments.interval);
  AddObjective(command, arguments.objective);
  AddHtml(command, arguments.html);
  AddWhatIf(command, arguments.what_if);
  command.Force(&arguments.force);
  command.Flag("--json", &arguments.json, "print JSON, explanation/1");
  command.Footer(
      "The critical path goes from the last completion back to what had to end before. Where the arrivals "
      "set "
      "the\nmakespan it is the path of the request furthest past its deadline, or of the largest latency. "
      "Single\n"
      "decisions and faster parts are tried by simulating again in virtual time.\n"
      "Examples:\n  tandem explain study-003\n  tandem explain study-003 --policy eft --versus fcfs\n"
      "  tandem explain study-003 --policy best --engine virtual --json\n"
      "  tandem explain study-003 --policy eft --what-if units.coral.speed=2\n"
      "  tandem explain study-003 --policy eft --html eft.html");
}

const CommandRegistration kExplain{
    {.name = "explain",
     .summary = "why a policy takes as long as it does, and what would change that",
     .order = 60},
    Declare,
    Explain};

}  // namespace
}  // namespace tandem::explain
