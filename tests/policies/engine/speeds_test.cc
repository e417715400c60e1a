// Do units go as fast as the scenario says of each moment, and does nobody stop for it?
#include <gtest/gtest.h>

#include "policies/kinds/make_plan.h"
#include "profiles/base/input_error.h"
#include "tests/support/error_of.h"
#include "tests/support/json_scenario.h"
#include "tests/support/judged_run.h"
#include "tests/support/run_policy.h"
#include "tests/support/span_lines.h"
#include "tests/support/trace_maker.h"

namespace tandem {
namespace {

using Lines = std::vector<std::string>;

// Two tasks of 10 us on one unit.
Scenario At(const std::string& speeds) {
  const JsonScenario json{
      R"("memories": [{"name": "dram"}], "units": [{"name": "u0", "kind": "cpu", "memory": "dram"}])",
      R"("entries": [{"model": "m0.json", "unit": "u0", "layers": "*", "median_us": 10}])",
      {R"([{"name": "in", "op": "input", "shape": [1, 1, 4, 4]}, {"name": "a", "op": "relu", "inputs": ["in"]}])"},
      R"("streams": [{"name": "s", "model": "m0.json", "count": 2, "arrival": {"type": "offline"}}], "speeds": [)" +
          speeds + "]"};
  return json.Read();
}

Lines SpansAt(const std::string& speeds) {
  SpanLines seen;
  RunOptions options;
  options.spans = &seen;
  RunPolicy(At(speeds), R"("fcfs")", options);
  return seen.lines();
}

TEST(Speeds, ATaskGoesOnAtTheNewSpeed) {
  // Half of it by 5 us, the other half at half speed; then all of the next.
  EXPECT_EQ(SpansAt(R"({"unit": "u0", "at_us": 5, "speed": 0.5})"),
            (Lines{"u0 compute #0 0-15000", "u0 compute #1 15000-35000"}));
}

TEST(Speeds, OneFromTheStartCountsForAll) {
  EXPECT_EQ(SpansAt(R"({"unit": "u0", "speed": 2})"),
            (Lines{"u0 compute #0 0-5000", "u0 compute #1 5000-10000"}));
}

TEST(Speeds, SeveralFollowEachOther) {
  EXPECT_EQ(SpansAt(R"({"unit": "u0", "at_us": 2, "speed": 0.1}, {"unit": "u0", "at_us": 22, "speed": 1})"),
            (Lines{"u0 compute #0 0-28000", "u0 compute #1 28000-38000"}));
}

TEST(Speeds, AChangeWhenAllIsDoneChangesNothing) {
  EXPECT_EQ(RunPolicy(At(R"({"unit": "u0", "at_ms": 1, "speed": 0.5})"), R"("fcfs")").makespan(),
            Nanos{20000});
}

TEST(Speeds, TheJudgeOfTracesKnowsThem) {
  const Scenario slowed = At(R"({"unit": "u0", "at_us": 5, "speed": 0.5})"), plain = At("");
  const PolicySpec spec = PolicyByName("fcfs", slowed, "test");
  const Prepared made = MakePolicy(spec, ProblemFor(spec, slowed));
  EXPECT_TRUE(JudgeRun(made, spec, slowed, slowed).violations.empty());
  const Prepared again = MakePolicy(spec, ProblemFor(spec, slowed));
  EXPECT_FALSE(JudgeRun(again, spec, slowed, plain).violations.empty());
}

TEST(Speeds, TheJudgeOfTracesKnowsThemToTheNanosecond) {
  const Scenario slowed = At(R"({"unit": "u0", "at_us": 5, "speed": 0.5})");
  const auto ends_at = [&](double end) {
    TraceMaker made(slowed, "fcfs");
    made.Task("u0", "s", 0, 0, 0, end);
    made.Task("u0", "s", 1, 0, end, end + 20);
    return made.FirstViolation("occupation");
  };
  EXPECT_EQ(ends_at(15), "");
  EXPECT_EQ(ends_at(14.999),
            "occupation s #0 @0: its compute does 9.999 us of work in 14.999 us, it should do 10 us");
  EXPECT_NE(ends_at(15.001), "");
}

TEST(Speeds, OfAUnitStandInTheOrderOfTheirDates) {
  const std::string error = ErrorOf(
      [] { At(R"({"unit": "u0", "at_us": 5, "speed": 1}, {"unit": "u0", "at_us": 5, "speed": 2})"); });
  EXPECT_NE(error.find("/speeds/1: a unit's speeds stand in the order of their dates"), std::string::npos)
      << error;
}

}  // namespace
}  // namespace tandem
