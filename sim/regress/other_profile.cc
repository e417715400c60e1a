#include "sim/regress/other_profile.h"

#include <algorithm>

#include "profiles/base/figures.h"
#include "profiles/base/json_reader.h"
#include "scenarios/report/objective.h"
#include "scenarios/scenario/plan.h"

namespace tandem {
namespace {

// A policy that has decided beforehand keeps its decisions; a rule goes on as it is.
PolicySpec KeptPlan(const Scenario& scenario, const PolicySpec& policy) {
  const PreparedRun run = Prepare(scenario, policy);
  PolicySpec kept = policy;
  if (const Decisions* const decided = run.policy->decisions()) {
    kept.decided = std::make_shared<Decisions>(*decided);
  }
  return kept;
}

const PolicyRun* BestOf(const ScenarioRuns& runs, Objective objective) {
  std::vector<Report> reports;
  for (const PolicyRun& run : runs.policies) reports.push_back(run.report);
  const std::vector<std::size_t> best = BestReports(reports, objective);
  return best.empty() ? nullptr : &runs.policies[best.front()];
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
  const ScenarioRuns old = RunPolicies(scenario, policies, engine, false, watch);
  winner.before = old.winner;
  winner.after = runs.winner;
  const PolicyRun* const before = BestOf(old, scenario.objective);
  const PolicyRun* const best = BestOf(runs, scenario.objective);
  if (!before || !best) return winner;
  const auto is_it = [&](const PolicySpec& policy) { return policy.label == before->report.label; };
  const PolicySpec kept = KeptPlan(scenario, *std::find_if(policies.begin(), policies.end(), is_it));
  const ScenarioRuns again = RunPolicies(other, {kept}, engine, false, watch);
  if (again.policies.empty()) return winner;
  winner.best = ObjectiveValue(best->report, scenario.objective);
  winner.kept = ObjectiveValue(again.policies.front().report, scenario.objective);
  if (winner.best && winner.kept) winner.cost = Behind(*winner.best, *winner.kept, scenario.objective);
  const PolicyRun* const now = runs.Find(before->report.label);
  winner.still_wins = now && ObjectiveValue(now->report, scenario.objective) == winner.best;
  return winner;
}

std::string WinnerText(const WinnerThen& winner) {
  if (winner.before.empty() || winner.after.empty()) {
    return winner.scenario + ": no winner can be named with both profiles";
  }
  std::string text = winner.scenario + ": " + winner.before +
                     (winner.still_wins ? " still wins" : " won, now " + winner.after + " wins") + " by " +
                     Words(NameOf(kObjectiveNames, winner.objective));
  if (!winner.cost) return text;
  return text + (*winner.cost <= 0 ? "; keeping the old plan costs nothing"
                                   : "; keeping the old plan costs " + Percent(*winner.cost, 2));
}

}  // namespace tandem
