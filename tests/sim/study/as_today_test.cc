// Is what there is before anybody plans added to a board, put first, and said what is gained over it?
#include "sim/study/as_today.h"

#include <gtest/gtest.h>

#include "tests/support/calibrated_policies.h"
#include "tests/support/json_scenario.h"

namespace tandem {
namespace {

Platform BoardOf(const std::string& units) {
  const std::string text =
      R"({"tandem": "platform/1", "name": "board", "memories": [{"name": "dram"}], "units": [)" + units +
      "]}";
  return ReadPlatform(JsonDocument::Parse(text, "board").root());
}
const std::string kTwoCores =
    R"({"name": "cpu0", "kind": "cpu", "memory": "dram", "backend": "cpu", "cores": [0]},
       {"name": "cpu1", "kind": "cpu", "memory": "dram", "backend": "cpu", "cores": [1]})";

TEST(UnitOfToday, HasAllCoresAndASlotForEachApplication) {
  Platform board = BoardOf(kTwoCores);
  AddUnitOfToday(3, board);
  ASSERT_EQ(board.units.size(), 3U);
  const Unit& all = board.units[2];
  EXPECT_EQ(all.name, "all-cores");
  EXPECT_EQ(all.cores, (std::vector<std::int64_t>{0, 1}));
  EXPECT_EQ(all.slots, 3);
  EXPECT_TRUE(all.time_shared);
  EXPECT_TRUE(Exclude(all, board.units[0]) && Exclude(all, board.units[1])) << "nobody else works meanwhile";
}

TEST(UnitOfToday, IsNotAddedWhereTheBoardHasOneOrNoCores) {
  Platform shared = BoardOf(
      R"({"name": "cpu", "kind": "cpu", "memory": "dram", "backend": "cpu", "cores": [0, 1], "slots": 2, "time_shared": true})");
  AddUnitOfToday(3, shared);
  EXPECT_EQ(shared.units.size(), 1U);
  Platform none = BoardOf(R"({"name": "gpu", "kind": "gpu", "memory": "dram"})");
  AddUnitOfToday(3, none);
  EXPECT_EQ(none.units.size(), 1U);
}

Scenario OneStream() {
  const JsonScenario json{
      R"("memories": [{"name": "dram"}], "units": [{"name": "u0", "kind": "cpu", "memory": "dram"}])",
      R"("entries": [{"model": "m0.json", "unit": "u0", "layers": "*", "median_us": 100}])",
      {R"([{"name": "in", "op": "input", "shape": [1, 1, 2, 2]}, {"name": "a", "op": "relu", "inputs": ["in"]}])"},
      R"("streams": [{"name": "s", "model": "m0.json", "count": 1, "arrival": {"type": "offline"}}])"};
  return json.Read();
}

std::vector<std::string> Names(const std::vector<PolicySpec>& policies) {
  std::vector<std::string> names;
  for (const PolicySpec& policy : policies) names.emplace_back(policy.declaration->name);
  return names;
}

TEST(PolicyOfToday, ComesFirstOnce) {
  const Scenario scenario = OneStream();
  const std::string today(PolicyOfToday().name);
  const std::vector<std::string> first = {today, "fcfs", "sjf"};
  EXPECT_EQ(Names(WithToday(scenario,
                            {PolicyByName("fcfs", scenario, "test"), PolicyByName("sjf", scenario, "test")})),
            first);
  EXPECT_EQ(Names(WithToday(scenario,
                            {PolicyByName("fcfs", scenario, "test"), PolicyByName(today, scenario, "test"),
                             PolicyByName("sjf", scenario, "test")})),
            first);
}

// Runs of today's and of another policy, in turn.
CalibrationReport Measured(std::vector<double> today_ms, std::vector<double> other_ms) {
  CalibrationReport report;
  const auto add = [&](const std::string& name, double predicted_ms, const std::vector<double>& runs) {
    PolicyCalibration policy;
    policy.policy = policy.label = name;
    policy.predicted = Nanos{static_cast<std::int64_t>(predicted_ms * 1e6)};
    policy.predicted_objective = predicted_ms * 1e6;
    for (std::size_t r = 0; r < runs.size(); ++r) {
      PolicyCalibration::Run run;
      run.makespan = Nanos{static_cast<std::int64_t>(runs[r] * 1e6)};
      run.objective = runs[r] * 1e6;
      run.round = static_cast<std::int64_t>(r);
      policy.runs.push_back(run);
    }
    report.policies.push_back(std::move(policy));
  };
  add(std::string(PolicyOfToday().name), 200, today_ms);
  add("fcfs", 150, other_ms);
  report.policies[1].named = true;
  Judge(report);
  return report;
}

TEST(GainOverToday, IsWhatWasMeasuredRoundByRoundBesideWhatWasPredicted) {
  const std::string said = GainOverToday(Measured({200, 201, 199, 200, 202}, {120, 121, 119, 120, 121}));
  EXPECT_EQ(said.rfind("fcfs against unmanaged, as it is before anybody plans: makespan 40", 0), 0U) << said;
  EXPECT_NE(said.find("% less ("), std::string::npos) << said;
  EXPECT_NE(said.find(", predicted 25 % less"), std::string::npos) << said;
}

TEST(GainOverToday, IsNoneWhereNoiseHidesIt) {
  const std::string said = GainOverToday(Measured({200, 150, 260, 180, 220}, {190, 230, 170, 250, 160}));
  EXPECT_NE(said.find("cannot be told apart"), std::string::npos) << said;
}

TEST(GainOverToday, IsACountWhereRequestsAreMissedUnderOneOfThemAlone) {
  CalibrationReport report;
  report.objective = Objective::kMisses;
  report.policies = {MeasuredPolicy(std::string(PolicyOfToday().name), 14, {12, 12, 11, 12, 13}),
                     MeasuredPolicy("fcfs", 0, {0, 0, 0, 0, 0})};
  report.policies[1].named = true;
  Judge(report);
  EXPECT_EQ(GainOverToday(report),
            "fcfs against unmanaged, as it is before anybody plans: misses 12 less (13 less to 11 less), "
            "predicted 14 less");
}

TEST(GainOverToday, IsNotSaidWithoutRuns) { EXPECT_EQ(GainOverToday(Measured({}, {120, 121})), ""); }

}  // namespace
}  // namespace tandem
