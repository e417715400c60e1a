// Does dividing whole requests find the best division, and say so only where it is?
#include "policies/bounds/counts.h"

#include <gtest/gtest.h>

#include "profiles/program/shipped.h"
#include "scenarios/arrivals/random.h"
#include "tests/support/read_scenario.h"
#include "tests/support/run_policy.h"

namespace tandem {
namespace {

CountPlan PlanOf(const std::string& name) {
  const Scenario scenario = ReadScenarioFile(FindFile(name, "", "scenarios", ".scenario.json"));
  return BestCounts(Problem(scenario, Granularity::kModel)).value();
}

TEST(Counts, Study003IsProved) {
  const CountPlan plan = PlanOf("study-003");
  EXPECT_EQ(plan.makespan, Nanos{2986121000});
  EXPECT_TRUE(plan.proved);
  std::vector<std::int64_t> total(3);
  for (const auto& of_cut : plan.of_cut) {
    for (std::size_t c = 0; c < total.size(); ++c) total[c] += of_cut[c];
  }
  EXPECT_EQ(total, std::vector<std::int64_t>(3, 100));
}

// The least makespan by trying every division.
Nanos LeastByTrying(const std::vector<WorkClass>& classes, std::vector<Nanos> load, std::size_t c,
                    std::int64_t done, std::size_t lane) {
  if (c == classes.size()) return *std::max_element(load.begin(), load.end());
  if (done == classes[c].count) return LeastByTrying(classes, load, c + 1, 0, 0);
  Nanos best{INT64_MAX};
  for (; lane < load.size(); ++lane) {
    if (classes[c].time[lane] < Nanos{0}) continue;
    std::vector<Nanos> with = load;
    with[lane] += classes[c].time[lane];
    best = std::min(best, LeastByTrying(classes, with, c, done + 1, lane));
  }
  return best;
}

TEST(Counts, AgreesWithBruteForceOnSmallCases) {
  StreamRandom random("counts", 1);
  for (int round = 0; round < 200; ++round) {
    const auto lanes = static_cast<std::size_t>(1 + random.UniformUpTo(2));
    std::vector<WorkClass> classes;
    for (std::int64_t c = random.UniformUpTo(2); c >= 0; --c) {
      WorkClass work{1 + random.UniformUpTo(3), {}};
      for (std::size_t lane = 0; lane < lanes; ++lane) {
        const bool there = lane == 0 || random.UniformUpTo(4) > 0;
        work.time.push_back(there ? Nanos{random.UniformUpTo(20)} : Nanos{-1});
      }
      classes.push_back(work);
    }
    const CountAnswer answer = DivideWhole(classes, lanes, 1'000'000);
    EXPECT_TRUE(answer.proved()) << "round " << round;
    EXPECT_EQ(answer.makespan, LeastByTrying(classes, std::vector<Nanos>(lanes), 0, 0, 0))
        << "round " << round;
  }
}

TEST(Counts, WithoutNodesTheBoundStaysABound) {
  const std::vector<WorkClass> classes = {{7, {Nanos{5}, Nanos{4}, Nanos{9}}},
                                          {6, {Nanos{3}, Nanos{7}, Nanos{8}}}};
  const CountAnswer none = DivideWhole(classes, 3, 0), all = DivideWhole(classes, 3, 1'000'000);
  EXPECT_TRUE(all.proved());
  EXPECT_LE(none.bound, all.makespan);
  EXPECT_GE(none.makespan, all.makespan);
}

bool HasPlan(const std::string& arrival) {
  const Scenario scenario = ReadMini(R"("policies": ["fcfs"], "streams": [
      {"name": "a", "model": "mobilenet_v2", "count": 3, "deadline_us": 900, )" +
                                     arrival + "}]");
  return BestCounts(Problem(scenario, Granularity::kModel)).has_value();
}

TEST(Counts, OnlyForRequestsThatAreThereFromTheStart) {
  EXPECT_TRUE(HasPlan(R"("arrival": {"type": "offline"})"));
  EXPECT_FALSE(HasPlan(R"("arrival": {"type": "closed"})"));
  EXPECT_FALSE(HasPlan(R"("arrival": {"type": "periodic", "period_us": 10})"));
  EXPECT_FALSE(HasPlan(R"("arrival": {"type": "offline"}, "drop_late": true)"));
}

}  // namespace
}  // namespace tandem
