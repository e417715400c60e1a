// Are the bounds of latencies and energy below every schedule's, and are they reached where that can be?
#include <gtest/gtest.h>

#include <algorithm>

#include "policies/bounds/any_cut.h"
#include "policies/bounds/bound.h"
#include "profiles/base/input_error.h"
#include "profiles/base/statistics.h"
#include "scenarios/report/objective.h"
#include "tests/support/random_scenario.h"
#include "tests/support/run_policy.h"
#include "tests/support/small_scenario.h"

namespace tandem {
namespace {

using std::chrono::microseconds;

constexpr double kExact = 1e-8;  // what is reckoned in doubles is rounded down a little

Bound WholeModelBound(const Scenario& scenario) { return LowerBound(Problem(scenario, Granularity::kModel)); }

double Micros(std::optional<Nanos> time) { return static_cast<double>(time.value().count()) / 1000; }

// One after the other: 10, 20, ... 200 us.
TEST(ObjectiveBound, OneUnitsQueueIsReached) {
  SmallScenario board({1});
  board.AddStream(board.AddModel({{10}}), 20);
  const Bound bound = WholeModelBound(board.Build());
  EXPECT_NEAR(Micros(bound.mean_latency), 105, 105 * kExact + 1e-3);
  EXPECT_NEAR(Micros(bound.p99_latency), 200, 200 * kExact + 1e-3);
}

// The short ones first is best for the mean: 1, 2, 12; with the long one first it would be 10, 11, 12.
TEST(ObjectiveBound, TheLightestComeFirst) {
  SmallScenario board({1});
  board.AddStream(board.AddModel({{10}}), 1);
  board.AddStream(board.AddModel({{1}}), 2);
  const Bound bound = WholeModelBound(board.Build());
  EXPECT_NEAR(Micros(bound.mean_latency), 5, 1e-2);
  EXPECT_NEAR(Micros(bound.p99_latency), 12, 1e-2);
}

TEST(ObjectiveBound, NothingIsFasterThanItsOwnChain) {
  SmallScenario board({1, 1});
  board.AddStream(board.AddModel({{10, 40}, {30, 5}}), 3, PeriodicArrival{1'000'000});
  const Scenario scenario = board.Build();
  const Bound bound = LowerBound(Problem(scenario, Granularity::kLayer));
  EXPECT_EQ(bound.mean_latency, microseconds{15});
  EXPECT_EQ(bound.p99_latency, microseconds{15});
}

// At twice its speed it takes 5, 6, 7, 8 and 9 us: releases every 4 us come no sooner for that.
TEST(ObjectiveBound, LatenciesOfAFasterUnitCountFromTheReleasesAsTheyAre) {
  SmallScenario board({1});
  board.AddStream(board.AddModel({{10}}), 5, PeriodicArrival{4'000});
  Scenario scenario = board.Build();
  scenario.speeds.push_back({UnitId(0), Nanos{0}, 2});
  const Bound bound = WholeModelBound(scenario);
  EXPECT_LE(Micros(bound.mean_latency), 7);
  EXPECT_GT(Micros(bound.mean_latency), 6.9);
  EXPECT_LE(Micros(bound.p99_latency), 9);
  EXPECT_GT(Micros(bound.p99_latency), 8.9);
}

// 5 requests of 10 us: 1 W for 50 us, and 2 W more while it works.
TEST(ObjectiveBound, EnergyOfOneUnitIsReached) {
  SmallScenario board({1});
  board.AddStream(board.AddModel({{10}}), 5);
  Scenario scenario = board.Build();
  scenario.platform->units[0].idle_w = 1;
  EXPECT_NEAR(*WholeModelBound(scenario).energy, 50e-6, 50e-6 * kExact) << "no more is known of it at work";
  scenario.platform->units[0].busy_w = 3;
  EXPECT_NEAR(*WholeModelBound(scenario).energy, 150e-6, 150e-6 * kExact);
  scenario.platform->units[0].idle_w.reset();
  EXPECT_FALSE(WholeModelBound(scenario).energy);
}

TEST(ObjectiveBound, IsOfTheObjective) {
  SmallScenario board({1});
  board.AddStream(board.AddModel({{10}}), 4).batch = 1;
  Scenario scenario = board.Build();
  const Bound bound = WholeModelBound(scenario);
  scenario.objective = Objective::kThroughput;
  EXPECT_NEAR(*ObjectiveBound(scenario, bound), 1e5, 1e-3);
  scenario.objective = Objective::kMakespan;
  EXPECT_EQ(ObjectiveBound(scenario, bound), 40000);
  scenario.objective = Objective::kEnergy;
  EXPECT_FALSE(ObjectiveBound(scenario, bound));
  scenario.objective = Objective::kMisses;
  EXPECT_EQ(ObjectiveBound(scenario, bound), 0);
}

// The least mean latency, 99th percentile and joules of all assignments and all orders.
class EverySchedule {
 public:
  EverySchedule(std::vector<std::vector<std::int64_t>> micros, std::vector<double> idle_w,
                std::vector<double> busy_w)
      : micros_(std::move(micros)), idle_w_(std::move(idle_w)), busy_w_(std::move(busy_w)) {
    free_.resize(idle_w_.size());
    busy_.resize(idle_w_.size());
    Go();
  }
  double mean = 1e300, p99 = 1e300, joules = 1e300;

 private:
  void Go() {
    if (latencies_.size() == micros_.size()) return Judge();
    for (auto& task : micros_) {
      if (task.empty()) continue;
      const std::vector<std::int64_t> times = std::exchange(task, {});
      for (std::size_t u = 0; u < times.size(); ++u) {
        free_[u] += times[u];
        busy_[u] += times[u];
        latencies_.push_back(free_[u]);
        Go();
        latencies_.pop_back();
        free_[u] -= times[u];
        busy_[u] -= times[u];
      }
      task = times;
    }
  }

  void Judge() {
    double sum = 0, drawn = 0;
    for (const std::int64_t latency : latencies_) sum += static_cast<double>(latency);
    const auto end = static_cast<double>(*std::max_element(latencies_.begin(), latencies_.end()));
    for (std::size_t u = 0; u < free_.size(); ++u) {
      drawn += idle_w_[u] * end + (busy_w_[u] - idle_w_[u]) * static_cast<double>(busy_[u]);
    }
    mean = std::min(mean, sum / static_cast<double>(latencies_.size()));
    p99 = std::min(p99, static_cast<double>(Percentile(latencies_, 9900)));
    joules = std::min(joules, drawn / 1e6);
  }

  std::vector<std::vector<std::int64_t>> micros_;  // per task and unit; empty: placed
  std::vector<double> idle_w_, busy_w_;
  std::vector<std::int64_t> free_, busy_, latencies_;
};

TEST(ObjectiveBound, IsBelowEveryScheduleOfSmallCases) {
  StreamRandom random("objective bounds", 1);
  double closest = 0;
  for (int round = 0; round < 40; ++round) {
    SmallScenario board({1, 1});
    std::vector<std::vector<std::int64_t>> tasks;
    for (int m = 0; m < 2; ++m) {
      const std::vector<std::int64_t> times = {1 + random.UniformUpTo(30), 1 + random.UniformUpTo(30)};
      const std::int64_t count = 1 + random.UniformUpTo(2);
      board.AddStream(board.AddModel({times}), count);
      tasks.insert(tasks.end(), static_cast<std::size_t>(count), times);
    }
    Scenario scenario = board.Build();
    std::vector<double> idle, busy;
    for (Unit& unit : scenario.platform->units) {
      idle.push_back(static_cast<double>(random.UniformUpTo(3)));
      busy.push_back(idle.back() + static_cast<double>(random.UniformUpTo(5)));
      unit.idle_w = idle.back();
      unit.busy_w = busy.back();
    }
    const EverySchedule least(tasks, idle, busy);
    for (const Bound& bound : {WholeModelBound(scenario), FreeCutBound(scenario, true)}) {
      EXPECT_LE(Micros(bound.mean_latency), least.mean) << round;
      EXPECT_LE(Micros(bound.p99_latency), least.p99) << round;
      EXPECT_LE(bound.energy.value(), least.joules) << round;
      closest = std::max(closest, Micros(bound.mean_latency) / least.mean);
    }
  }
  EXPECT_GT(closest, 0.95);
}

TEST(ObjectiveBound, HoldsOnRandomScenarios) {
  std::int64_t latencies = 0, energies = 0;
  for (std::uint64_t seed = 0; seed < 200; ++seed) {
    Scenario scenario = RandomScenario(seed);
    for (const Granularity granularity : {Granularity::kModel, Granularity::kLayer}) {
      const std::string name(NameOf(kGranularityNames, granularity));
      for (const char* policy : {"fcfs", "eft", "fastest_unit"}) {
        try {
          const Outcome outcome = RunPolicy(
              scenario, std::string(R"({"name": ")") + policy + R"(", "granularity": ")" + name + "\"}");
          const auto value = [&](Objective objective) {
            scenario.objective = objective;
            return CostOf(scenario, outcome).value;
          };
          for (const Bound& bound :
               {LowerBound(Problem(scenario, granularity)), FreeCutBound(scenario, true)}) {
            if (bound.mean_latency) {
              ++latencies;
              EXPECT_LE(static_cast<double>(bound.mean_latency->count()), value(Objective::kMeanLatency))
                  << seed << policy;
              EXPECT_LE(static_cast<double>(bound.p99_latency.value().count()), value(Objective::kP99Latency))
                  << seed << policy;
            }
            if (!bound.energy) continue;
            ++energies;
            EXPECT_LE(*bound.energy, value(Objective::kEnergy)) << seed << policy;
          }
        } catch (const InputError&) {
          // It does not run at this granularity.
        }
      }
    }
  }
  EXPECT_GT(latencies, 300);
  EXPECT_GT(energies, 30);
}

}  // namespace
}  // namespace tandem
