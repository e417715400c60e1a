// Does a unit that preempts do the urgent first, losing nothing of what it holds up?
#include <gtest/gtest.h>

#include "policies/kinds/make_plan.h"
#include "tests/support/json_scenario.h"
#include "tests/support/judged_run.h"
#include "tests/support/run_policy.h"
#include "tests/support/span_lines.h"

namespace tandem {
namespace {

using Lines = std::vector<std::string>;

// Patient tasks of 100 us, one unless said, from 0 on, and urgent ones of 10 us each from 20 us on.
Scenario BoardWith(const std::string& unit, int urgent = 1, int priority = 1, int patient = 1) {
  const std::string relu =
      R"([{"name": "in", "op": "input", "shape": [1, 1, 4, 4]}, {"name": "a", "op": "relu", "inputs": ["in"]}])";
  const JsonScenario json{
      R"("memories": [{"name": "dram"}], "units": [{"name": "u0", "kind": "gpu", "memory": "dram", )" + unit +
          "}]",
      R"("entries": [{"model": "m0.json", "unit": "u0", "layers": "*", "median_us": 100},
                     {"model": "m1.json", "unit": "u0", "layers": "*", "median_us": 10}])",
      {relu, relu},
      R"("streams": [{"name": "patient", "model": "m0.json", "arrival": {"type": "offline"}, "count": )" +
          std::to_string(patient) + R"(}, {"name": "urgent", "model": "m1.json", "priority": )" +
          std::to_string(priority) + R"(, "count": )" + std::to_string(urgent) +
          R"(, "arrival": {"type": "periodic", "period_us": 0.001, "phase_us": 20}}])"};
  return json.Read();
}

const std::string kShares = R"("slots": 3, "time_shared": true)",
                  kPreempts = kShares + R"(, "preempts": true)";

TEST(Preemption, TheUrgentTaskTakesWhatItTakesAlone) {
  EXPECT_EQ(SpansOf(BoardWith(kShares))[0], "u0 compute #0 20000-40000") << "shared: twice as long";
  // The patient one rests: nothing of the unit's time is lost, or made.
  EXPECT_EQ(SpansOf(BoardWith(kPreempts)), (Lines{"u0 compute #0 20000-30000", "u0 compute #0 0-110000"}));
}

// Before that each has a part of 20 us in so many thousandths, rounded down.
TEST(Preemption, TheUrgentTaskTakesThatBesideAnyNumberOfPatientOnes) {
  for (const int patient : {1, 10, 900}) {
    const Scenario scenario =
        BoardWith(R"("slots": 1024, "time_shared": true, "preempts": true)", 1, 1, patient);
    const Lines spans = SpansOf(scenario);
    ASSERT_EQ(spans.size(), static_cast<std::size_t>(patient) + 1);
    EXPECT_EQ(spans[0], "u0 compute #0 20000-30000") << patient;
    const std::int64_t rate = 1000 / patient, last = 10'000 + 100'000'000 / rate;
    EXPECT_EQ(spans[1], "u0 compute #0 0-" + std::to_string(last)) << patient;
    const PolicySpec spec = PolicyByName("fcfs", scenario, "test");
    const Prepared made = MakePolicy(spec, ProblemFor(spec, scenario));
    EXPECT_TRUE(JudgeRun(made, spec, scenario, scenario).violations.empty()) << patient;
  }
}

TEST(Preemption, EquallyUrgentTasksShare) {
  EXPECT_EQ(SpansOf(BoardWith(kPreempts, 1, 0)), SpansOf(BoardWith(kShares, 1, 0)));
  const Lines spans = SpansOf(BoardWith(kPreempts, 2));
  ASSERT_EQ(spans.size(), 3U);
  EXPECT_EQ(spans[1].substr(0, 19), "u0 compute #1 20001");
  // #0 is alone for its first nanosecond; then each has half, and it ends a nanosecond before #1.
  EXPECT_EQ(spans[0], "u0 compute #0 20000-39999");
  EXPECT_EQ(spans[1].substr(20), "40000") << "two of 10 us";
}

TEST(Preemption, WithoutAFreeSlotTheUrgentWait) {
  const std::string one = R"("slots": 2, "time_shared": true, "preempts": true)";
  const Lines spans = SpansOf(BoardWith(one, 2));
  ASSERT_EQ(spans.size(), 3U);
  EXPECT_EQ(spans[0], "u0 compute #0 20000-30000");
  EXPECT_EQ(spans[1], "u0 compute #1 30000-40000");
}

TEST(Preemption, TheJudgeOfTracesKnowsIt) {
  const Scenario preempting = BoardWith(kPreempts, 2), sharing = BoardWith(kShares, 2);
  const PolicySpec spec = PolicyByName("fcfs", preempting, "test");
  const Prepared made = MakePolicy(spec, ProblemFor(spec, preempting));
  EXPECT_TRUE(JudgeRun(made, spec, preempting, preempting).violations.empty());
  const Prepared again = MakePolicy(spec, ProblemFor(spec, preempting));
  EXPECT_FALSE(JudgeRun(again, spec, preempting, sharing).violations.empty());
}

}  // namespace
}  // namespace tandem
