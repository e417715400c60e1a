#include "tests/laws/laws.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <memory>
#include <optional>
#include <random>
#include <string>
#include <string_view>
#include <tuple>
#include <vector>

#include "policies/bounds/any_cut.h"
#include "policies/bounds/bound.h"
#include "policies/bounds/worst_latency.h"
#include "policies/engine/exclusion.h"
#include "policies/engine/virtual_runner.h"
#include "profiles/base/input_error.h"
#include "scenarios/report/objective.h"
#include "tests/laws/two_engines.h"
#include "tests/support/judged_run.h"
#include "tests/support/random_cuts.h"
#include "tests/support/run_policy.h"

namespace tandem {
namespace {

const std::vector<std::string_view> kSomeRules = {"fcfs", "sjf", "eft", "affinity", "fastest_unit", "heft"};

std::string OfTheJudge(const Scenario& scenario, const PolicySpec& spec) {
  const Prepared made = MakePolicy(spec, ProblemFor(spec, scenario));
  const TraceJudgement judgement = JudgeRun(made, spec, scenario, scenario);
  if (judgement.violations.empty()) return {};
  const TraceFinding& first = judgement.violations.front();
  return "the judge finds: " + std::string(first.rule) + ", " + first.request + " at " +
         std::to_string(first.time.count()) + " ns: " + first.what;
}

// Of every way to cut, and of one granularity.
using Bounds = std::vector<Bound>;

std::string BeatsOneOf(const Scenario& scenario, const std::string& what, const Outcome& outcome,
                       const Bounds& bounds, LawTrial& trial) {
  for (const Bound& bound : bounds) {
    const std::string broken = BeatsBound(scenario, outcome, bound, trial);
    if (!broken.empty()) return what + broken;
  }
  return {};
}

// Of all that were seen none may take longer than is proved.
template <class Latencies>
std::string Exceeds(const Latencies& seen, std::optional<Nanos> proved, const std::string& what) {
  if (!proved || seen.empty()) return {};
  const Nanos longest = *std::max_element(seen.begin(), seen.end());
  if (longest <= *proved) return {};
  return what + " takes " + std::to_string(longest.count()) + " ns, more than the " +
         std::to_string(proved->count()) + " that are proved";
}

std::string LongerThanProved(const Scenario& scenario, const Prepared& made, const std::string& policy,
                             const Outcome& outcome, LawTrial& trial) {
  const std::vector<WorstLatency> worst = WorstLatencies(*made.problem, *made.policy);
  const auto excluded = ExcludedUnits(*scenario.platform);
  for (std::size_t s = 0; s < worst.size(); ++s) {
    const StreamOutcome& seen = outcome.streams[s];
    const std::string what = policy + ": a request of " + scenario.streams[s].name;
    std::string broken = Exceeds(seen.latencies, worst[s].longest, what);
    if (broken.empty()) broken = Exceeds(seen.end_to_end, worst[s].end_to_end, what + " from end to end");
    if (!broken.empty()) return broken;
    if (!worst[s].longest || seen.latencies.empty()) continue;
    ++trial.proved;
    trial.beside += excluded[worst[s].unit.index()].empty() ? 0 : 1;
  }
  return {};
}

std::string LongerThanProved(const Scenario& scenario, const std::string& policy, const Outcome& outcome,
                             LawTrial& trial) {
  const PolicySpec spec = ReadPolicy(JsonDocument::Parse(policy, "policy").root(), scenario);
  return LongerThanProved(scenario, MakePolicy(spec, ProblemFor(spec, scenario)), policy, outcome, trial);
}

// Both engines, the judge and the bound; nothing, too, where the scenario cannot be run so.
std::string OfOneRun(const Scenario& scenario, const PolicySpec& spec, const std::string& what,
                     const Bounds& bounds, LawTrial& trial) {
  try {
    const Prepared made = MakePolicy(spec, ProblemFor(spec, scenario));
    const TwoRuns runs = OnBoth(made, made);
    ++trial.runs;
    std::string broken =
        runs.Agree() ? OfTheJudge(scenario, spec) : "the engines differ\n" + runs.FirstDifference();
    if (!broken.empty()) return what + ": " + broken;
    const Prepared again = MakePolicy(spec, ProblemFor(spec, scenario));
    const Outcome outcome = RunVirtual(*again.problem, *again.policy);
    broken = LongerThanProved(scenario, again, what, outcome, trial);
    if (!broken.empty()) return broken;
    return BeatsOneOf(scenario, what, outcome, bounds, trial);
  } catch (const InputError&) {  // it wants parameters, or nothing runs at its granularity
    return {};
  }
}

// A plan that cuts models, splits layers and reads through mappings, all at random.
std::string OfCuts(const Scenario& scenario, const Bounds& bounds, LawTrial& trial) {
  const char* rule = std::array{"fcfs", "eft", "random"}[scenario.seed % 3];
  try {
    PolicySpec spec = PolicyByName("best", scenario, "laws");
    const bool schedule = scenario.seed % 4 == 0;
    spec.decided = std::make_shared<Decisions>(RandomPlan(scenario, scenario.seed, rule, schedule));
    spec.granularity = spec.decided->granularity;
    return OfOneRun(scenario, spec, std::string("a plan with cuts and ") + rule, bounds, trial);
  } catch (const InputError&) {  // nowhere to run, as things are cut
    return {};
  }
}

std::optional<Outcome> Ran(const Scenario& scenario, const std::string& policy) {
  try {
    return RunPolicy(scenario, policy);
  } catch (const InputError&) {  // nowhere to run at this granularity
    return std::nullopt;
  }
}

// What a search tries of all that are no search, by the name alone.
std::vector<std::string_view> AllRules() {
  std::vector<std::string_view> rules;
  for (const PolicyDeclaration& policy : Policies()) {
    if (policy.make && policy.searched && !policy.clairvoyant && policy.takes_granularity)
      rules.push_back(policy.name);
  }
  return rules;
}

std::string CostText(const ScheduleCost& cost) {
  return std::to_string(cost.value) +
         (cost.excess > 0 ? " and breaks limits by " + std::to_string(cost.excess) : "");
}

// That no schedule of tasks of this granularity beats; none where nothing runs so.
Bounds BoundOf(const Scenario& scenario, Granularity granularity) {
  try {
    return {LowerBound(Problem(scenario, granularity))};
  } catch (const InputError&) {
    return {};
  }
}

// What the search finds, of any granularity. Nothing where it went by draws of the times: then a rule may be
// better by their medians, by which it is run.
std::optional<ScheduleCost> CostOfSearch(const Scenario& scenario, LawTrial& trial) {
  try {
    const JsonDocument text = JsonDocument::Parse(R"({"name": "best", "evaluations": 20})", "policy");
    const PolicySpec spec = ReadPolicy(text.root(), scenario);
    const Prepared made = MakePolicy(spec, ProblemFor(spec, scenario));
    const Decisions* const decided = made.policy->decisions();
    if (decided && decided->search && decided->search->draws > 0) return std::nullopt;
    const ScheduleCost cost = CostOf(scenario, RunVirtual(*made.problem, *made.policy));
    ++trial.searched;
    return cost;
  } catch (const InputError&) {  // nowhere to run
    return std::nullopt;
  }
}

std::string OfRules(const Scenario& scenario, Bounds bounds, std::uint64_t search_every, LawTrial& trial) {
  const auto& [granularity_name, of_granularity] = kGranularityNames[scenario.seed % 3];
  const std::string granularity(granularity_name);
  for (const Bound& bound : BoundOf(scenario, of_granularity)) bounds.push_back(bound);
  const auto named = [&](std::string_view name) {
    return R"({"name": ")" + std::string(name) + R"(", "granularity": ")" + granularity + "\"}";
  };
  std::optional<ScheduleCost> best;
  if (scenario.seed % search_every == 0) best = CostOfSearch(scenario, trial);
  for (const std::string_view rule : best ? AllRules() : kSomeRules) {
    const std::string policy = named(rule);
    const auto outcome = Ran(scenario, policy);
    if (!outcome) continue;
    ++trial.runs;
    std::string broken = BeatsOneOf(scenario, policy, *outcome, bounds, trial);
    if (broken.empty()) broken = LongerThanProved(scenario, policy, *outcome, trial);
    if (!broken.empty()) return broken;
    const ScheduleCost cost = CostOf(scenario, *outcome);
    if (best && std::tie(cost.excess, cost.value) < std::tie(best->excess, best->value)) {
      return policy + " costs " + CostText(cost) + ", the search " + CostText(*best);
    }
  }
  return {};
}

// By hand: what is critical on one unit, each layer of the others on any.
std::string RandomMap(const Scenario& scenario, bool whole, std::uint64_t turn) {
  std::mt19937_64 random(scenario.seed + (turn << 40));
  const std::vector<Unit>& units = scenario.platform->units;
  const auto any = [&] { return "\"" + units[random() % 2 == 0 ? 0 : random() % units.size()].name + "\""; };
  const auto is_critical = [&](std::size_t model) {
    return std::ranges::any_of(scenario.streams, [&](const Stream& stream) {
      return stream.critical && stream.model == ModelId(model);
    });
  };
  std::string map;
  for (std::size_t m = 0; m < scenario.models.size(); ++m) {
    const ScenarioModel& model = scenario.models[m];
    const std::string unit = any();
    const bool one_unit = is_critical(m);
    map += (map.empty() ? "\"" : ", \"") + model.name + "\": " + (whole ? unit : "{");
    for (std::size_t l = 0; !whole && l < model.model->size(); ++l) {
      map +=
          (l == 0 ? "\"" : ", \"") + model.model->layer(LayerId(l)).name + "\": " + (one_unit ? unit : any());
    }
    map += whole ? "" : "}";
  }
  // Those that cannot be cut.
  return R"("given", "map": {)" + map + R"(, "*": ")" + units[0].name + "\"}";
}

