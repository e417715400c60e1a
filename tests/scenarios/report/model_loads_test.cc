// Does a report say how often units loaded models and put them out?
#include <gtest/gtest.h>

#include "scenarios/report/json.h"
#include "scenarios/report/table.h"
#include "tests/support/run_policy.h"
#include "tests/support/small_scenario.h"

namespace tandem {
namespace {

TEST(ModelLoads, AreInFiguresAndDetails) {
  SmallScenario small({1, 1});
  small.AddStream(small.AddModel({{5, 5}}), 1);
  const Scenario scenario = small.Build();
  Outcome outcome = RunPolicy(scenario, R"("fcfs")");
  EXPECT_TRUE(FiguresOf(scenario, outcome).units[0].loads.empty());
  outcome.loads = {{UnitId(1), ModelId(0), 3, 1}};
  const Report report = FiguresOf(scenario, outcome);
  EXPECT_TRUE(report.units[0].loads.empty());
  ASSERT_EQ(report.units[1].loads.size(), 1u);
  EXPECT_EQ(report.units[1].loads[0].evictions, 1);
  const std::string& model = scenario.models[0].name;
  EXPECT_NE(
      ReportJson(report).find(R"("loads": [{"model": ")" + model + R"(", "loads": 3, "evictions": 1}])"),
      std::string::npos)
      << ReportJson(report);
  EXPECT_NE(ReportDetails(report, 200).find("u1: " + model + " loaded 3 times, put out 1 time\n"),
            std::string::npos)
      << ReportDetails(report, 200);
}

}  // namespace
}  // namespace tandem
