// tandem plan SCENARIO
#include <algorithm>
#include <functional>
#include <nlohmann/json.hpp>

#include "policies/kinds/make_plan.h"
#include "profiles/base/figures.h"
#include "profiles/base/files.h"
#include "profiles/base/input_error.h"
#include "profiles/base/joined.h"
#include "profiles/base/json_output.h"
#include "profiles/base/suggest.h"
#include "profiles/base/table.h"
#include "profiles/program/command_line.h"
#include "profiles/program/long_run.h"
#include "profiles/program/program.h"
#include "scenarios/report/json.h"
#include "scenarios/report/objective.h"
#include "scenarios/report/table.h"
#include "scenarios/scenario/plan.h"
#include "sim/commands/engine_option.h"
#include "sim/study/one_run.h"
#include "sim/study/where_time_goes.h"

namespace tandem::plan {
namespace {

using Json = nlohmann::ordered_json;

struct PlanArguments {
  std::string scenario, engine = "simgrid", plan;
  std::vector<std::string> policies;
  bool json = false;
};

// One policy's run: enough to compare it, to explain it and to make a plan of it.
struct Contender {
  PreparedRun run;
  Report report;
  std::vector<UnitStory> story;
};

// Positions among the contenders.
struct Verdict {
  std::vector<std::size_t> best;  // none, the winner, or those that are tied
  std::optional<std::size_t> runner_up;
};

Contender RunOne(const Scenario& scenario, const PolicySpec& policy, Engine engine, const Bound& bound,
                 const std::function<bool(std::int64_t)>& progress) {
  Contender contender{Prepare(scenario, policy), {}, {}};
  StoryOfRun story(*contender.run.problem);
  RunOptions options;
  options.spans = &story;
  options.progress = progress;
  Outcome outcome = RunOn(engine, contender.run, options);
  contender.story = story.Result(outcome);
  contender.report = ReportOf(contender.run, engine, bound, std::move(outcome));
  return contender;
}

// Without those that cannot run the scenario, which are told of. Throws InputError where none can.
std::vector<Contender> RunAll(const Scenario& scenario, const std::vector<PolicySpec>& policies,
                              Engine engine, LongRun& watch) {
  const Bound bound = BoundFor(scenario, policies);
  std::vector<Contender> contenders;
  for (std::size_t p = 0; p < policies.size(); ++p) {
    const auto progress = [&](std::int64_t) {
      return watch.Progress("policies", static_cast<std::int64_t>(p),
                            static_cast<std::int64_t>(policies.size()));
    };
    if (!progress(0)) break;
    try {
      contenders.push_back(RunOne(scenario, policies[p], engine, bound, progress));
    } catch (const InputError& error) {
      if (contenders.empty() && p + 1 == policies.size()) throw;
      WriteError("tandem: policy " + Quoted(policies[p].label) + " is left out: " + error.what() + "\n");
    }
  }
  return contenders;
}

std::vector<Report> ReportsOf(const std::vector<Contender>& contenders) {
  std::vector<Report> reports;
  for (const Contender& contender : contenders) reports.push_back(contender.report);
  return reports;
}

Verdict Judge(const std::vector<Contender>& contenders, Objective objective) {
  std::vector<Report> reports = ReportsOf(contenders);
  Verdict verdict{BestReports(reports, objective), std::nullopt};
  for (const std::size_t best : verdict.best) reports[best].beside = true;
  const std::vector<std::size_t> next = BestReports(reports, objective);
  if (!next.empty()) verdict.runner_up = next.front();
  return verdict;
}

void WritePlan(const Contender& winner, const Scenario& scenario, const std::string& path) {
  PlanPrediction predicted;
  predicted.engine = winner.report.engine;
  predicted.objective = ObjectiveValue(winner.report, scenario.objective);
  predicted.makespan = winner.report.makespan;
  predicted.bound = winner.report.bound;
  const Plan plan = MakePlan(*winner.run.problem, *winner.run.spec, *winner.run.policy, std::move(predicted));
  WriteFile(path, PlanJson(plan, scenario, scenario.file, path));
}

// "eft is 3.27 % behind".
std::string Behind(const Report& winner, const Report& other, Objective objective) {
  const auto best = ObjectiveValue(winner, objective), value = ObjectiveValue(other, objective);
  std::string text = other.label + " comes next";
  if (!best || !value || *best == 0 || *value == 0) return text;
  const double ratio = HigherIsBetter(objective) ? *best / *value : *value / *best;
  return text + ", " + Percent(ratio - 1, 2) + " behind";
}

std::string Names(const std::vector<Contender>& contenders, const std::vector<std::size_t>& positions) {
  return Joined(positions, ", ", [&](const std::size_t p) { return contenders[p].report.label; });
}

std::string VerdictText(const std::vector<Contender>& contenders, const Verdict& verdict, Objective objective,
                        std::size_t width) {
  if (verdict.best.empty()) return Wrapped("no policy wins: none can be judged by the objective", width);
  const Report& winner = contenders[verdict.best.front()].report;
  std::string text = verdict.best.size() == 1
                         ? winner.label + " wins"
                         : "tied: " + Names(contenders, verdict.best) + "; " + winner.label + " is taken";
  text += " by " + std::string(NameOf(kObjectiveNames, objective));
  if (winner.gap) text += "; its makespan is within " + Percent(*winner.gap, 2) + " of the bound";
  if (verdict.runner_up) text += "; " + Behind(winner, contenders[*verdict.runner_up].report, objective);
  return Wrapped(text + ".", width);
}

std::string Why(const std::vector<Contender>& contenders, const Verdict& verdict, std::size_t width) {
  if (verdict.best.empty()) return "";
  const Contender& winner = contenders[verdict.best.front()];
  std::string text =
      "\nWhere the time goes under " + winner.report.label + ":\n" + StoryTable(winner.story, width);
  if (!verdict.runner_up) return text;
  const Contender& other = contenders[*verdict.runner_up];
  return text + "\nWhat " + other.report.label + " does otherwise:\n" +
         DifferenceTable(winner.story, other.story, width);
}

const Fields<Contender>& WhyFields() {
  static const auto fields =
      Fields<Contender>()
          .Says("label", as::Text(), [](const Contender& contender) { return contender.report.label; })
          .Needed("units", &Contender::story, as::ListOf(as::ObjectOf(UnitStoryFields())));
  return fields;
}

Json ResultJson(const std::vector<Contender>& contenders, const Verdict& verdict, const Scenario& scenario,
                const std::string& plan) {
  Json json = {
      {"tandem", "decision/1"}, {"winner", nullptr}, {"tied", Json::array()}, {"runner_up", nullptr}};
  json["objective"] = NameOf(kObjectiveNames, scenario.objective);
  if (!verdict.best.empty()) json["winner"] = contenders[verdict.best.front()].report.label;
  for (std::size_t i = 1; i < verdict.best.size(); ++i) {
    json["tied"].push_back(contenders[verdict.best[i]].report.label);
  }
  if (verdict.runner_up) json["runner_up"] = contenders[*verdict.runner_up].report.label;
  json["plan"] = plan.empty() ? Json() : Json(plan);
  json["reports"] = Json::parse(ReportsJson(ReportsOf(contenders)));
  json["why"] = Json::array();
  for (const Contender& contender : contenders) {
    json["why"].push_back(Json::parse(WhyFields().Text(contender)));
  }
  return json;
}

int MakePlanOf(const PlanArguments& arguments) {
  const Scenario scenario = LoadScenario(arguments.scenario);
  const std::vector<PolicySpec> policies = ChoosePolicies(scenario, arguments.policies);
  const Engine engine = EngineOf(arguments.engine);
  LongRun watch;
  const std::vector<Contender> contenders = RunAll(scenario, policies, engine, watch);
  watch.Clear();
  if (watch.interrupted()) {
    WriteError("tandem: interrupted: no winner and no plan\n");
    return kExitInterrupted;
  }
  const Verdict verdict = Judge(contenders, scenario.objective);
  const std::string plan = verdict.best.empty() ? "" : arguments.plan;
  if (!plan.empty()) WritePlan(contenders[verdict.best.front()], scenario, plan);
  if (arguments.json) {
    WriteOutput(JsonOutput(ResultJson(contenders, verdict, scenario, plan)));
  } else {
    const std::size_t width = OutputWidth();
    WriteOutput(Wrapped(scenario.name, width) + ReportTable(ReportsOf(contenders), width) + "\n" +
                VerdictText(contenders, verdict, scenario.objective, width) +
                Why(contenders, verdict, width) + (plan.empty() ? "" : "\nplan: " + plan + "\n"));
  }
  if (contenders.size() < policies.size()) return kExitBadInput;
  return verdict.best.empty() ? kExitNo : kExitDone;
}

void Declare(Command& command, PlanArguments& arguments) {
  command.Add("SCENARIO", &arguments.scenario, "a file, or the name of one that tandem ships").Required();
  command.Add("-o,--output", &arguments.plan, "write the winner's plan to this file");
  command.Add("--policy", &arguments.policies, "these alone: a label of the scenario's, or any policy");
  AddEngine(command, arguments.engine);
  command.Flag("--json", &arguments.json, "print JSON");
  command.Footer(
      "Exit status 1 where no policy can be named the winner; 2 where a policy cannot run the scenario, with "
      "the "
      "winner of the others.\n"
      "Examples:\n  tandem plan study-003\n  tandem plan study-003 --policy best --policy eft -o "
      "study.plan.json\n"
      "  tandem simulate study.plan.json");
}

const CommandRegistration kPlan{
    {.name = "plan", .summary = "simulate every policy, keep the winner, and say why it wins", .order = 50},
    Declare,
    MakePlanOf};

}  // namespace
}  // namespace tandem::plan
