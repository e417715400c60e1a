// Does the local search try what it may, and stop once whoever waits for it wants it to?
#include "policies/search/local_search.h"

#include <gtest/gtest.h>
#include <signal.h>

#include "profiles/program/long_run.h"
#include "tests/support/small_scenario.h"

namespace tandem {
namespace {

constexpr std::int64_t kEvaluations = 5000;

// So many schedules were tried; `asked_at` the run is asked to end.
std::int64_t Tried(std::int64_t asked_at) {
  SmallScenario small({1, 1});
  small.AddStream(small.AddModel({{10, 20}}), 8);
  const Scenario scenario = small.Build();
  const Problem problem(scenario, Granularity::kModel);
  std::vector<Decision> tasks;
  for (std::int32_t index = 0; index < 8; ++index) {
    tasks.push_back({StreamId(0), index, SegmentId(0), UnitId(0)});
  }
  std::int64_t tried = 0;
  const LocalSearch::Evaluate evaluate = [&](const std::vector<Decision>&) -> std::optional<Evaluated> {
    if (++tried == asked_at) ::raise(SIGTERM);
    return Evaluated{{100, 0}, UnitId(0)};
  };
  StreamRandom random("test", 1);
  LocalSearch(problem, evaluate, random).Run(tasks, kEvaluations, 0);
  return tried;
}

TEST(LocalSearchOfARun, StopsWhereTheRunIsAskedToEnd) {
  const LongRun run;
  EXPECT_GT(Tried(0), 1000);
  EXPECT_FALSE(run.interrupted());
  EXPECT_EQ(Tried(20), 20);
  EXPECT_TRUE(run.interrupted());
}

}  // namespace
}  // namespace tandem
