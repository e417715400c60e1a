// Is the most that a board carries what can be worked out by hand, and is it told how sure that is?
#include "sim/questions/capacity.h"

#include <gtest/gtest.h>

#include "tests/support/error_of.h"
#include "tests/support/one_unit.h"

namespace tandem {
namespace {

Capacity MostOf(const OneUnit& one, const CapacityOptions& options) {
  LongRun watch;
  return *FindCapacity(ScenarioFile(one.Text(), "s.json"), {}, options, watch);
}

CapacityOptions Asking(const std::string& vary, const std::string& until) {
  CapacityOptions options;
  options.vary = vary;
  options.until = until;
  return options;
}

PolicyCapacity First(const OneUnit& one, const std::string& vary, const std::string& until) {
  return MostOf(one, Asking(vary, until)).policies[0];
}

// One unit that takes 10 ms, requests whose deadline is just that.
TEST(CapacityOfOneUnit, IsOneRequestPerServiceTime) {
  const OneUnit one;
  const PolicyCapacity period = First(one, "streams.camera.arrival.period_ms", "misses <= 0 %");
  EXPECT_EQ(period.limit.value, 10);
  EXPECT_EQ(period.limit.fails_at, 9.99999);
  EXPECT_EQ(First(one, "streams.camera.arrival.period", "misses <= 0 %").limit.value, 10);
  EXPECT_EQ(First(one, "streams.camera.arrival.rate", "misses <= 0 %").limit.value, 100);
  EXPECT_EQ(First(one, "streams.camera.arrival.fps", "streams.camera.max <= 10 ms").limit.value, 100);
  EXPECT_EQ(First(one, "streams.camera.deadline_ms", "misses <= 0 %").limit.value, 10);
}

TEST(CapacityOfOneUnit, ASpeedIsTheLeastThatDoes) {
  OneUnit one;
  one.streams = R"({"name": "a", "model": "alexnet", "count": 10, "arrival": {"type": "offline"}})";
  EXPECT_EQ(First(one, "units.cpu.speed", "makespan <= 50 ms").limit.value, 2);
  EXPECT_EQ(First(one, "streams.a.count", "makespan <= 1 s").limit.value, 100);
}

TEST(CapacityOfOneUnit, WhatIsNotGivenBeginsWhereFilesDo) {
  OneUnit one;
  one.streams = R"({"name": "a", "model": "alexnet", "count": 12, "arrival": {"type": "offline"}})";
  const PolicyCapacity slots = First(one, "units.cpu.slots", "makespan <= 40 ms");
  EXPECT_EQ(slots.limit.value, 3);
  EXPECT_EQ(slots.limit.fails_at, 2);
  const PolicyCapacity enough = First(one, "units.cpu.slots", "makespan <= 120 ms");
  EXPECT_EQ(enough.limit.value, 1);
  EXPECT_TRUE(enough.limit.ended);
}

TEST(CapacityOfOneUnit, SoManyCamerasAsFitIntoAPeriod) {
  OneUnit one;
  one.streams = R"({"name": "camera", "model": "alexnet", "count": 20, "arrival": {"type": "periodic",
                    "period_ms": 35}, "deadline_ms": 35})";
  const PolicyCapacity cameras = First(one, "count(camera)", "misses <= 0 %");
  EXPECT_EQ(cameras.limit.value, 3);
  EXPECT_EQ(cameras.limit.fails_at, 4);
  EXPECT_EQ(First(one, "count(camera)", "streams.camera.max <= 20 ms").limit.value, 2);
}

TEST(CapacityOfOneUnit, ARateKeepsTheTimeThatAStreamLasts) {
  // 50 requests in 1 s. With as many at any rate, few would wait for long: here the queue grows for a second.
  OneUnit one;
  const PolicyCapacity of = First(one, "streams.camera.arrival.rate", "makespan <= 2 s");
  EXPECT_EQ(of.limit.value, 200.499);  // of 200.5 requests there are 201, which take 2.01 s
  one.streams = R"({"name": "camera", "model": "alexnet", "duration_ms": 1000, "arrival": {"type": "periodic",
                    "period_ms": 20}, "deadline_ms": 10})";
  EXPECT_EQ(First(one, "streams.camera.arrival.rate", "makespan <= 2 s").limit.value, 200);
}

TEST(CapacityOfOneUnit, EachPolicyHasItsOwn) {
  OneUnit one;
  one.policies = R"("fcfs", "edf", {"name": "fcfs", "label": "by layer", "granularity": "layer"})";
  const Capacity all = MostOf(one, Asking("streams.camera.arrival.rate", "misses <= 0 %"));
  ASSERT_EQ(all.policies.size(), 3U);
  EXPECT_EQ(all.policies[1].limit.value, 100);
  EXPECT_TRUE(all.policies[0].best);
  EXPECT_FALSE(all.policies[2].limit.value);
  EXPECT_NE(all.policies[2].why, "");
}

