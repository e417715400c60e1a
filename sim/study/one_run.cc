#include "sim/study/one_run.h"

#include <algorithm>
#include <set>

#include "policies/bounds/bound_on_all.h"
#include "policies/bounds/exact.h"
#include "policies/engine/batches.h"
#include "policies/engine/virtual_runner.h"
#include "policies/problem/estimates.h"
#include "policies/problem/left_alone.h"
#include "profiles/base/input_error.h"
#include "profiles/program/shipped.h"
#include "scenarios/report/objective.h"
#include "scenarios/scenario/plan.h"
#include "sim/engine/simgrid_runner.h"
#include "sim/study/known_data.h"

namespace tandem {
namespace {

void CheckHasTimes(const Scenario& scenario) {
  if (scenario.costs) return;
  throw InputError(scenario.file + ": without " +
                   (scenario.platform ? "profiles there are no times" : "a platform there are no units") +
                   " to simulate with");
}

std::vector<PolicySpec> FindPolicies(const Scenario& scenario, const std::string& name,
                                     const std::string& option) {
  std::vector<PolicySpec> found;
  for (const PolicySpec& policy : scenario.policies) {
    if (policy.label == name) return {policy};
    if (policy.declaration->name == name) found.push_back(policy);
  }
  if (found.empty()) found.push_back(PolicyByName(name, scenario, option));
  return found;
}

// A policy that takes no granularity may choose any.
void AddGranularities(const PolicySpec& policy, std::set<Granularity>& granularities) {
  if (policy.declaration->takes_granularity) {
    granularities.insert(policy.decided ? policy.decided->granularity : policy.granularity);
    return;
  }
  for (const auto& [name, granularity] : kGranularityNames) granularities.insert(granularity);
}

// Nothing where a stream cannot be run at it: its policy says why.
std::unique_ptr<Problem> ProblemAt(const Scenario& scenario, Granularity granularity) {
  try {
    return std::make_unique<Problem>(scenario, granularity);
  } catch (const InputError&) {
    return nullptr;
  }
}

// Of a few tasks on units that hold what they hold, the best schedule itself, or what its search has
// excluded.
Nanos BoundOfFewTasks(const Problem& problem, Nanos bound, OpenEdges edges) {
  for (std::size_t u = 0; u < problem.units(); ++u) {
    if (problem.MayChooseResidents(UnitId(u))) return bound;
  }
  const auto written = WriteOut(problem, Deadlines::kIgnored, edges);
  if (!written || written->tasks.size() > kFewExactJobs) return bound;
  return std::max(bound, SolveExactly(written->jobs, kFewExactNodes).bound - written->first_release);
}

// A policy that takes no granularity cuts models as it likes, and chooses how tensors come; so may a plan.
bool CutsFreely(const PolicySpec& policy) {
  return !policy.declaration->takes_granularity || (policy.decided && policy.decided->cuts);
}

RunFacts FactsOf(const Scenario& scenario, Engine engine, const Bound& bound) {
  RunFacts facts;
  facts.engine = NameOf(kEngineNames, engine);
  facts.bound = bound.makespan;
  facts.bound_why = bound.why_null;
  facts.objective_bound = ObjectiveBound(scenario, bound);
  facts.profiles = ProfilesUsed(scenario);
  return facts;
}

}  // namespace

Engine EngineNamed(std::string_view name) {
  const auto found = std::find_if(kEngineNames.begin(), kEngineNames.end(),
                                  [&](const Named<Engine>& engine) { return engine.name == name; });
  return found == kEngineNames.end() ? Engine::kSimgrid : found->value;
}

std::filesystem::path FindScenario(const std::string& argument) {
  try {
    return FindFile(argument, {}, "scenarios", ".scenario.json");
  } catch (const InputError& error) {
    throw InputError(argument + ": " + error.what());
  }
}

Scenario LoadScenario(const std::string& argument) {
  Scenario scenario = ReadScenarioOrPlan(FindScenario(argument));
  CheckHasTimes(scenario);
  return scenario;
}

Scenario ScenarioToSimulate(const std::string& text, const std::string& file,
                            const ScenarioOptions& options) {
  const JsonDocument document = JsonDocument::Parse(text, file);
  Scenario scenario = ReadScenarioOrPlan(document.root(), options);
  CheckHasTimes(scenario);
  return scenario;
}

Outcome RunOn(Engine engine, const PreparedRun& run, const RunOptions& options) {
  if (engine == Engine::kVirtual) return RunVirtual(*run.problem, *run.policy, options);
  if (engine == Engine::kFluid) return RunFluidOnSimGrid(*run.problem, *run.policy, options);
  return RunOnSimGrid(*run.problem, *run.policy, options);
}

Bound BoundFor(const Scenario& scenario, const std::vector<PolicySpec>& policies) {
  std::set<Granularity> granularities;
  for (const PolicySpec& policy : policies) AddGranularities(policy, granularities);
  std::vector<std::unique_ptr<Problem>> problems;
  WaysToRun ways;
  for (const Granularity granularity : granularities) {
    problems.push_back(ProblemAt(scenario, granularity));
    if (problems.back()) ways.problems.push_back(problems.back().get());
  }
  ways.cuts_freely = std::any_of(policies.begin(), policies.end(), CutsFreely);
  if (ways.cuts_freely) ways.edges = OpenEdges::kYes;
  return BoundOnAll(scenario, ways, BoundOfFewTasks);
}

Report ReportOf(const PreparedRun& run, Engine engine, const Bound& bound, Outcome outcome) {
  CheckPower(run.problem->scenario(), outcome);
  RunFacts facts = FactsOf(run.problem->scenario(), engine, bound);
  const Decisions* const decided = run.policy->decisions();
  if (decided && decided->search) facts.search = *decided->search;
  facts.residents = ResidentsOf(*run.problem);
  facts.estimated = EstimatesOf(*run.problem);
  std::vector<char> worked;
  for (const UnitOutcome& unit : outcome.units) worked.push_back(unit.tasks > 0 ? 1 : 0);
  for (std::string& sentence : SlowdownsTakenAsNone(*run.problem, worked)) {
    facts.estimated.push_back(std::move(sentence));
  }
  if (std::string unstable = UnstableTimes(*run.problem, worked); !unstable.empty()) {
    facts.estimated.push_back(std::move(unstable));
  }
  for (std::string& sentence : BatchesBetween(run.problem->scenario(), outcome)) {
    facts.estimated.push_back(std::move(sentence));
  }
  if (run.policy->LeavesAlone()) {
    for (std::string& sentence : WaitsOfNobody(*run.problem)) facts.estimated.push_back(std::move(sentence));
  }
  if (CutsFreely(*run.spec)) {
    for (std::string& sentence : KeptWhole(*run.problem)) facts.estimated.push_back(std::move(sentence));
  }
  return MakeReport(run.problem->scenario(), *run.spec, facts, std::move(outcome));
}

PlanPrediction PredictionOf(const Report& report) {
  PlanPrediction predicted;
  predicted.engine = report.engine;
  predicted.objective = ObjectiveValue(report, report.objective);
  predicted.makespan = report.makespan;
  predicted.bound = report.bound;
  for (const UnitReport& unit : report.units) {
    for (const ModelLoads& of : unit.loads)
      predicted.loads.push_back({unit.name, of.model, of.loads, of.evictions});
  }
  predicted.win_probability_why = report.win_why;
  if (!report.draws) {
    predicted.interval_why = report.interval_why;
    return predicted;
  }
  const ReportDraws& draws = *report.draws;
  predicted.win_probability = draws.win_probability;
  predicted.interval_lacks = LacksText(report);
  predicted.interval = draws.probability;
  predicted.makespan_interval = {draws.makespan.low, draws.makespan.high};
  predicted.makespan_median = draws.makespan.median;
  if (!draws.objective) return predicted;
  predicted.objective_interval = {draws.objective->low, draws.objective->high};
  predicted.objective_median = draws.objective->median;
  return predicted;
}

Report FailedReport(const Scenario& scenario, const PolicySpec& policy, Engine engine, const Bound& bound,
                    const InputError& why) {
  return MakeFailedReport(scenario, policy, FactsOf(scenario, engine, bound), why.what());
}

void AddFactsOfScenario(const Scenario& scenario, std::vector<Report>& reports) {
  const std::vector<MeasuredRoom> rooms = RoomsInDoubt(scenario);
  for (Report& report : reports) report.short_of_room = rooms;
  AddTakenForWant(scenario, reports);
}

std::vector<PolicySpec> ChoosePolicies(const Scenario& scenario, const std::vector<std::string>& names,
                                       const std::string& option) {
  if (names.empty() && scenario.policies.empty()) {
    throw InputError(scenario.file + ":/policies: there are none; say which with --policy NAME");
  }
  if (names.empty()) return scenario.policies;
  std::vector<PolicySpec> chosen;
  for (const std::string& name : names) {
    for (PolicySpec& policy : FindPolicies(scenario, name, option)) {
      const auto same = [&](const PolicySpec& other) { return other.label == policy.label; };
      if (std::none_of(chosen.begin(), chosen.end(), same)) chosen.push_back(std::move(policy));
    }
  }
  return chosen;
}

}  // namespace tandem
