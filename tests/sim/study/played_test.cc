// Is another state of the machine what tasks take, and nothing that any policy knows of?
#include "sim/study/played.h"

#include <gtest/gtest.h>

#include "profiles/base/files.h"
#include "sim/questions/what_if.h"
#include "sim/study/state_in_runs.h"
#include "sim/study/validation.h"
#include "tests/support/scenario_in_place.h"
#include "tests/support/temp_folder.h"

namespace tandem {
namespace {

using std::chrono::microseconds;

// 20 requests that take 100 us on either of two units, by a profile with these times.
InPlace TwoAlike(const std::string& times) {
  InPlace board;
  board.units = R"({"name": "a", "kind": "cpu", "memory": "m"}, {"name": "b", "kind": "cpu", "memory": "n"})";
  board.profile = R"("entries": [)" + EntryOf("a", times) + ", " + EntryOf("b", times) + "]";
  return board;
}

// Of the policy as it was planned, and where "b" takes twice as long as in the profile.
struct Makespans {
  Nanos planned{0}, in_state{0};
};
Makespans MakespansOf(const std::string& policy, const std::string& times) {
  const TempFolder folder;
  WriteFile(folder / "s.scenario.json", TwoAlike(times).Text());  // plans have it in place
  const Scenario profiled = LoadScenario((folder / "s.scenario.json").string());
  LongRun watch;
  const std::vector<PolicySpec> specs = ChoosePolicies(profiled, {policy});
  const Predictions planned = Predict(profiled, specs, Engine::kVirtual, watch);
  Scenario now = profiled;
  PutInState({{"b", 2.0}}, now);
  const Predictions in_state = PredictAgain({profiled, now}, planned.policies, Engine::kVirtual, watch);
  return {planned.policies[0].report.makespan, in_state.policies[0].report.makespan};
}

class AnotherState : public testing::TestWithParam<const char*> {};

TEST_P(AnotherState, LeavesWhatIsSentByTheProfileWhereItWasSent) {
  const Makespans eft = MakespansOf("eft", GetParam());
  EXPECT_EQ(eft.planned, microseconds{1000}) << "half of them on each unit";
  EXPECT_EQ(eft.in_state, microseconds{2000});
}

TEST_P(AnotherState, IsNoticedByWhoTakesWhatComesNext) {
  const Makespans fcfs = MakespansOf("fcfs", GetParam());
  EXPECT_EQ(fcfs.planned, microseconds{1000});
  EXPECT_EQ(fcfs.in_state, microseconds{1400}) << "a takes 13 or 14 of them, b the others";
}

INSTANTIATE_TEST_SUITE_P(Profiles, AnotherState,
                         testing::Values(R"("median_us": 100)", R"("samples_us": [100, 100, 100, 100, 100])"),
                         [](const auto& times) { return times.index == 0 ? "medians" : "samples"; });

// Of all of its policies, whatever they cut by themselves and have units hold.
class TheSameTimes : public testing::TestWithParam<std::pair<const char*, const char*>> {};

TEST_P(TheSameTimes, AreTakenByTheSameTasks) {
  const auto& [name, supposed] = GetParam();
  std::vector<Supposed> all;
  if (*supposed != 0) all.push_back(ReadSupposed(supposed, "--what-if"));
  const Scenario profiled = ScenarioFile(name).With(all, "--what-if");
  const Scenario now = profiled;
  LongRun watch;
  const Predictions planned = Predict(profiled, profiled.policies, Engine::kVirtual, watch);
  const Predictions again = PredictAgain({profiled, now}, planned.policies, Engine::kVirtual, watch);
  EXPECT_EQ(again.trace, planned.trace);
  for (std::size_t p = 0; p < planned.policies.size(); ++p) {
    const Report &before = planned.policies[p].report, &after = again.policies[p].report;
    EXPECT_EQ(after.makespan, before.makespan) << before.label;
    EXPECT_EQ(after.latency->mean, before.latency->mean) << before.label;
  }
}

INSTANTIATE_TEST_SUITE_P(Boards, TheSameTimes,
                         testing::Values(std::pair{"study-001", ""}, std::pair{"study-004", ""},
                                         std::pair{"study-003", "units.coral.resident_models=1"}),
                         [](const auto& board) { return "Study" + std::to_string(board.index); });

TEST(TheSameState, IsWhatPoliciesDecideBy) {
  const Scenario scenario = TwoAlike(R"("median_us": 100)").Read();
  const std::vector<PolicySpec> specs = ChoosePolicies(scenario, {"eft"});
  EXPECT_EQ(TakenBy(*Prepare(scenario, specs[0]).problem, scenario), nullptr);
  RunOptions options;
  SetTaken(nullptr, options);
  EXPECT_FALSE(options.work_time);
}

}  // namespace
}  // namespace tandem
