// Is a condition understood as people write it, and is what is wrong with it told?
#include "scenarios/scenario/condition.h"

#include <gtest/gtest.h>

#include "profiles/base/input_error.h"
#include "scenarios/scenario/scenario.h"
#include "tests/support/error_of.h"
#include "tests/support/one_unit.h"

namespace tandem {
namespace {

Scenario ScenarioOf(const OneUnit& one) {
  return ReadScenario(JsonDocument::Parse(one.Text(), "s.json").root());
}

OneUnit WithStream(const std::string& name, const std::string& limits = "") {
  OneUnit one;
  one.streams = R"({"name": ")" + name +
                R"(", "model": "alexnet", "count": 10, "arrival": {"type": "periodic", "period_ms": 5},
                    "deadline_ms": 30})";
  if (!limits.empty()) one.members = R"(, "limits": )" + limits;
  return one;
}

std::string WrongCondition(const std::string& text) {
  return ErrorOf([&] { ReadCondition(text, ScenarioOf(WithStream("a"))); });
}

TEST(Condition, HasTermsWithBoundsInOneUnit) {
  const auto terms = ReadCondition("streams.a.p99 <= 0.03 s and misses < 5 %, throughput >= 20/s",
                                   ScenarioOf(WithStream("a")));
  ASSERT_EQ(terms.size(), 3U);
  EXPECT_EQ(terms[0].text, "streams.a.p99 <= 0.03 s");
  EXPECT_EQ(terms[0].bound, 30e6);
  EXPECT_EQ(terms[0].ValueText(35.2e6), "a p99 35.20 ms");
  EXPECT_TRUE(terms[1].strictly && terms[1].share);
  EXPECT_EQ(terms[1].bound, 0.05);
  EXPECT_FALSE(terms[2].below);
}

TEST(Condition, ExcessIsHowFarBeyondTheBoundAsAShareOfIt) {
  const auto terms =
      ReadCondition("p99 <= 40 ms and throughput >= 20/s and drops <= 0", ScenarioOf(WithStream("a")));
  EXPECT_EQ(terms[0].Excess(40e6), 0);
  EXPECT_DOUBLE_EQ(terms[0].Excess(50e6), 0.25);
  EXPECT_DOUBLE_EQ(terms[1].Excess(15), 0.25);
  EXPECT_DOUBLE_EQ(terms[2].Excess(3), 3) << "of a bound of 0 there is no share";
  EXPECT_GT(terms[0].Excess(ConditionTerm::kNone), 1000) << "nothing completed";
}

TEST(Condition, StreamsThatAreThereSeveralTimesShareAName) {
  EXPECT_TRUE(IsNumbered("camera_12", "camera"));
  EXPECT_TRUE(IsNumbered("camera_12_3", "camera")) << "a third that follows each of the twelfth's";
  for (const char* other : {"camera", "camera_", "camera_x", "camera_1x", "cam_1", "camera_1_", "camera_1__2",
                            "camera__1", "camera_1_x"}) {
    EXPECT_FALSE(IsNumbered(other, "camera")) << other;
  }
  EXPECT_EQ(ReadCondition("streams.a.p99 <= 1 ms", ScenarioOf(WithStream("a_1")))[0].of, "a");
}

TEST(Limits, OfAScenarioAreConditions) {
  const Scenario scenario =
      ScenarioOf(WithStream("a", R"(["streams.a.p99 <= 33 ms", "misses <= 1 %, max <= 1 s"])"));
  EXPECT_EQ(scenario.limits.size(), 3U);
  const std::string error =
      ErrorOf([] { ScenarioOf(WithStream("a", R"(["max <= 1 s", "streams.b.p99 <= 33 ms"])")); });
  EXPECT_NE(error.find("s.json:/limits/1: no stream is called \"b\"; known: a"), std::string::npos) << error;
}

TEST(Condition, WhatIsWrongIsTold) {
  EXPECT_EQ(WrongCondition("p98 <= 1 ms"), "unknown figure \"p98\"; did you mean \"p90\"?");
  EXPECT_EQ(WrongCondition("p99 <= 50"), "\"p99\" is a time: say in what, as in 50 ms");
  EXPECT_EQ(WrongCondition("p99 <= 50 %"), "\"latency_us\" is in us, not in %");
  EXPECT_EQ(WrongCondition("p99"), "\"p99\" is no condition: as in \"misses <= 1 %\", \"p99 <= 50 ms\"");
  EXPECT_EQ(WrongCondition("p99 = 50 ms"), "\"=\" is no comparison; known: <=, <, >=, >");
  EXPECT_EQ(WrongCondition("streams.b.p99 <= 50 ms"), "no stream is called \"b\"; known: a");
  EXPECT_EQ(WrongCondition("a.p99 <= 50 ms"), "\"a.p99\": did you mean \"streams.NAME.p99\"?");
  EXPECT_EQ(WrongCondition("streams.a.makespan <= 1 s"),
            "\"makespan\" is of the whole run, not of streams.a");
  EXPECT_EQ(WrongCondition("misses <= -1 %"), "\"-1 %\" is no bound: a number, perhaps with its unit");
  EXPECT_EQ(WrongCondition("misses <= -1"), "\"-1\" is below 0, which no figure is");
  EXPECT_EQ(
      WrongCondition("misses streams.a <= 1"),
      "unknown figure \"a\"; known: misses, drops, mean, p50, p90, p95, p99, max, makespan, throughput, "
      "utilization, energy, power; of one stream or unit as in \"streams.NAME.p99\"");
  EXPECT_EQ(WrongCondition("misses <= many"), "\"many\" is no bound: a number, perhaps with its unit");
  EXPECT_EQ(WrongCondition(""), "a condition is missing, as in \"misses <= 1 %\"");
  OneUnit one;
  one.streams = R"({"name": "a", "model": "alexnet", "count": 1, "arrival": {"type": "offline"}})";
  EXPECT_EQ(ErrorOf([&] { ReadCondition("misses <= 0 %", ScenarioOf(one)); }),
            "\"misses <= 0 %\": no stream has a deadline; \"deadline_ms\" of a stream says one");
}

}  // namespace
}  // namespace tandem
