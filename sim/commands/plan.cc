// tandem plan SCENARIO
#include <nlohmann/json.hpp>

#include "policies/kinds/make_plan.h"
#include "profiles/base/figures.h"
#include "profiles/base/files.h"
#include "profiles/base/input_error.h"
#include "profiles/base/joined.h"
#include "profiles/base/json_output.h"
#include "profiles/base/table.h"
#include "profiles/program/command_line.h"
#include "profiles/program/long_run.h"
#include "profiles/program/outputs.h"
#include "profiles/program/program.h"
#include "scenarios/report/json.h"
#include "scenarios/report/objective.h"
#include "scenarios/report/table.h"
#include "scenarios/report/unchanged.h"
#include "scenarios/scenario/measured_room.h"
#include "scenarios/scenario/plan.h"
#include "sim/commands/engine_option.h"
#include "sim/commands/html_option.h"
#include "sim/commands/interval_option.h"
#include "sim/commands/objective_option.h"
#include "sim/commands/what_if_option.h"
#include "sim/emit/emission.h"
#include "sim/questions/state_choice.h"
#include "sim/study/contest.h"
#include "sim/study/known_data.h"
#include "sim/study/one_run.h"
#include "sim/study/traced.h"

namespace tandem::plan {
namespace {

using Json = nlohmann::ordered_json;

struct PlanArguments {
  std::string scenario, engine = "simgrid", objective, plan, html, emit;
  std::vector<std::string> policies, what_if;
  double interval = 100 * kUsualInterval;
  bool states = false, force = false, json = false;
};

Plan PlanOf(const std::vector<Contender>& contenders, const ContestVerdict& verdict) {
  const Contender& winner = contenders[*verdict.winner];
  PlanPrediction predicted = PredictionOf(winner.report);
  predicted.not_told_apart = NotTold(ReportsOf(contenders), verdict.ranking);
  std::erase(predicted.not_told_apart, winner.report.label);
  return MakePlan(*winner.run.problem, *winner.run.spec, *winner.run.policy, std::move(predicted));
}

// The winner's, to `path`, and with it the rest of the folder where a target is named.
void WritePlan(const std::vector<Contender>& contenders, const ContestVerdict& verdict,
               const Scenario& scenario, Engine engine, const std::string& path,
               std::optional<Emission>& emission) {
  const Contender& winner = contenders[*verdict.winner];
  const Plan plan = PlanOf(contenders, verdict);
  const std::string text = PlanJson(plan, scenario, scenario.file, path);
  if (!emission) return WriteFile(path, text);
  emission->Write(Deployment(scenario, plan, winner.report, engine), text);
}

std::string Written(const std::string& plan, const std::optional<Emission>& emission, std::size_t width) {
  if (plan.empty() || plan == "-") return "";
  return "\nplan: " + plan + "\n" + (emission ? emission->Text(width) : "");
}

const Fields<Contender>& WhyFields() {
  static const auto fields =
      Fields<Contender>()
          .Says("label", as::Text(), [](const Contender& contender) { return contender.report.label; })
          .Needed("units", &Contender::story, as::ListOf(as::ObjectOf(UnitStoryFields())));
  return fields;
}

std::vector<Contender> Contend(const PlanArguments& arguments, const Scenario& scenario,
                               const std::vector<PolicySpec>& policies, LongRun& watch) {
  return RunContest(scenario, policies, EngineNamed(arguments.engine), arguments.interval / 100, watch);
}

// The scenario's units are then in their best states for these policies. Nothing where it was not asked for,
// or interrupted.
std::optional<StateChoice> PutInBestStates(const PlanArguments& arguments, Scenario& scenario,
                                           LongRun& watch) {
  if (!arguments.states) return std::nullopt;
  const Engine engine = EngineNamed(arguments.engine);
  StateOptions options;
  options.policies = arguments.policies;
  options.engine = engine == Engine::kFluid ? engine : Engine::kVirtual;  // the others say the same
  options.interval = arguments.interval / 100;
  auto choice = ChooseStates(scenario, options, watch);
  if (choice) SetBestStates(*choice, scenario);
  return choice;
}

// Sets beside each what it was without what is supposed. The label of whom a plan would be made of then;
// empty: of nobody.
std::string ContendUnchanged(const PlanArguments& arguments, std::optional<Scenario>& unchanged,
                             std::vector<Contender>& contenders, LongRun& watch) {
  if (!unchanged || watch.interrupted()) return {};
  try {
    PutInBestStates(arguments, *unchanged, watch);
    if (watch.interrupted()) return {};
    const std::vector<PolicySpec> policies = ChoosePolicies(*unchanged, arguments.policies);
    const std::vector<Contender> before = Contend(arguments, *unchanged, policies, watch);
    if (watch.interrupted()) return {};
    std::vector<Report> reports = ReportsOf(contenders);
    SetUnchanged(ReportsOf(before), reports);
    for (std::size_t p = 0; p < reports.size(); ++p) contenders[p].report = std::move(reports[p]);
    const ContestVerdict verdict = Judge(before, unchanged->objective);
    return verdict.winner ? before[*verdict.winner].report.label : "";
  } catch (const InputError& error) {
    WriteError("tandem: nothing to compare with, without what is supposed: " + std::string(error.what()) +
               "\n");
    return {};
  }
}

void RefusePlan(const PlanArguments& arguments) {
  if (arguments.what_if.empty() || arguments.plan.empty()) return;
  throw InputError(
      "-o with --what-if: a plan is for the board as it is; write what is supposed into the scenario or its "
      "platform, and plan that");
}

Json SupposedJson(const Scenario& scenario) {
  Json list = Json::array();
  for (const WhatIf& supposed : scenario.what_if) {
    list.push_back({{"asked", supposed.asked}, {"changes", supposed.changes}});
  }
  return list;
}

Json ResultJson(const std::vector<Contender>& contenders, const ContestVerdict& verdict,
                const Scenario& scenario, const std::string& plan, const std::optional<Emission>& emission,
                const std::string& unchanged_winner, const std::optional<StateChoice>& states) {
  Json json = {{"tandem", "decision/1"},         {"winner", nullptr},    {"tied", Json::array()},
               {"tie_broken_by", nullptr},       {"runner_up", nullptr}, {"win_probability", nullptr},
               {"not_told_apart", Json::array()}};
  json["objective"] = NameOf(kObjectiveNames, scenario.objective);
  json["ranked_by"] = RankedByDraws(ReportsOf(contenders), scenario.objective) ? "draws" : "run";
  if (!scenario.what_if.empty()) {
    json["what_if"] = SupposedJson(scenario);
    json["unchanged"] = {{"winner", unchanged_winner.empty() ? Json() : Json(unchanged_winner)}};
  }
  if (states) json["states"] = Json::parse(StateChoiceJson(*states));
  if (verdict.winner) json["winner"] = contenders[*verdict.winner].report.label;
  json["tied"] = TiedWith(contenders, verdict);
  if (const auto by = verdict.ranking.told_apart_by) json["tie_broken_by"] = FigureWords(*by);
  if (verdict.runner_up) json["runner_up"] = contenders[*verdict.runner_up].report.label;
  if (verdict.winner && contenders[*verdict.winner].report.draws) {
    const auto probability = contenders[*verdict.winner].report.draws->win_probability;
    if (probability) json["win_probability"] = *probability;
  }
  if (verdict.winner && !contenders[*verdict.winner].report.win_why.empty()) {
    json["win_probability_why"] = contenders[*verdict.winner].report.win_why;
  }
  json["not_told_apart"] = NotTold(ReportsOf(contenders), verdict.ranking);
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
  RefusePlan(arguments);
  LoadedScenario loaded = LoadSupposed(arguments.scenario, arguments.what_if);
  Scenario& scenario = loaded.scenario;
  SetObjective(arguments.objective, scenario);
  if (loaded.unchanged) SetObjective(arguments.objective, *loaded.unchanged);
  std::optional<Emission> emission;
  if (!arguments.emit.empty()) emission.emplace(arguments.emit, arguments.plan, arguments.force);
  const std::string file = emission ? emission->plan().string() : arguments.plan;
  const Outputs outputs({{"-o", file, {"plan/1"}}, HtmlOutput(arguments.html)}, arguments.force,
                        arguments.json);
  const Engine engine = EngineNamed(arguments.engine);
  LongRun watch;
  const std::optional<StateChoice> states = PutInBestStates(arguments, scenario, watch);
  const std::vector<PolicySpec> policies = ChoosePolicies(scenario, arguments.policies);
  std::vector<Contender> contenders;
  if (!watch.interrupted()) contenders = Contend(arguments, scenario, policies, watch);
  const std::string before = ContendUnchanged(arguments, loaded.unchanged, contenders, watch);
  watch.Clear();
  if (watch.interrupted()) {
    WriteError("tandem: interrupted: no winner and no plan\n");
    return kExitInterrupted;
  }
  const ContestVerdict verdict = Judge(contenders, scenario.objective);
  const std::string plan = verdict.winner ? file : "";
  if (!plan.empty()) WritePlan(contenders, verdict, scenario, engine, plan, emission);
  const auto result = [&] {
    return JsonOutput(ResultJson(contenders, verdict, scenario, plan, emission, before, states));
  };
  if (!arguments.html.empty()) {
    Page page = PageOf(scenario, {result()});
    AddRuns(scenario, engine, DecidedOf(contenders), page);
    WriteHtml(arguments.html, page);
  }
  if (arguments.json) {
    WriteOutput(result());
  } else {
    const std::size_t width = OutputWidth();
    outputs.Say(Wrapped(scenario.name, width) + WhatIfText(scenario.what_if, width) +
                RoomsInDoubtText(scenario, width) + ReportTable(ReportsOf(contenders), width) +
                MissingText(scenario, width) + UnchangedTable(ReportsOf(contenders), width) + "\n" +
                VerdictText(contenders, verdict, scenario.objective, width) +
                (states ? BestStatesText(*states, width) : "") + WhyText(contenders, verdict, width) +
                Written(plan, emission, width));
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
  AddWhatIf(command, arguments.what_if);
  command.Flag("--states", &arguments.states,
               "choose the clock states of units, too, as `tandem states` does; the plan is in these");
  command.Flag("--json", &arguments.json, "print JSON");
  command.Footer(
      "Exit status 1 where no policy can be named the winner; 2 where a policy cannot run the scenario, with "
      "the winner of the others.\n"
      "Examples:\n  tandem plan study-003\n  tandem plan study-003 --policy best,eft -o "
      "study.plan.json\n"
      "  tandem plan mine.scenario.json --emit onnxruntime -o deployed\n"
      "  tandem plan study-003 --what-if units.coral.speed=2x\n"
      "  tandem plan clock-states --states --objective energy -o slow.plan.json\n"
      "  tandem simulate study.plan.json\n  tandem plan mine.scenario.json -o - | tandem-device run");
}

const CommandRegistration kPlan{
    {.name = "plan", .summary = "simulate every policy, keep the winner, and say why it wins", .order = 50},
    Declare,
    MakePlanOf};

}  // namespace
}  // namespace tandem::plan
