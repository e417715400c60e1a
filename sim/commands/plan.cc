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
#include "profiles/program/outputs.h"
#include "profiles/program/program.h"
#include "scenarios/report/json.h"
#include "scenarios/report/objective.h"
#include "scenarios/report/table.h"
#include "scenarios/scenario/plan.h"
#include "sim/commands/engine_option.h"
#include "sim/commands/html_option.h"
#include "sim/commands/interval_option.h"
#include "sim/commands/objective_option.h"
#include "sim/emit/emission.h"
#include "sim/study/draws.h"
#include "sim/study/known_data.h"
#include "sim/study/one_run.h"
#include "sim/study/traced.h"
#include "sim/study/where_time_goes.h"

namespace tandem::plan {
namespace {

using Json = nlohmann::ordered_json;

struct PlanArguments {
  std::string scenario, engine = "simgrid", objective, plan, html, emit;
  std::vector<std::string> policies;
  double interval = 100 * kUsualInterval;
  bool force = false, json = false;
};

// One policy's run: enough to compare it, to explain it and to make a plan of it.
struct Contender {
  PreparedRun run;
  Report report;
  std::vector<UnitStory> story;
};

// Positions among the contenders.
struct Verdict {
  Ranking ranking;
  std::optional<std::size_t> winner;
  std::optional<std::size_t> runner_up;  // the best of those that may be told from the winner
  std::optional<std::size_t> best;       // by the objective, where a simpler one is taken instead
  std::vector<std::size_t> close;        // whom the draws cannot tell from the best
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
      WriteNote("tandem: policy " + Quoted(policies[p].label) + " is left out: " + error.what() + "\n");
    }
  }
  return contenders;
}

std::vector<Report> ReportsOf(const std::vector<Contender>& contenders) {
  std::vector<Report> reports;
  for (const Contender& contender : contenders) reports.push_back(contender.report);
  return reports;
}

std::vector<PolicySpec> DecidedOf(const std::vector<Contender>& contenders) {
  std::vector<PolicySpec> policies;
  for (const Contender& contender : contenders) policies.push_back(Decided(contender.run));
  return policies;
}

void AddDraws(const Scenario& scenario, double interval, std::vector<Contender>& contenders, LongRun& watch) {
  std::vector<Report> reports = ReportsOf(contenders);
  tandem::AddDraws(scenario, DecidedOf(contenders), interval, Wanted::kIntervals, reports, watch);
  for (std::size_t p = 0; p < reports.size(); ++p) contenders[p].report = std::move(reports[p]);
}

// Of those that draws cannot tell apart the simplest is taken: a rule is worth as much as a search there.
int Simplicity(const Contender& contender) {
  switch (contender.run.spec->declaration->role) {
    case PolicyRole::kBaseline:
      return 0;
    case PolicyRole::kRule:
      return 1;
    case PolicyRole::kSearch:
      return 2;
  }
  return 2;
}

void TakeSimplest(const std::vector<Contender>& contenders, const std::vector<Report>& reports,
                  Objective objective, Verdict& verdict) {
  const std::size_t best = *verdict.winner;
  verdict.close = NotToldFrom(reports, best, objective);
  for (const std::size_t p : verdict.close) {
    if (Simplicity(contenders[p]) < Simplicity(contenders[*verdict.winner])) verdict.winner = p;
  }
  if (*verdict.winner != best) verdict.best = best;
}

Verdict Judge(const std::vector<Contender>& contenders, Objective objective) {
  std::vector<Report> reports = ReportsOf(contenders);
  const auto first = [](const std::vector<std::size_t>& of) {
    return of.empty() ? std::nullopt : std::optional(of.front());
  };
  Verdict verdict;
  verdict.ranking = RankReports(reports, objective);
  verdict.winner = first(verdict.ranking.winners);
  if (verdict.winner) TakeSimplest(contenders, reports, objective, verdict);
  for (const std::size_t winner : verdict.ranking.winners) reports[winner].beside = true;
  verdict.runner_up = first(RankReports(reports, objective).winners);
  return verdict;
}

Plan PlanOf(const Contender& winner) {
  return MakePlan(*winner.run.problem, *winner.run.spec, *winner.run.policy, PredictionOf(winner.report));
}

// The winner's, to `path`, and with it the rest of the folder where a target is named.
void WritePlan(const Contender& winner, const Scenario& scenario, Engine engine, const std::string& path,
               std::optional<Emission>& emission) {
  const Plan plan = PlanOf(winner);
  const std::string text = PlanJson(plan, scenario, scenario.file, path);
  if (!emission) return WriteFile(path, text);
  emission->Write(Deployment(scenario, plan, winner.report, engine), text);
}