// Two units that "quick" and "steady" run on, each alone. The steady one takes 9.5 or 10.5 ms, in no order,
// 10 in the mean, which is known to 0.11 ms.
OneUnit QuickAndSteady(const std::string& of_quick) {
  OneUnit one;
  one.times = R"("samples_us": [)" + of_quick + "]";
  one.of_unit = R"(}, {"name": "other", "kind": "gpu", "memory": "n")";
  std::string steady;
  for (int i = 0; i < 20; ++i)
    steady += (i == 0 ? "" : ", ") + std::string(i * 3 % 20 < 10 ? "9500" : "10500");
  one.entries = R"(, {"model": "alexnet", "unit": "other", "layers": "*", "samples_us": [)" + steady + "]}";
  one.policies = R"({"name": "single", "unit": "cpu", "label": "quick"},
                    {"name": "single", "unit": "other", "label": "steady"})";
  one.streams = R"({"name": "a", "model": "alexnet", "count": 10, "arrival": {"type": "offline"}})";
  return one;
}

TEST(CapacityOfTwoUnits, IsBestByTheDrawsAndNotByTheMedians) {
  // 9 ms at its median; every fifth run takes 19, so that in the mean it needs 11.
  std::string slow_now_and_then;
  for (int i = 0; i < 20; ++i) {
    slow_now_and_then += (i == 0 ? "" : ", ") + std::string(i % 5 == 4 ? "19000" : "9000");
  }
  // In 10 s: 1111 runs of 9 ms, 1000 of 10 ms, 909 of 11 ms in the mean.
  const Capacity capacity =
      MostOf(QuickAndSteady(slow_now_and_then), Asking("streams.a.count", "makespan <= 10 s"));
  const PolicyCapacity &quick = capacity.policies[0], &steady = capacity.policies[1];
  EXPECT_EQ(quick.limit.value, 1111);
  EXPECT_LT(quick.draws.objective->median, steady.draws.objective->median);
  EXPECT_TRUE(steady.best) << CapacityText(capacity, 200);
  EXPECT_FALSE(quick.winner);
}

TEST(CapacityOfTwoUnits, HasNoWinnerWhereTheDrawsCannotTellThemApart) {
  // 10 ms in the mean, as the steady one's, and that known to 0.23 ms: 1.03 / sqrt(20). In no order: all of
  // one size before all of the other would be a drift.
  std::string alike;
  for (int i = 0; i < 20; ++i)
    alike += (i == 0 ? "" : ", ") + std::string(i * 7 % 20 < 10 ? "9000" : "11000");
  const Capacity capacity = MostOf(QuickAndSteady(alike), Asking("streams.a.count", "makespan <= 10 s"));
  const std::string text = CapacityText(capacity, 200);
  for (const PolicyCapacity& of : capacity.policies) EXPECT_FALSE(of.winner) << text;
  EXPECT_NE(text.find("these cannot be told apart: quick, steady; "), std::string::npos) << text;
  EXPECT_EQ(text.find("* "), std::string::npos) << text;
}

TEST(CapacityOfOneUnit, HasNoIntervalWhereNothingIsKnown) {
  const PolicyCapacity of = First({}, "streams.camera.arrival.rate", "misses <= 0 %");
  EXPECT_FALSE(of.interval);
  EXPECT_NE(of.interval_why, "");
  EXPECT_FALSE(of.over_seeds);
}

TEST(CapacityOfOneUnit, HasAnIntervalWhereTimesHaveSamples) {
  OneUnit one;
  one.times = R"("samples_us": [9500, 9800, 9900, 10000, 10100, 10200, 10500])";
  const PolicyCapacity of = First(one, "streams.camera.arrival.rate", "max <= 15 ms");
  ASSERT_TRUE(of.interval) << of.interval_why;
  EXPECT_LT(of.interval->low, of.interval->high);
  EXPECT_LE(of.interval->low, *of.limit.value);
  EXPECT_GT(of.interval->low, 80);
  EXPECT_LT(of.interval->high, 120);
}

TEST(CapacityOfOneUnit, RandomArrivalsAreTriedWithSeveralSeedsAndTheSameOnes) {
  OneUnit one;
  one.streams = R"({"name": "a", "model": "alexnet", "duration_ms": 2000, "arrival": {"type": "poisson",
                    "rate_per_s": 30}, "deadline_ms": 40})";
  const Capacity first = MostOf(one, Asking("streams.a.arrival.rate", "misses <= 5 %"));
  EXPECT_EQ(first.seeds, 20);
  const PolicyCapacity& of = first.policies[0];
  ASSERT_TRUE(of.limit.value && of.over_seeds);
  EXPECT_GT(*of.limit.value, 30);
  EXPECT_LT(*of.limit.value, 100);
  EXPECT_LE(of.over_seeds->low, *of.limit.value);
  EXPECT_GE(of.over_seeds->high, *of.limit.value);
  EXPECT_EQ(CapacityJson(first),
            CapacityJson(MostOf(one, Asking("streams.a.arrival.rate", "misses <= 5 %"))));
}

