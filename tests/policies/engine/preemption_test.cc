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

// A patient task of 100 us from 0 on, and urgent ones of 10 us each from 20 us on.
Scenario BoardWith(const std::string& unit, int urgent = 1, int priority = 1) {
  const std::string relu =
      R"([{"name": "in", "op": "input", "shape": [1, 1, 4, 4]}, {"name": "a", "op": "relu", "inputs": ["in"]}])";
  const JsonScenario json{
      R"("memories": [{"name": "dram"}], "units": [{"name": "u0", "kind": "gpu", "memory": "dram", )" + unit +
          "}]",
      R"("entries": [{"model": "m0.json", "unit": "u0", "layers": "*", "median_us": 100},
                     {"model": "m1.json", "unit": "u0", "layers": "*", "median_us": 10}])",
      {relu, relu},
      R"("streams": [{"name": "patient", "model": "m0.json", "count": 1, "arrival": {"type": "offline"}},
                     {"name": "urgent", "model": "m1.json", "priority": )" +
          std::to_string(priority) + R"(, "count": )" + std::to_string(urgent) +
          R"(, "arrival": {"type": "periodic", "period_us": 0.001, "phase_us": 20}}])"};
  return json.Read();
}

const std::string kShares = R"("slots": 3, "time_shared": true)",
                  kPreempts = kShares + R"(, "preempts": true)";

TEST(Preemption, TheUrgentTaskTakesWhatItTakesAlone) {
  EXPECT_EQ(SpansOf(BoardWith(kShares))[0], "u0 compute #0 20000-40000") << "shared: twice as long";
  // But for a thousandth, in which the patient one goes on: nothing of the unit's time is lost, or made.
  EXPECT_EQ(SpansOf(BoardWith(kPreempts)), (Lines{"u0 compute #0 20000-30011", "u0 compute #0 0-110001"}));
}

TEST(Preemption, EquallyUrgentTasksShare) {
  EXPECT_EQ(SpansOf(BoardWith(kPreempts, 1, 0)), SpansOf(BoardWith(kShares, 1, 0)));
  const Lines spans = SpansOf(BoardWith(kPreempts, 2));
  ASSERT_EQ(spans.size(), 3U);
  EXPECT_EQ(spans[1].substr(0, 19), "u0 compute #1 20001");
  EXPECT_EQ(spans[1].substr(20), "40041") << "two of 10 us, at 499 thousandths each";
}

TEST(Preemption, WithoutAFreeSlotTheUrgentWait) {
  const std::string one = R"("slots": 2, "time_shared": true, "preempts": true)";
  const Lines spans = SpansOf(BoardWith(one, 2));
  ASSERT_EQ(spans.size(), 3U);
  EXPECT_EQ(spans[0], "u0 compute #0 20000-30011");
  EXPECT_EQ(spans[1], "u0 compute #1 30011-40022");
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
