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

// So many tasks at once, two of 3 us each unless said, on as many slots that share the unit's time.
Scenario SlicedBoard(const std::string& unit, const std::string& more = "", int count = 2, int micros = 3) {
  const std::string relu =
      R"([{"name": "in", "op": "input", "shape": [1, 1, 4, 4]}, {"name": "a", "op": "relu", "inputs": ["in"]}])";
  const JsonScenario json{
      R"("memories": [{"name": "dram"}], "units": [{"name": "u0", "kind": "gpu", "memory": "dram",
         "time_shared": true, "slots": )" +
          std::to_string(count) + unit + "}]",
      R"("entries": [{"model": "m0.json", "unit": "u0", "layers": "*", "median_us": )" +
          std::to_string(micros) + "}]" + more,
      {relu},
      R"("streams": [{"name": "s", "model": "m0.json", "arrival": {"type": "offline"}, "count": )" +
          std::to_string(count) + "}]"};
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

// #0 works from 0 to 2000 and from 5000 on, #1 from 2500 to 4500 and from 6500 on.
TEST(Slices, AreTakenInTurnsWithASwitchBetweenThem) {
  EXPECT_EQ(SlicedSpans(SlicedBoard(R"(, "slice_us": 2, "switch_us": 0.5)")),
            (Lines{"u0 compute #0 0-6000", "u0 compute #1 0-7500"}));
}

TEST(Slices, ThatAreLongLetOneTaskEndAfterTheOther) {
  EXPECT_EQ(SlicedSpans(SlicedBoard(R"(, "slice_us": 10)")),
            (Lines{"u0 compute #0 0-3000", "u0 compute #1 0-6000"}));
}

TEST(Slices, OfWhichWorkIsAWholeNumberEndItInTheOrderOfTurns) {
  const Scenario one_each = SlicedBoard(R"(, "slice_us": 100)", "", 4, 100);
  EXPECT_EQ(SlicedSpans(one_each), (Lines{"u0 compute #0 0-100000", "u0 compute #1 0-200000",
                                          "u0 compute #2 0-300000", "u0 compute #3 0-400000"}));
  const Scenario five_each = SlicedBoard(R"(, "slice_us": 100)", "", 3, 500);
  EXPECT_EQ(SlicedSpans(five_each),
            (Lines{"u0 compute #0 0-1300000", "u0 compute #1 0-1400000", "u0 compute #2 0-1500000"}));
  for (const Scenario& scenario : {one_each, five_each}) {
    const PolicySpec spec = PolicyByName("fcfs", scenario, "test");
    EXPECT_TRUE(
        JudgeRun(MakePolicy(spec, ProblemFor(spec, scenario)), spec, scenario, scenario).violations.empty());
  }
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
