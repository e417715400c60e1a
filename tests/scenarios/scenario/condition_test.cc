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

TEST(Condition, ExcessIsInWholeBillionths) {
  const ConditionTerm term = ReadCondition("p99 <= 3 ms", ScenarioOf(WithStream("a"))).at(0);
  EXPECT_EQ(term.Excess(4e6), 0.333333333);  // a third
  EXPECT_EQ(term.Excess(5e6), 0.666666667);  // two
  const ConditionTerm long_one = ReadCondition("p99 <= 10 s", ScenarioOf(WithStream("a"))).at(0);
  EXPECT_EQ(long_one.Excess(1e10 + 1), 1e-9) << "a tenth of a billionth is no 0: it is broken";
}

// A camera that leaves frames out, what follows it, and a stream that does neither.
Scenario CameraAndMore() {
  OneUnit one;
  one.streams =
      R"({"name": "camera", "model": "alexnet", "count": 5, "keep_latest": 1,
          "arrival": {"type": "periodic", "period_ms": 5}},
         {"name": "faces", "model": "alexnet", "depends_on": {"stream": "camera"}},
         {"name": "gate", "model": "alexnet", "count": 5, "arrival": {"type": "periodic", "period_ms": 5}},
         {"name": "names", "model": "alexnet", "depends_on": {"stream": "gate"}})";
  return ScenarioOf(one);
}

TEST(Condition, MayBeOfHowOldDataBecomes) {
  const Scenario scenario = CameraAndMore();
  const auto term = [&](const std::string& text) { return ReadCondition(text, scenario).at(0); };
  const ConditionTerm faces = term("streams.faces.p99_end_to_end <= 50 ms");
  EXPECT_TRUE(faces.figure == ConditionFigure::kP99 && faces.times == ConditionTimes::kEndToEnd);
  EXPECT_EQ(faces.bound, 50e6);
  EXPECT_EQ(faces.ValueText(35.2e6), "faces p99 end to end 35.20 ms");
  EXPECT_EQ(term("mean_end_to_end <= 50 ms").figure, ConditionFigure::kMean);
  EXPECT_EQ(term("streams.camera.max_age <= 50 ms").times, ConditionTimes::kAge);
  EXPECT_EQ(term("streams.faces.p50_age <= 50 ms").times, ConditionTimes::kAge) << "it hangs on the camera";
  EXPECT_EQ(term("streams.faces.p99 <= 50 ms").times, ConditionTimes::kLatency);
}

// Do streams tell their ages, asked by that: camera, faces, gate and names?
std::vector<bool> Tell(Scenario scenario, const std::string& text) {
  AskForAges(ReadCondition(text, scenario), scenario);
  std::vector<bool> tell;
  for (const Stream& stream : scenario.streams) tell.push_back(TellsAge(scenario, stream));
  return tell;
}

TEST(Condition, OfAnAgeAsksTheStreamForIt) {
  using Told = std::vector<bool>;
  EXPECT_EQ(Tell(CameraAndMore(), "streams.gate.p99 <= 1 ms"), (Told{true, true, false, false}));
  EXPECT_EQ(Tell(CameraAndMore(), "streams.gate.p99_age <= 1 ms"), (Told{true, true, true, false}));
  EXPECT_EQ(Tell(CameraAndMore(), "p99_age <= 1 ms"), (Told{true, true, false, false}))
      << "of those that leave requests out";
  EXPECT_EQ(Tell(ScenarioOf(WithStream("a")), "p99_age <= 1 ms"), Told{true}) << "none does";
}

TEST(Condition, IsRefusedOfStreamsThatHaveNoSuchFigure) {
  const Scenario scenario = CameraAndMore();
  const auto wrong = [&](const std::string& text) { return ErrorOf([&] { ReadCondition(text, scenario); }); };
  EXPECT_EQ(
      wrong("streams.gate.p99_end_to_end <= 1 ms"),
      "\"streams.gate.p99_end_to_end <= 1 ms\": stream \"gate\" follows no other; what its requests take "
      "from their own release is their latency, as in \"p99\"");
  EXPECT_EQ(
      WrongCondition("streams.*.p99_end_to_end <= 1 ms"),
      "\"streams.*.p99_end_to_end <= 1 ms\": no stream follows another one; what its requests take from "
      "their own release is their latency, as in \"p99\"");
}

