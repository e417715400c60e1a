// Do the slots of a unit take turns to the nanosecond, and does a switch cost what the platform says?
#include <gtest/gtest.h>

#include "policies/kinds/make_plan.h"
#include "tests/support/error_of.h"
#include "tests/support/json_scenario.h"
#include "tests/support/judged_run.h"
#include "tests/support/run_policy.h"
#include "tests/support/span_lines.h"

namespace tandem {
namespace {

using Lines = std::vector<std::string>;

// Two tasks of 3 us each at once, on two slots that share the unit's time.
Scenario SlicedBoard(const std::string& unit, const std::string& more = "") {
  const std::string relu =
      R"([{"name": "in", "op": "input", "shape": [1, 1, 4, 4]}, {"name": "a", "op": "relu", "inputs": ["in"]}])";
  const JsonScenario json{
      R"("memories": [{"name": "dram"}], "units": [{"name": "u0", "kind": "gpu", "memory": "dram",
         "slots": 2, "time_shared": true)" +
          unit + "}]",
      R"("entries": [{"model": "m0.json", "unit": "u0", "layers": "*", "median_us": 3}])" + more,
      {relu},
      R"("streams": [{"name": "s", "model": "m0.json", "count": 2, "arrival": {"type": "offline"}}])"};
  return json.Read();
}

Lines SlicedSpans(const Scenario& scenario) {
  SpanLines seen;
  RunOptions options;
  options.spans = &seen;
  RunPolicy(scenario, R"("fcfs")", options);
  return seen.lines();
}

TEST(Slices, WithoutOnesEachHasItsPartAtEveryMoment) {
  EXPECT_EQ(SlicedSpans(SlicedBoard("")), (Lines{"u0 compute #0 0-6000", "u0 compute #1 0-6000"}));
}

// In thousandths of nanoseconds: #0 has done 1,998,000 at 2000 and lacks 1,002,000; 999,500 at 4500 and
// 999,000 at 5000, when it is its turn again, and ends at 6000. #1 lacks 998,000 then, 997,500 when the unit
// has been switched to it, and ends 997.5 ns later.
TEST(Slices, AreTakenInTurnsWithASwitchBetweenThem) {
  EXPECT_EQ(SlicedSpans(SlicedBoard(R"(, "slice_us": 2, "switch_us": 0.5)")),
            (Lines{"u0 compute #0 0-6000", "u0 compute #1 0-7498"}));
}

// #0 has 999 thousandths until 3004, where it is done; #1 lacks 3,000,000 - 3004 of its work then.
TEST(Slices, ThatAreLongLetOneTaskEndAfterTheOther) {
  EXPECT_EQ(SlicedSpans(SlicedBoard(R"(, "slice_us": 10)")),
            (Lines{"u0 compute #0 0-3004", "u0 compute #1 0-6001"}));
}

TEST(Slices, TheJudgeOfTracesKnowsThem) {
  const Scenario sliced = SlicedBoard(R"(, "slice_us": 2, "switch_us": 0.5)");
  const Scenario ideal = SlicedBoard(""), cheaper = SlicedBoard(R"(, "slice_us": 2, "switch_us": 0.4)");
  const PolicySpec spec = PolicyByName("fcfs", sliced, "test");
  const auto judged_by = [&](const Scenario& scenario) {
    const Prepared made = MakePolicy(spec, ProblemFor(spec, sliced));
    return JudgeRun(made, spec, sliced, scenario).violations.size();
  };
  EXPECT_EQ(judged_by(sliced), 0u);
  EXPECT_GT(judged_by(ideal), 0u);
  EXPECT_GT(judged_by(cheaper), 0u);
}

TEST(Slices, AProfileThatKnowsWhatSharingCostsIsNotBelievedBesideThem) {
  const std::string sharing = R"(, "sharing": [{"unit": "u0", "at_once": 2, "slowdown": 2.5}])";
  EXPECT_EQ(SlicedSpans(SlicedBoard("", sharing))[0], "u0 compute #0 0-7500");
  const std::string why = ErrorOf([&] { (void)SlicedBoard(R"(, "slice_us": 2)", sharing); });
  EXPECT_NE(
      why.find("/sharing/0/unit: unit \"u0\" has a \"slice_us\": what its slots cost each other follows "
               "from their turns"),
      std::string::npos)
      << why;
}

}  // namespace
}  // namespace tandem
