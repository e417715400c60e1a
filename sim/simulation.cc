#include "sim/simulation.h"

#include <algorithm>
#include <set>

#include "policies/bound.h"
#include "policies/exact.h"
#include "policies/virtual_runner.h"
#include "profiles/input_error.h"
#include "profiles/shipped.h"
#include "scenarios/plan.h"
#include "sim/simgrid_runner.h"

namespace tandem {
namespace {

// What the units hold that cannot hold every model.
std::vector<UnitResidents> ResidentsOf(const Problem& problem) {
  const Scenario& scenario = problem.scenario();
  std::vector<UnitResidents> residents;
  for (std::size_t u = 0; u < problem.units(); ++u) {
    if (!problem.ResidentLimit(UnitId(u)) && !scenario.units[u].resident) continue;
    UnitResidents unit{problem.platform().units[u].name, {}};
    for (std::size_t m = 0; m < scenario.models.size(); ++m) {
      if (problem.Resident(ModelId(m), UnitId(u))) unit.models.push_back(scenario.models[m].name);
    }
    residents.push_back(std::move(unit));
  }
  return residents;
}

std::filesystem::path FindScenario(const std::string& argument) {
  try {
    return FindFile(argument, {}, "scenarios", ".scenario.json");
  } catch (const InputError& error) {
    throw InputError(argument + ": " + error.what());
  }
}

std::vector<PolicySpec> FindPolicies(const Scenario& scenario, const std::string& name) {
  std::vector<PolicySpec> found;
  for (const PolicySpec& policy : scenario.policies) {
    if (policy.label == name) return {policy};
    if (policy.declaration->name == name) found.push_back(policy);
  }
  if (found.empty()) found.push_back(PolicyByName(name, scenario, "--policy"));
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
Nanos SharperBound(const Problem& problem, Nanos bound) {
  constexpr std::size_t kFewTasks = 24;
  constexpr std::int64_t kNodes = 20'000;
  for (std::size_t u = 0; u < problem.units(); ++u) {
    if (problem.MayChooseResidents(UnitId(u))) return bound;
  }
  const auto written = WriteOut(problem);
  if (!written || written->tasks.size() > kFewTasks) return bound;
  return std::max(bound, SolveExactly(written->jobs, kNodes).bound - written->first_release);
}

}  // namespace

Scenario LoadScenario(const std::string& argument) {
  Scenario scenario = ReadScenarioOrPlan(FindScenario(argument));
  if (!scenario.costs) {
    throw InputError(scenario.file + ": without " +
                     (scenario.platform ? "profiles there are no times" : "a platform there are no units") +
                     " to simulate with");
  }
  return scenario;
}

PreparedRun Prepare(const Scenario& scenario, const PolicySpec& spec) {
  PreparedRun run;
  run.spec = &spec;
  run.problem = std::make_unique<Problem>(ProblemFor(spec, scenario));
  run.policy = MakePolicy(spec, *run.problem);
  return run;
}

Outcome Simulate(Engine engine, const PreparedRun& run, const RunOptions& options) {
  if (engine == Engine::kVirtual) return Simulate(*run.problem, *run.policy, options);
  return RunOnSimGrid(*run.problem, *run.policy, options);
}

BoundOnAll BoundFor(const Scenario& scenario, const std::vector<PolicySpec>& policies) {
  std::set<Granularity> granularities;
  for (const PolicySpec& policy : policies) AddGranularities(policy, granularities);
  BoundOnAll all;
  for (const Granularity granularity : granularities) {
    const auto problem = ProblemAt(scenario, granularity);
    if (!problem) continue;
    const Bound bound = LowerBound(*problem);
    if (!bound.makespan) return {std::nullopt, bound.why_null};
    const Nanos sharper = SharperBound(*problem, *bound.makespan);
    all.makespan = std::min(all.makespan.value_or(sharper), sharper);
  }
  return all;
}

Report ReportOf(const PreparedRun& run, Engine engine, const BoundOnAll& bound, Outcome outcome) {
  RunFacts facts;
  facts.engine = NameOf(kEngineNames, engine);
  facts.bound = bound.makespan;
  facts.bound_why = bound.why;
  facts.residents = ResidentsOf(*run.problem);
  return MakeReport(run.problem->scenario(), *run.spec, facts, std::move(outcome));
}

std::vector<PolicySpec> ChoosePolicies(const Scenario& scenario, const std::vector<std::string>& names) {
  if (names.empty() && scenario.policies.empty()) {
    throw InputError(scenario.file + ":/policies: there are none; say which with --policy NAME");
  }
  if (names.empty()) return scenario.policies;
  std::vector<PolicySpec> chosen;
  for (const std::string& name : names) {
    for (PolicySpec& policy : FindPolicies(scenario, name)) {
      const auto same = [&](const PolicySpec& other) { return other.label == policy.label; };
      if (std::none_of(chosen.begin(), chosen.end(), same)) chosen.push_back(std::move(policy));
    }
  }
  return chosen;
}

}  // namespace tandem