TEST(Condition, OfEnergyPerInferenceNeedsInferences) {
  const ConditionTerm term =
      ReadCondition("streams.a.energy_per_inference <= 20 mJ", ScenarioOf(WithStream("a"))).at(0);
  EXPECT_TRUE(term.IsOfEnergy());
  EXPECT_EQ(term.bound, 0.02);
  EXPECT_EQ(term.ValueText(0.0352), "a energy per inference 35.20 mJ");
  EXPECT_EQ(term.Excess(0.02), 0);
  EXPECT_GT(term.Excess(ConditionTerm::kNone), 1000) << "nothing completed";
  const ConditionTerm least =
      ReadCondition("energy_per_inference >= 1 mJ", ScenarioOf(WithStream("a"))).at(0);
  EXPECT_FALSE(least.Keeps(ConditionTerm::kNone));
}

// As a bound, what is written keeps the value, and is no farther from it than rounding makes it.
TEST(Condition, SaysWhatBoundWouldBeEnough) {
  const Scenario scenario = ScenarioOf(WithStream("a"));
  const auto enough = [&](const std::string& text, double value) {
    return ReadCondition(text, scenario).at(0).EnoughText(value);
  };
  EXPECT_EQ(enough("p99 <= 5 ms", 6e6), "6.000 ms");
  EXPECT_EQ(enough("p99 < 5 ms", 6'000'400), "6.001 ms");
  EXPECT_EQ(enough("throughput >= 20/s", 15.004), "15.00/s");
  EXPECT_EQ(enough("throughput >= 20/s", 14.996), "14.99/s");
  EXPECT_EQ(enough("misses <= 1 %", 0.02), "2.00 %");
  EXPECT_EQ(enough("misses <= 1 %", 0.020001), "2.01 %");
  EXPECT_EQ(enough("misses <= 1", 3), "3.000");
  EXPECT_EQ(enough("energy <= 1 J", 0.0012), "0.002 J");
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
  EXPECT_EQ(WrongCondition("streams.a.power <= 1 W"), "\"power\" is of the whole run, not of streams.a");
  EXPECT_EQ(WrongCondition("units.cpu.energy <= 1 J"),
            "\"units.cpu.energy\": did you mean \"streams.NAME.energy\"?");
  EXPECT_EQ(WrongCondition("p99_ages <= 1 ms"), "unknown figure \"p99_ages\"; did you mean \"p99_age\"?");
  EXPECT_EQ(WrongCondition("p99_age <= 50"), "\"p99_age\" is a time: say in what, as in 50 ms");
  EXPECT_NE(WrongCondition("misses_age <= 1").find("unknown figure \"misses_age\""), std::string::npos);
  EXPECT_EQ(WrongCondition("misses <= -1 %"), "\"-1 %\" is no bound: a number, perhaps with its unit");
  EXPECT_EQ(WrongCondition("misses <= -1"), "\"-1\" is below 0, which no figure is");
  EXPECT_EQ(
      WrongCondition("misses streams.a <= 1"),
      "unknown figure \"a\"; known: misses, drops, mean, p50, p90, p95, p99, max, makespan, throughput, "
      "utilization, energy, energy_per_inference, power; of one stream or unit as in \"streams.NAME.p99\", "
      "of "
      "how old data becomes \"p99_end_to_end\" and \"p99_age\"");
  EXPECT_EQ(WrongCondition("misses <= many"), "\"many\" is no bound: a number, perhaps with its unit");
  EXPECT_EQ(WrongCondition(""), "a condition is missing, as in \"misses <= 1 %\"");
  OneUnit one;
  one.streams = R"({"name": "a", "model": "alexnet", "count": 1, "arrival": {"type": "offline"}})";
  EXPECT_EQ(ErrorOf([&] { ReadCondition("misses <= 0 %", ScenarioOf(one)); }),
            "\"misses <= 0 %\": no stream has a deadline; \"deadline_ms\" of a stream says one");
}

}  // namespace
}  // namespace tandem
