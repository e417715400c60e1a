#include "sim/regress/other_profile.h"

#include <algorithm>

#include "policies/engine/virtual_runner.h"
#include "policies/kinds/recording_policy.h"
#include "policies/problem/resident_options.h"
#include "profiles/base/figures.h"
#include "profiles/base/input_error.h"
#include "profiles/base/json_reader.h"
#include "scenarios/report/objective.h"
#include "scenarios/scenario/plan.h"

namespace tandem {
namespace {

constexpr std::size_t kMostKept = 1'000'000;  // tasks: of more no order is kept

// Does it say before the run how models are cut, or who runs what in which order?
bool PlansAhead(const PolicySpec& policy, const PreparedRun& run) {
  const Decisions* const decided = run.policy->decisions();
  const PolicySpec& rule = decided && decided->rule ? *decided->rule : policy;
  return run.problem->cut_plan() || rule.declaration->waiting == Waiting::kOwnOrder;
}

// What it did, as a schedule; null: too much.
std::shared_ptr<Decisions> ScheduleThatRan(const PreparedRun& run) {
  RecordingPolicy recording(*run.policy, kMostKept);
  RunVirtual(*run.problem, recording);
  const std::vector<Decision> taken = recording.TakeAll();
  if (taken.empty()) return nullptr;
  auto schedule = std::make_shared<FixedSchedule>(ScheduleOf(taken, *run.problem));
  return std::make_shared<Decisions>(Decisions{run.problem->granularity(), run.problem->cut_plan(),
                                               ChosenResidents(*run.problem), nullptr, std::move(schedule)});
}

// A policy that has decided beforehand keeps its decisions; a rule goes on as it is.
PolicySpec KeptPlan(const Scenario& scenario, const PolicySpec& policy) {
  const PreparedRun run = Prepare(scenario, policy);
  PolicySpec kept = policy;
  const Decisions* const decided = run.policy->decisions();
  if (decided) kept.decided = std::make_shared<Decisions>(*decided);
  if ((decided && decided->schedule) || !PlansAhead(policy, run)) return kept;
  if (auto schedule = ScheduleThatRan(run)) kept.decided = std::move(schedule);
  return kept;
}

// Nothing where the new profile lacks times for it.
std::optional<ScenarioRuns> RunKept(const Scenario& other, const PolicySpec& kept, Engine engine,
                                    LongRun& watch) {
  try {
    return RunPolicies(other, {kept}, engine, {}, watch);
  } catch (const InputError&) {
    return std::nullopt;
  }
}

const PolicyRun* BestOf(const ScenarioRuns& runs) {
  return runs.winners.empty() ? nullptr : &runs.policies[runs.winners.front()];
}

std::optional<double> Behind(double best, double kept, Objective objective) {
  const double of = HigherIsBetter(objective) ? kept : best;
  if (of == 0) return best == kept ? std::optional(0.0) : std::nullopt;
  return (HigherIsBetter(objective) ? best / kept : kept / best) - 1;
}

}  // namespace

bool IsOfPlatform(const Profile& profile, const Scenario& scenario) {
  if (profile.platform == scenario.platform->name) return true;
  const auto platform = FindProfilePlatform(profile);
  return platform && platform->name == scenario.platform->name;
}

Scenario WithOtherProfile(const Scenario& scenario, const Profile& profile) {
  const JsonDocument document = JsonDocument::Parse(ScenarioWith(scenario, profile), scenario.file);
  Scenario other = ReadScenario(document.root());
  other.seed = scenario.seed;
  return other;
}

WinnerThen CompareOldWinner(const Scenario& scenario, const Scenario& other,
                            const std::vector<PolicySpec>& policies, const ScenarioRuns& runs, Engine engine,
                            LongRun& watch) {
  WinnerThen winner;
  winner.scenario = scenario.name;
  winner.objective = scenario.objective;
  const ScenarioRuns old = RunPolicies(scenario, policies, engine, {.winner = true}, watch);
  winner.before = old.winner;
  winner.after = runs.winner;
  const PolicyRun* const before = BestOf(old);
  const PolicyRun* const best = BestOf(runs);
  if (!before || !best) return winner;
  const auto is_it = [&](const PolicySpec& policy) { return policy.label == before->report.label; };
  const PolicySpec kept = KeptPlan(scenario, *std::find_if(policies.begin(), policies.end(), is_it));
  const auto again = RunKept(other, kept, engine, watch);
  if (watch.interrupted()) return winner;
  winner.best = ObjectiveValue(best->report, scenario.objective);
  if (again) winner.kept = ObjectiveValue(again->policies.front().report, scenario.objective);
  if (winner.best && winner.kept) winner.cost = Behind(*winner.best, *winner.kept, scenario.objective);
  winner.still_wins = std::ranges::any_of(runs.winners, [&](const std::size_t p) {
    return runs.policies[p].report.label == before->report.label;
  });
  winner.not_told = !winner.still_wins && runs.CannotTellFromBest(before->report.label);
  return winner;
}

std::string WinnerText(const WinnerThen& winner) {
  if (winner.before.empty() || winner.after.empty()) {
    return winner.scenario + ": no winner can be named with both profiles";
  }
  const std::string now = winner.still_wins ? " still wins"
                          : winner.not_told ? " won, now " + winner.after + " is taken"
                                            : " won, now " + winner.after + " wins";
  std::string text = winner.scenario + ": " + winner.before + now + " by " +
                     Words(NameOf(kObjectiveNames, winner.objective));
  if (winner.not_told) text += ", and draws cannot tell them apart";
  if (!winner.kept) return text + "; the old plan cannot run with the new profile";
  if (!winner.cost) return text;
  if (*winner.cost < 0 && !winner.still_wins) {
    return text + (winner.not_told ? "" : ", by draws") +
           "; in the run with every task at its median the old plan is ahead by " + Percent(-*winner.cost, 2);
  }
  return text + (*winner.cost <= 0 ? "; keeping the old plan costs nothing"
                                   : "; keeping the old plan costs " + Percent(*winner.cost, 2));
}

}  // namespace tandem
