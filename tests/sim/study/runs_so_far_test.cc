// Is somebody who waits for a device told what it has run?
#include "sim/study/runs_so_far.h"

#include <gtest/gtest.h>

namespace tandem {
namespace {

DeviceRun RunOf(std::size_t plan, std::int64_t millis, bool complete = true) {
  DeviceRun run;
  run.plan = plan;
  run.makespan = Nanos{millis * 1'000'000};
  run.complete = complete;
  return run;
}

RunAnswer Told(std::vector<DeviceRun> runs) {
  RunAnswer answer;
  answer.runs = std::move(runs);
  return answer;
}

TEST(RunsSoFar, HaveTheMedianOfEachPlanBesideWhatWasPredicted) {
  std::vector<Prediction> plans(2);
  plans[0].report.label = "eft";
  plans[0].report.makespan = Nanos{3'000'000};
  plans[1].report.label = "sjf";
  plans[1].report.makespan = Nanos{4'000'000};
  RunsSoFar runs(plans, 3);
  EXPECT_EQ(runs.wanted(), 6);
  EXPECT_EQ(RunsSoFar(plans, 1000).expected(), std::chrono::seconds(7));
  runs.Take(Told({RunOf(0, 5)}));
  runs.Take(Told({RunOf(0, 3), RunOf(0, 4), RunOf(1, 9, false), RunOf(7, 1)}));
  EXPECT_EQ(runs.done(), 5);
  EXPECT_EQ(runs.Lines(), (std::vector<std::string>{"eft: predicted 3.000 ms, measured 4.000 ms of 3 runs",
                                                    "sjf: predicted 4.000 ms"}));
}

}  // namespace
}  // namespace tandem