std::string Written(const std::string& plan, const std::optional<Emission>& emission, std::size_t width) {
  if (plan.empty() || plan == "-") return "";
  return "\nplan: " + plan + "\n" + (emission ? emission->Text(width) : "");
}

// "eft is 3.27 % behind".
std::string Behind(const Report& winner, const Report& other, Objective objective) {
  const auto best = ObjectiveValue(winner, objective), value = ObjectiveValue(other, objective);
  std::string text = other.label + " comes next";
  if (best && value && *best == *value) return text + ", as good by it";
  if (!best || !value || *best == 0 || *value == 0) return text;
  const double ratio = HigherIsBetter(objective) ? *best / *value : *value / *best;
  return text + ", " + Percent(ratio - 1, 2) + " behind";
}

// The labels of those that the winner is tied with.
std::vector<std::string> TiedWith(const std::vector<Contender>& contenders, const Verdict& verdict) {
  std::vector<std::string> labels;
  for (const std::size_t p : verdict.ranking.equal) {
    if (p != verdict.winner) labels.push_back(contenders[p].report.label);
  }
  return labels;
}

// The labels of those that the draws cannot tell apart from the best, that one first; none where they can.
std::vector<std::string> NotTold(const std::vector<Contender>& contenders, const Verdict& verdict) {
  std::vector<std::string> labels;
  if (!verdict.close.empty()) {
    labels.push_back(contenders[verdict.best.value_or(*verdict.winner)].report.label);
  }
  for (const std::size_t p : verdict.close) labels.push_back(contenders[p].report.label);
  return labels;
}

// ", tied with fcfs, sjf and ahead of them by missed requests".
std::string TieClause(const std::vector<Contender>& contenders, const Verdict& verdict) {
  const std::vector<std::string> tied = TiedWith(contenders, verdict);
  if (tied.empty()) return {};
  const Ranking& ranking = verdict.ranking;
  const std::string text = ", tied with " + Joined(tied);
  if (ranking.winners.size() > 1) return text + ", and taken since it comes first in the list";
  return text + " and ahead by the least " + std::string(ranking.told_apart_by);
}

std::string VerdictText(const std::vector<Contender>& contenders, const Verdict& verdict, Objective objective,
                        std::size_t width) {
  if (!verdict.winner) return Wrapped("no policy wins: none can be judged by the objective", width);
  const Report& winner = contenders[*verdict.winner].report;
  const std::vector<Report> reports = ReportsOf(contenders);
  if (verdict.best) {
    return Wrapped(winner.label + " is taken, the simplest of those that cannot be told apart; " +
                       WinnerText(reports, *verdict.best, objective) + ".",
                   width);
  }
  std::string text = winner.label + " wins by " + std::string(NameOf(kObjectiveNames, objective)) +
                     TieClause(contenders, verdict);
  if (winner.gap) text += "; its makespan is within " + Percent(*winner.gap, 2) + " of the bound";
  if (const std::string sure = WinnerText(reports, *verdict.winner, objective); !sure.empty()) {
    text += "; " + sure;
  }
  if (verdict.runner_up) text += "; " + Behind(winner, contenders[*verdict.runner_up].report, objective);
  return Wrapped(text + ".", width);
}

std::string Why(const std::vector<Contender>& contenders, const Verdict& verdict, std::size_t width) {
  if (!verdict.winner) return "";
  const Contender& winner = contenders[*verdict.winner];
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
                const std::string& plan, const std::optional<Emission>& emission) {
  Json json = {{"tandem", "decision/1"},         {"winner", nullptr},    {"tied", Json::array()},
               {"tie_broken_by", nullptr},       {"runner_up", nullptr}, {"win_probability", nullptr},
               {"not_told_apart", Json::array()}};
  json["objective"] = NameOf(kObjectiveNames, scenario.objective);
  if (verdict.winner) json["winner"] = contenders[*verdict.winner].report.label;
  json["tied"] = TiedWith(contenders, verdict);
  if (!verdict.ranking.told_apart_by.empty()) json["tie_broken_by"] = verdict.ranking.told_apart_by;
  if (verdict.runner_up) json["runner_up"] = contenders[*verdict.runner_up].report.label;
  if (verdict.winner && contenders[*verdict.winner].report.draws) {
    const auto probability = contenders[*verdict.winner].report.draws->win_probability;
    if (probability) json["win_probability"] = *probability;
  }
  json["not_told_apart"] = NotTold(contenders, verdict);
  json["plan"] = plan.empty() ? Json() : Json(plan);
  json["emitted"] = emission && !plan.empty() ? emission->Json() : Json();
  json["reports"] = Json::parse(ReportsJson(ReportsOf(contenders)));
  json["why"] = Json::array();
  for (const Contender& contender : contenders) {
    json["why"].push_back(Json::parse(WhyFields().Text(contender)));
  }
  return json;
}

