#include "tests/laws/laws.h"

#include <array>
#include <optional>
#include <string>
#include <vector>

#include "policies/bounds/any_cut.h"
#include "profiles/base/input_error.h"
#include "scenarios/report/objective.h"
#include "tests/laws/two_engines.h"
#include "tests/support/judged_run.h"
#include "tests/support/run_policy.h"

namespace tandem {
namespace {

constexpr std::uint64_t kSearchEvery = 8;  // a search takes as long as a hundred runs
constexpr std::array kRules = {"fcfs", "sjf", "eft", "affinity", "fastest_unit", "heft"};

std::string OfTheJudge(const Scenario& scenario, const PolicySpec& spec) {
  const Prepared made = MakePolicy(spec, ProblemFor(spec, scenario));
  const TraceJudgement judgement = JudgeRun(made, spec, scenario, scenario);
  if (judgement.violations.empty()) return {};
  const TraceFinding& first = judgement.violations.front();
  return "the judge finds: " + std::string(first.rule) + ", " + first.request + " at " +
         std::to_string(first.time.count()) + " ns: " + first.what;
}

std::optional<Outcome> Ran(const Scenario& scenario, const std::string& policy) {
  try {
    return RunPolicy(scenario, policy);
  } catch (const InputError&) {  // nowhere to run at this granularity
    return std::nullopt;
  }
}

std::string OfBounds(const Scenario& scenario, const std::string& in_turn, int& runs) {
  const std::string granularity(kGranularityNames[scenario.seed % 3].name);
  const Nanos bound = FreeCutBound(scenario, true).makespan.value_or(Nanos{0});
  const auto named = [&](std::string_view name, const std::string& more = "") {
    return R"({"name": ")" + std::string(name) + R"(", "granularity": ")" + granularity + "\"" + more + "}";
  };
  std::optional<ScheduleCost> best;
  if (scenario.seed % kSearchEvery == 0) {
    const auto found = Ran(scenario, named("best", R"(, "evaluations": 20)"));
    if (found) best = CostOf(scenario, *found);
  }
  std::vector<std::string> policies = {in_turn};
  for (const std::string_view rule : kRules) policies.push_back(named(rule));
  for (const std::string& policy : policies) {
    const auto outcome = Ran(scenario, policy);
    if (!outcome) continue;
    ++runs;
    if (outcome->makespan() < bound) {
      return policy + " takes " + std::to_string(outcome->makespan().count()) +
             " ns, less than the bound of " + std::to_string(bound.count());
    }
    const double cost = CostOf(scenario, *outcome).value;
    if (best && &policy != &policies.front() && cost < best->value) {
      return policy + " costs " + std::to_string(cost) + ", the search " + std::to_string(best->value);
    }
  }
  return {};
}

}  // namespace

LawTrial TryLaws(const Scenario& scenario) {
  LawTrial trial;
  const std::string policy = PolicyInTurn(scenario.seed, scenario);
  const JsonDocument text = JsonDocument::Parse(policy, "policy");
  try {
    const PolicySpec spec = ReadPolicy(text.root(), scenario);
    const Prepared made = MakePolicy(spec, ProblemFor(spec, scenario));
    const TwoRuns runs = OnBoth(made, made);
    ++trial.runs;
    trial.broken =
        runs.Agree() ? OfTheJudge(scenario, spec) : "the engines differ\n" + runs.FirstDifference();
    if (!trial.broken.empty()) trial.broken.insert(0, policy + ": ");
  } catch (const InputError&) {
    // It wants parameters, or nothing runs at its granularity.
  }
  if (!trial.broken.empty()) return trial;
  trial.broken = OfBounds(scenario, policy, trial.runs);
  return trial;
}

}  // namespace tandem