// Nothing where that is energy, of which a unit that ran has none.
std::optional<double> CostIn(const Scenario& scenario, const Outcome& outcome) {
  try {
    return CostOf(scenario, outcome).value;
  } catch (const InputError&) {
    return std::nullopt;
  }
}

// Those that a proof may be of, and that are not among the others.
std::string OfProofs(const Scenario& scenario, LawTrial& trial) {
  const std::string granularity(kGranularityNames[scenario.seed % 3].name);
  const std::string unit = scenario.platform->units[scenario.seed / 3 % scenario.platform->units.size()].name;
  const std::string first = scenario.platform->units[0].name;
  std::vector<std::string> rules = {R"("single", "unit": ")" + first + "\"",
                                    R"("single", "unit": ")" + unit + "\"", R"("priority")"};
  constexpr std::uint64_t kMaps = 3;  // not all of which can be run
  for (std::uint64_t turn = 0; turn < kMaps; ++turn)
    rules.push_back(RandomMap(scenario, granularity == kGranularityNames[0].name, turn));
  for (const std::string& rule : rules) {
    const std::string policy = R"({"name": )" + rule + R"(, "granularity": ")" + granularity + "\"}";
    const auto outcome = Ran(scenario, policy);
    if (!outcome) continue;
    ++trial.runs;
    std::string broken = LongerThanProved(scenario, policy, *outcome, trial);
    if (!broken.empty()) return broken;
  }
  return {};
}

}  // namespace

