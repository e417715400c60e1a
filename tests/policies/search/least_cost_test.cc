// Is a sequence of tasks never better than the pass over it says, and just as good where it says all?
#include "policies/search/least_cost.h"

#include <gtest/gtest.h>

#include "policies/engine/virtual_runner.h"
#include "policies/kinds/scheduled_policy.h"
#include "policies/search/tries.h"
#include "profiles/base/input_error.h"
#include "scenarios/arrivals/random.h"
#include "tests/support/random_scenario.h"
#include "tests/support/small_scenario.h"

namespace tandem {
namespace {

constexpr int kSteps = 25;  // per scenario

struct Counted {
  int known = 0, exact = 0, costs = 0;
};

// As every unit takes tasks under a rule; empty where that cannot be run.
std::vector<Decision> TakenByARule(const Scenario& scenario, const Problem& problem) {
  Decisions decisions;
  decisions.granularity = problem.granularity();
  decisions.rule = std::make_shared<PolicySpec>(PolicyByName("eft", scenario, "test"));
  decisions.residents.resize(scenario.units.size());
  try {
    const Prepared made = MakeDecided(decisions, problem);
    RecordingPolicy recording(*made.policy, 2000);
    RunVirtual(*made.problem, recording);
    return recording.TakeAll();
  } catch (const InputError&) {
    return {};
  }
}

// Another unit for one, or two neighbours of different requests in the other order.
void Change(std::vector<Decision>& tasks, const Problem& problem, StreamRandom& random) {
  const auto below = [&](std::size_t count) {
    return static_cast<std::size_t>(random.UniformUpTo(static_cast<std::int64_t>(count) - 1));
  };
  Decision& one = tasks[below(tasks.size())];
  const UnitId unit(below(problem.units()));
  if (problem.Runs(one.segment, unit)) one.unit = unit;
  const std::size_t at = below(tasks.size());
  if (at + 1 == tasks.size()) return;
  Decision &a = tasks[at], &b = tasks[at + 1];
  if (a.stream != b.stream || a.index != b.index) std::swap(a, b);
}

void Compare(const Scenario& scenario, Granularity granularity, std::uint64_t seed, Counted& counted) {
  const Problem problem(scenario, granularity);
  const std::vector<std::int64_t> certain = CertainRequests(scenario);
  LeastCost least(problem, certain);
  if (!least.known()) return;
  std::vector<Decision> tasks = TakenByARule(scenario, problem);
  if (tasks.empty()) return;
  ++counted.known;
  counted.exact += least.exact() ? 1 : 0;
  StreamRandom random("least cost", seed);
  for (int step = 0; step < kSteps; ++step) {
    Decisions decisions;
    decisions.granularity = granularity;
    decisions.residents.resize(scenario.units.size());
    decisions.schedule = std::make_shared<FixedSchedule>(ScheduleOf(tasks, problem));
    ScheduleCost cost;
    try {
      std::vector<Decision> taken;
      cost = CostOfSchedule(problem, decisions, certain, taken);
      ++counted.costs;
    } catch (const InputError&) {
      Change(tasks, problem, random);
      continue;
    }
    const ScheduleCost at_least = least.Of(tasks).cost;
    const auto close = [](double value) { return 1e-9 * std::abs(value); };
    EXPECT_LE(at_least.value, cost.value + close(cost.value)) << "seed " << seed << " step " << step;
    EXPECT_LE(at_least.ties[0], cost.ties[0] + close(cost.ties[0])) << "seed " << seed << " step " << step;
    EXPECT_TRUE(!least.exact() || at_least == cost) << "seed " << seed << " step " << step;
    Change(tasks, problem, random);
  }
}

TEST(LeastCost, IsNeverMoreThanASequenceCosts) {
  Counted counted;
  for (std::uint64_t seed = 1; seed <= 1500; ++seed) {
    try {
      const Scenario scenario = RandomScenario(seed, seed % 4 == 0 ? Drawn::kTight : Drawn::kAnything);
      Compare(scenario, seed % 2 == 0 ? Granularity::kModel : Granularity::kLayer, seed, counted);
    } catch (const InputError&) {
      continue;  // cannot be run, or not so
    }
  }
  EXPECT_GT(counted.known, 100);
  EXPECT_GT(counted.costs, 1500);
}

TEST(LeastCost, IsWhatASequenceCostsWhereNothingElseHappens) {
  Counted counted;
  for (const Objective objective : {Objective::kMakespan, Objective::kMeanLatency, Objective::kP99Latency,
                                    Objective::kMisses, Objective::kBalancedGain}) {
    SmallScenario board({1, 1, 1});
    board.AddStream(board.AddModel({{7, 13, 19}, {11, 5, 3}, {2, 9, 4}}), 6);
    board.AddStream(board.AddModel({{17, 4, 8}, {6, 12, 10}}), 5);
    Scenario scenario = board.Build();
    scenario.objective = objective;
    scenario.streams[0].deadline = Nanos{60'000};
    scenario.alone = {Nanos{12'000}, Nanos{14'000}};
    Compare(scenario, Granularity::kLayer, 7, counted);
  }
  EXPECT_EQ(counted.exact, 5);
  EXPECT_EQ(counted.costs, 5 * kSteps);
}

TEST(LeastCost, SaysNothingWhereRequestsMayBeMissing) {
  SmallScenario board({1, 1});
  board.AddStream(board.AddModel({{10, 20}}), 8);
  Scenario scenario = board.Build();
  scenario.streams[0].deadline = Nanos{30'000};
  EXPECT_TRUE(LeastCost(Problem(scenario, Granularity::kModel), CertainRequests(scenario)).known());
  scenario.streams[0].drop_late = true;
  EXPECT_FALSE(LeastCost(Problem(scenario, Granularity::kModel), CertainRequests(scenario)).known());
}

}  // namespace
}  // namespace tandem