int MakePlanOf(const PlanArguments& arguments) {
  Scenario scenario = LoadScenario(arguments.scenario);
  SetObjective(arguments.objective, scenario);
  const std::vector<PolicySpec> policies = ChoosePolicies(scenario, arguments.policies);
  std::optional<Emission> emission;
  if (!arguments.emit.empty()) emission.emplace(arguments.emit, arguments.plan, arguments.force);
  const std::string file = emission ? emission->plan().string() : arguments.plan;
  const Outputs outputs({{"-o", file, {"plan/1"}}, HtmlOutput(arguments.html)}, arguments.force,
                        arguments.json);
  const Engine engine = EngineOf(arguments.engine);
  LongRun watch;
  std::vector<Contender> contenders = RunAll(scenario, policies, engine, watch);
  if (!watch.interrupted()) AddDraws(scenario, arguments.interval / 100, contenders, watch);
  watch.Clear();
  if (watch.interrupted()) {
    WriteError("tandem: interrupted: no winner and no plan\n");
    return kExitInterrupted;
  }
  const Verdict verdict = Judge(contenders, scenario.objective);
  const std::string plan = verdict.winner ? file : "";
  if (!plan.empty()) WritePlan(contenders[*verdict.winner], scenario, engine, plan, emission);
  const auto result = [&] { return JsonOutput(ResultJson(contenders, verdict, scenario, plan, emission)); };
  if (!arguments.html.empty()) {
    WriteHtml(arguments.html, PageOf(scenario, {result()}), TraceOf(scenario, engine, DecidedOf(contenders)));
  }
  if (arguments.json) {
    WriteOutput(result());
  } else {
    const std::size_t width = OutputWidth();
    outputs.Say(Wrapped(scenario.name, width) + ReportTable(ReportsOf(contenders), width) +
                MissingText(scenario, width) + "\n" +
                VerdictText(contenders, verdict, scenario.objective, width) +
                Why(contenders, verdict, width) + Written(plan, emission, width));
  }
  if (contenders.size() < policies.size()) return kExitBadInput;
  return verdict.winner ? kExitDone : kExitNo;
}

// "the winner's plan as files for: onnxruntime (...); triton (...)".
std::string TargetsHelp() {
  const auto line = [](const EmitterDeclaration& target) {
    return target.name + " (" + target.summary + ")";
  };
  return "write the winner's plan for what it is deployed with into the folder -o names: " +
         Joined(Emitters(), "; ", line);
}

void Declare(Command& command, PlanArguments& arguments) {
  command.Add("SCENARIO", &arguments.scenario, "a file, or the name of one that tandem ships").Required();
  command.Add(
      "-o,--output", &arguments.plan,
      "write the winner's plan to this file; -: standard output; with --emit a folder, the plan in it");
  command.Add("--emit", &arguments.emit, TargetsHelp()).Shown("TARGET");
  AddHtml(command, arguments.html);
  command.Force(&arguments.force);
  command
      .Add("--policy", &arguments.policies,
           "these alone: labels of the scenario's, or any policies: fcfs,eft")
      .Separated(',');
  AddEngine(command, arguments.engine);
  AddInterval(command, arguments.interval);
  AddObjective(command, arguments.objective);
  command.Flag("--json", &arguments.json, "print JSON");
  command.Footer(
      "Exit status 1 where no policy can be named the winner; 2 where a policy cannot run the scenario, with "
      "the winner of the others.\n"
      "Examples:\n  tandem plan study-003\n  tandem plan study-003 --policy best,eft -o "
      "study.plan.json\n"
      "  tandem plan mine.scenario.json --emit onnxruntime -o deployed\n"
      "  tandem simulate study.plan.json\n  tandem plan mine.scenario.json -o - | tandem-device run");
}

const CommandRegistration kPlan{
    {.name = "plan", .summary = "simulate every policy, keep the winner, and say why it wins", .order = 50},
    Declare,
    MakePlanOf};

}  // namespace
}  // namespace tandem::plan
