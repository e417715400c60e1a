// Do units that their work makes warm go slower when they are hot, on all engines and before the judge alike?
#include <gtest/gtest.h>

#include <cmath>

#include "policies/kinds/make_plan.h"
#include "tests/support/error_of.h"
#include "tests/support/json_scenario.h"
#include "tests/support/judged_run.h"
#include "tests/support/run_policy.h"
#include "tests/support/span_lines.h"

namespace tandem {
namespace {

using Lines = std::vector<std::string>;

// Two tasks of 1 ms on one unit.
Scenario HeatedBy(const std::string& heat, const std::string& arrival = R"("type": "offline")") {
  const JsonScenario json{
      R"("memories": [{"name": "dram"}], "units": [{"name": "u0", "kind": "cpu", "memory": "dram"}])",
      R"("entries": [{"model": "m0.json", "unit": "u0", "layers": "*", "median_us": 1000}])",
      {R"([{"name": "in", "op": "input", "shape": [1, 1, 4, 4]}, {"name": "a", "op": "relu", "inputs": ["in"]}])"},
      R"("streams": [{"name": "s", "model": "m0.json", "count": 2, "arrival": {)" + arrival +
          R"(}}], "heat": [)" + heat + "]"};
  return json.Read();
}

Lines HeatedSpans(const Scenario& scenario) {
  SpanLines seen;
  RunOptions options;
  options.spans = &seen;
  RunPolicy(scenario, R"("fcfs")", options);
  return seen.lines();
}

std::int64_t Nanoseconds(double constants) {
  return static_cast<std::int64_t>(std::ceil(constants * 1e6));  // of a millisecond
}

TEST(HeatOfUnits, FromTheLimitOnATaskGoesOnAtTheLowerSpeed) {
  const std::int64_t hot = Nanoseconds(std::log(2)), end = hot + 2 * (1'000'000 - hot);
  EXPECT_EQ(HeatedSpans(HeatedBy(R"({"unit": "u0", "time_constant_ms": 1, "hot": 0.5, "speed": 0.5})")),
            (Lines{"u0 compute #0 0-" + std::to_string(end),
                   "u0 compute #1 " + std::to_string(end) + "-" + std::to_string(end + 2'000'000)}))
      << "half speed keeps it as warm as it is";
}

// `speeds`: half of it, from the start.
Scenario HeatedAtHalfSpeed(const std::string& hot, const std::string& speed) {
  return HeatedBy(R"({"unit": "u0", "time_constant_ms": 1, "hot": )" + hot + R"(, "speed": )" + speed +
                  R"(}], "speeds": [{"unit": "u0", "at_us": 0, "speed": 0.5})");
}

TEST(HeatOfUnits, AUnitThatIsTooSlowToBecomeHotIsNeverHeldBack) {
  const Scenario scenario = HeatedAtHalfSpeed("0.6", "0.2");
  EXPECT_EQ(HeatedSpans(scenario), (Lines{"u0 compute #0 0-2000000", "u0 compute #1 2000000-4000000"}));
  EXPECT_EQ(RunPolicy(scenario, R"("fcfs")").units[0].held_back, Nanos{0});
}

// Towards 0.5: at 0.4 when a fifth of the way is left. At 450 thousandths it goes towards 0.45 from then on,
// and so stays above 0.38.
TEST(HeatOfUnits, AtHalfSpeedItBecomesHotLater) {
  const std::int64_t hot = Nanoseconds(std::log(5)), left = 1'000'000'000 - 500 * hot;
  const std::int64_t end = hot + (left + 449) / 450;
  EXPECT_EQ(HeatedSpans(HeatedAtHalfSpeed("0.4", "0.9"))[0], "u0 compute #0 0-" + std::to_string(end));
}

TEST(HeatOfUnits, TheJudgeOfTracesKnowsThatSlowWorkWarmsLess) {
  const Scenario slow = HeatedAtHalfSpeed("0.6", "0.2"), hot = HeatedAtHalfSpeed("0.4", "0.2");
  const PolicySpec spec = PolicyByName("fcfs", slow, "test");
  const auto judged = [&](const Scenario& scenario, const Scenario& by) {
    return JudgeRun(MakePolicy(spec, ProblemFor(spec, scenario)), spec, scenario, by).violations.size();
  };
  EXPECT_EQ(judged(slow, slow), 0U);
  EXPECT_EQ(judged(hot, hot), 0U);
  EXPECT_GT(judged(slow, hot), 0U);
  EXPECT_GT(judged(hot, slow), 0U);
}

TEST(HeatOfUnits, WhatIdlesCoolsAndHasItsFullSpeedAgain) {
  const Scenario scenario = HeatedBy(R"({"unit": "u0", "time_constant_ms": 1, "hot": 0.5, "speed": 0.5})",
                                     R"("type": "periodic", "period_ms": 20)");
  const std::int64_t hot = Nanoseconds(std::log(2)), takes = hot + 2 * (1'000'000 - hot);
  const Lines spans = HeatedSpans(scenario);
  ASSERT_EQ(spans.size(), 2U);
  EXPECT_EQ(spans[0], "u0 compute #0 0-" + std::to_string(takes));
  EXPECT_EQ(spans[1].substr(0, 23), "u0 compute #1 20000000-");
  EXPECT_LE(std::stoll(spans[1].substr(23)), 20'000'000 + takes + 1) << "as warm as nothing is left of it";
}

TEST(HeatOfUnits, TheReportSaysHowLongItWasHeldBack) {
  const Scenario scenario = HeatedBy(R"({"unit": "u0", "time_constant_ms": 1, "hot": 0.5, "speed": 0.5})");
  const Outcome outcome = RunPolicy(scenario, R"("fcfs")");
  EXPECT_EQ(outcome.units[0].held_back, outcome.end - Nanos{Nanoseconds(std::log(2))});
  EXPECT_EQ(RunPolicy(HeatedBy(""), R"("fcfs")").units[0].held_back, Nanos{0});
}

TEST(HeatOfUnits, TheJudgeOfTracesKnowsIt) {
  const Scenario hot = HeatedBy(R"({"unit": "u0", "time_constant_ms": 1, "hot": 0.5, "speed": 0.3})"),
                 plain = HeatedBy("");
  const PolicySpec spec = PolicyByName("fcfs", hot, "test");
  const Prepared made = MakePolicy(spec, ProblemFor(spec, hot));
  EXPECT_TRUE(JudgeRun(made, spec, hot, hot).violations.empty());
  const Prepared again = MakePolicy(spec, ProblemFor(spec, hot));
  EXPECT_FALSE(JudgeRun(again, spec, hot, plain).violations.empty());
}

TEST(HeatOfUnits, WhatCannotBeIsToldWhereItStands) {
  const auto error = [](const std::string& heat) { return ErrorOf([&] { HeatedBy(heat); }); };
  EXPECT_NE(error(R"({"unit": "u0", "time_constant_ms": 1, "hot": 0.5, "cool": 0.5, "speed": 0.5})")
                .find("/heat/0/cool: a unit that is held back has to cool down"),
            std::string::npos);
  const std::string one = R"({"unit": "u0", "time_constant_ms": 1, "hot": 0.5, "speed": 0.5})";
  EXPECT_NE(error(one + ", " + one).find("/heat/1/unit: what makes unit \"u0\" warm is said already"),
            std::string::npos)
      << error(one + ", " + one);
  EXPECT_NE(error(R"({"unit": "u9", "time_constant_ms": 1, "hot": 0.5, "speed": 0.5})").find("/heat/0/unit"),
            std::string::npos);
}

}  // namespace
}  // namespace tandem