TEST(CapacityOfOneUnit, SaysWhereTheSearchEnded) {
  CapacityOptions options = Asking("streams.camera.arrival.rate", "misses <= 0 %");
  options.to = "80";
  const Capacity bounded = MostOf({}, options);
  EXPECT_EQ(bounded.policies[0].limit.value, 80);
  EXPECT_TRUE(bounded.policies[0].limit.ended);
  EXPECT_NE(CapacityText(bounded, 80).find(">= 80"), std::string::npos) << CapacityText(bounded, 80);
}

// Two requests follow each of the camera's: "face" is face_1 and face_2, and with two cameras face_1_1 to
// face_2_2. The last of them waits for the other one and for the other cameras' work: 20 ms, 40 ms, 60 ms.
TEST(CapacityOfOneUnit, OfWhatFollowsEachOfSeveralSeveralTimesSpeaksItsName) {
  OneUnit one;
  one.streams = R"({"name": "camera", "model": "alexnet", "count": 20,
                    "arrival": {"type": "periodic", "period_ms": 100}},
                   {"name": "face", "model": "alexnet", "depends_on": {"stream": "camera", "times": [0, 0, 1]}})";
  EXPECT_EQ(First(one, "count(camera)", "streams.face.max <= 20 ms").limit.value, 1);
  const PolicyCapacity of = First(one, "count(camera)", "streams.face.max <= 50 ms");
  EXPECT_EQ(of.limit.value, 2) << of.why;
  EXPECT_EQ(of.limit.fails_at, 3);
  one.members = R"(, "limits": ["streams.face.max <= 20 ms"])";
  const PolicyCapacity limited = First(one, "count(camera)", "streams.face.max <= 50 ms");
  EXPECT_EQ(limited.limit.value, 2) << limited.why;
  EXPECT_EQ(limited.why, "");
}

TEST(CapacityOfOneUnit, WhatCannotBeTriedIsNoLimit) {
  OneUnit one;
  one.streams = R"({"name": "camera", "model": "alexnet", "count": 1, "arrival": {"type": "offline"}},
                   {"name": "camera_2", "model": "alexnet", "count": 1, "arrival": {"type": "offline"}})";
  const Capacity capacity = MostOf(one, Asking("count(camera)", "max <= 1 s"));
  const PolicyCapacity& of = capacity.policies[0];
  EXPECT_EQ(of.limit.value, 1);
  EXPECT_TRUE(of.limit.ended);
  EXPECT_FALSE(of.limit.fails_at);
  EXPECT_NE(of.why.find("camera_2"), std::string::npos) << of.why;
  const std::string text = CapacityText(capacity, 200);
  EXPECT_NE(text.find(">= 1"), std::string::npos) << text;
  EXPECT_NE(text.find("beyond it nothing can be tried: "), std::string::npos) << text;
  EXPECT_NE(CapacityJson(capacity).find("\"fails_at\": null"), std::string::npos) << CapacityJson(capacity);
}

TEST(CapacityOfOneUnit, AtNoValueIsNoLimit) {
  const Capacity none = MostOf({}, Asking("streams.camera.arrival.rate", "max <= 9 ms"));
  EXPECT_FALSE(none.policies[0].limit.value);
  EXPECT_NE(CapacityText(none, 80).find("none"), std::string::npos);
}

TEST(CapacityOfOneUnit, WhatIsWrongIsTold) {
  const auto wrong = [](const std::string& vary, const std::string& until) {
    return ErrorOf([&] { (void)MostOf({}, Asking(vary, until)); });
  };
  EXPECT_EQ(wrong("streams.camra.arrival.rate", "misses <= 0 %"),
            "--vary streams.camra.arrival.rate: streams has none called \"camra\"; did you mean \"camera\"?");
  EXPECT_EQ(wrong("streams.camera.model", "misses <= 0 %"),
            "--vary streams.camera.model: streams.camera.model is \"alexnet\", no number that could vary");
  EXPECT_EQ(wrong("streams.camera.arrival.rate", "missed <= 0 %"),
            "--until missed <= 0 %: unknown figure \"missed\"; did you mean \"misses\"?");
  EXPECT_EQ(wrong("seed", "misses <= 0 %"),
            "--vary seed: it is chance alone: --replications tries several seeds");
  EXPECT_EQ(wrong("streams.camera.arrival.phase_ms", "misses <= 0 %"),
            "--vary streams.camera.arrival.phase_ms: it is 0 or not given: say where to look with --from and "
            "--to");
  EXPECT_EQ(wrong("streams.camera.arrival.rate", "energy <= 1 J").substr(0, 46),
            "--until energy <= 1 J: the energy is not known");
  CapacityOptions options = Asking("streams.camera.arrival.rate", "misses <= 0 %");
  options.from = "90";
  options.to = "80";
  EXPECT_EQ(ErrorOf([&] { (void)MostOf({}, options); }), "--from 90 is beyond --to 80");
}

}  // namespace
}  // namespace tandem