Drawn DrawnInTurn(std::uint64_t seed) {
  if (seed >= kSharedSeeds) return Drawn::kShared;
  if (seed >= kFurtherSeeds) return Drawn::kFurther;
  constexpr std::array kInTurn = {Drawn::kAnything, Drawn::kAnything, Drawn::kProvable,
                                  Drawn::kTight,    Drawn::kBatching, Drawn::kCritical};
  return kInTurn[seed % kInTurn.size()];
}

std::string BeatsBound(const Scenario& scenario, const Outcome& outcome, const Bound& bound,
                       LawTrial& trial) {
  constexpr double kLostToDoubles = 1e-9;  // of sums of joules
  Scenario asked = scenario;
  for (const auto& [name, objective] : kObjectiveNames) {
    asked.objective = objective;
    const std::optional<double> best = ObjectiveBound(asked, bound);
    if (!best) continue;
    const double least = HigherIsBetter(objective) ? -*best : *best;
    const std::optional<double> cost = CostIn(asked, outcome);
    if (!cost) continue;
    const bool plain = objective == Objective::kMakespan || objective == Objective::kMisses;
    trial.bounded += plain ? 0 : 1;
    if (*cost >= least - kLostToDoubles * std::abs(least)) continue;
    return " has a " + std::string(name) + " of " + std::to_string(std::abs(*cost)) +
           ", better than the bound of " + std::to_string(std::abs(least));
  }
  return {};
}

LawTrial TryLaws(const Scenario& scenario, std::uint64_t search_every) {
  LawTrial trial;
  const Bounds bounds = {FreeCutBound(scenario, true)};
  const std::string policy = PolicyInTurn(scenario.seed, scenario);
  const JsonDocument text = JsonDocument::Parse(policy, "policy");
  try {
    trial.broken = OfOneRun(scenario, ReadPolicy(text.root(), scenario), policy, bounds, trial);
  } catch (const InputError&) {  // it wants parameters
  }
  if (trial.broken.empty()) trial.broken = OfRules(scenario, bounds, search_every, trial);
  if (trial.broken.empty()) trial.broken = OfProofs(scenario, trial);
  if (trial.broken.empty() && scenario.seed % 2 == 0) trial.broken = OfCuts(scenario, bounds, trial);
  return trial;
}

}  // namespace tandem
