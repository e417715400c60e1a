// Does the checker of traces know what a task meets: pauses before it, what is handed over to it, neighbours?
#include <gtest/gtest.h>

#include "tests/support/json_scenario.h"
#include "tests/support/read_scenario.h"
#include "tests/support/trace_maker.h"

namespace tandem {
namespace {

TEST(TraceAfterPauses, WorkTakesLongerByTheTimeThatItsUnitHasIdled) {
  Scenario scenario = ReadMini(
      R"("streams": [{"name": "a", "model": "mobilenet_v2", "count": 2,
                      "arrival": {"type": "periodic", "period_us": 1000}}])");
  scenario.profiles[0].after_idle = {{"cpu", "", Nanos{1200000}, 2, {}}, {"gpu", "", Nanos{1}, 9, {}}};
  const auto trace = [&](double end) {
    TraceMaker made(scenario, "fcfs");
    made.run.residents["npu"] = {"mobilenet_v2"};
    made.Task("cpu", "a", 0, 0, 0, 400);
    made.Task("cpu", "a", 1, 1000, 1000, end);
    return made;
  };
  EXPECT_EQ(trace(1600).FirstViolation(), "") << "600 us idle: 1.5 times 400";
  EXPECT_EQ(trace(1400).FirstViolation(),
            "occupation a #1 @1000: its compute takes 400 us, it should take 600 us");
  scenario.profiles[0].after_idle.push_back({"cpu", "mobilenet_v2", Nanos{600000}, 0.5, {}});
  EXPECT_EQ(trace(1200).FirstViolation(), "");
  EXPECT_EQ(trace(1600).FirstViolation(),
            "occupation a #1 @1000: its compute takes 600 us, it should take 200 us");
}

TEST(TraceAfterOthers, WorkTakesLongerWhereItsUnitHasDoneAnotherModelSince) {
  const std::string relu =
      R"([{"name": "in", "op": "input", "shape": [1, 4, 8, 8]}, {"name": "a", "op": "relu", "inputs": ["in"]}])";
  const auto stream = [](const std::string& name, const std::string& model) {
    return R"({"name": ")" + name + R"(", "model": ")" + model +
           R"(", "count": 2, "arrival": {"type": "offline"}})";
  };
  const Scenario scenario =
      JsonScenario{
          R"("memories": [{"name": "dram"}], "units": [{"name": "u0", "kind": "cpu", "memory": "dram"}])",
          R"("entries": [{"model": "m0.json", "unit": "u0", "layers": "*", "median_us": 10},
                         {"model": "m1.json", "unit": "u0", "layers": "*", "median_us": 10}],
             "after_other": [{"unit": "u0", "slowdown": 3}, {"unit": "u0", "model": "m0.json", "slowdown": 2}])",
          {relu, relu},
          R"("streams": [)" + stream("s", "m0.json") + ", " + stream("t", "m1.json") + "]"}
          .Read();
  const auto trace = [&](double first, double second, double third) {
    TraceMaker made(scenario, "priority");
    made.Task("u0", "s", 0, 0, 0, 10);
    made.Task("u0", "t", 0, 0, 10, first);
    made.Task("u0", "s", 1, 0, first, second);
    made.Task("u0", "t", 1, 0, second, third);
    return made.FirstViolation("occupation");
  };
  EXPECT_EQ(trace(40, 60, 90), "") << "the first of all comes after nothing";
  EXPECT_EQ(trace(20, 40, 70), "occupation t #0 @10: its compute takes 10 us, it should take 30 us");
  EXPECT_EQ(trace(40, 50, 80), "occupation s #1 @40: its compute takes 10 us, it should take 20 us");
}

TEST(TraceOfRepeats, WorkTakesLessWhereItsUnitTookTheSameSoonBefore) {
  Scenario scenario = ReadMini(
      R"("streams": [{"name": "a", "model": "mobilenet_v2", "count": 3,
                      "arrival": {"type": "periodic", "period_us": 1000}}])");
  scenario.profiles[0].repeated = {{"cpu", "mobilenet_v2", {}, Nanos{900000}, 0.5, {}},
                                   {"cpu", "mobilenet_v2", {}, Nanos{1100000}, 1, {}},
                                   {"gpu", "mobilenet_v2", {}, Nanos{9000000}, 9, {}}};
  const auto trace = [&](double second_end, double third, double third_end) {
    TraceMaker made(scenario, "fcfs");
    made.run.residents["npu"] = {"mobilenet_v2"};
    made.Task("cpu", "a", 0, 0, 0, 400);
    made.Task("cpu", "a", 1, 1000, 1000, second_end);
    made.Task("cpu", "a", 2, 2000, third, third_end);
    return made.FirstViolation("occupation");
  };
  EXPECT_EQ(trace(1300, 2101, 2501), "")
      << "after 1000 us on the line between the points, then beyond the last";
  EXPECT_EQ(trace(1300, 2000, 2300), "");
  EXPECT_EQ(trace(1400, 2000, 2300),
            "occupation a #1 @1000: its compute takes 400 us, it should take 300 us");
  EXPECT_EQ(trace(1300, 2101, 2401),
            "occupation a #2 @2101: its compute takes 300 us, it should take 400 us");
  scenario.profiles[0].repeated = {{"cpu", "mobilenet_v2", {"no such"}, Nanos{1000000}, 0.5, {}}};
  EXPECT_EQ(trace(1400, 2000, 2400), "") << "other layers";
}

TEST(TraceOfHandOvers, ATaskTakesLongerWhereAnotherUnitMadeWhatItReads) {
  const auto entry = [](const std::string& unit, const std::string& layer) {
    return R"({"model": "m0.json", "unit": ")" + unit + R"(", "layers": [")" + layer +
           R"("], "median_us": 10})";
  };
  const Scenario scenario =
      JsonScenario{
          R"("memories": [{"name": "dram"}],
      "units": [{"name": "u0", "kind": "cpu", "memory": "dram"}, {"name": "u1", "kind": "npu", "memory": "dram"}])",
          R"("entries": [)" + entry("u0", "a") + ", " + entry("u1", "b") + ", " + entry("u0", "c") +
              R"(], "hand_overs": [{"from": "u1", "to": "u0", "bytes": 0, "median_us": 2},
                               {"from": "u1", "to": "u0", "bytes": 2048, "median_us": 6},
                               {"from": "u0", "to": "u1", "bytes": 0, "median_us": 7}])",
          {R"([{"name": "in", "op": "input", "shape": [1, 4, 8, 8]}, {"name": "a", "op": "relu", "inputs": ["in"]},
           {"name": "b", "op": "relu", "inputs": ["in"]}, {"name": "c", "op": "add", "inputs": ["a", "b"]}])"},
          R"("streams": [{"name": "s", "model": "m0.json", "count": 1, "arrival": {"type": "offline"}}])"}
          .Read();
  const auto trace = [&](double end) {
    TraceMaker made(scenario, "fcfs");
    made.run.granularity = Granularity::kLayer;
    made.Task("u0", "s", 0, 0, 0, 10, {"a"});
    made.Task("u1", "s", 0, 0, 0, 10, {"b"});
    made.Task("u0", "s", 0, 0, 10, end, {"c"}).ready = Nanos{10000};
    return made;
  };
  EXPECT_EQ(trace(24).FirstViolation(), "");
  EXPECT_EQ(trace(20).FirstViolation(), "occupation s #0 @10: its compute takes 10 us, it should take 14 us");
}

// Three requests, one on each unit; what is beside the cpu from 0 to 100 us, and from then on the gpu alone.
TEST(TraceOfNeighbours, WorkGetsAsFarAsTheyLetIt) {
  Scenario scenario = ReadMini(
      R"("streams": [{"name": "a", "model": "mobilenet_v2", "count": 3, "arrival": {"type": "offline"}}])");
  Profile& profile = scenario.profiles[0];
  CoRunningEntry entry;
  entry.unit = "cpu";
  entry.beside = "gpu";
  entry.slowdown = 0.8;
  profile.co_running = {entry};
  const auto trace = [&](double end) {
    TraceMaker made(scenario, "fcfs");
    made.run.residents["npu"] = {"mobilenet_v2"};
    made.Task("cpu", "a", 0, 0, 0, end);
    made.Task("gpu", "a", 1, 0, 0, 200);
    made.Task("npu", "a", 2, 0, 0, 100);
    return made;
  };
  EXPECT_EQ(trace(350).FirstViolation(), "") << "250 us of work in the first 200";
  EXPECT_EQ(trace(400).FirstViolation(),
            "occupation a #0 @0: its compute does 450 us of work in 400 us, it should do 400 us");
  profile.together = {{"cpu", "", {}, {"npu", "gpu"}, 2, {}}};
  EXPECT_EQ(trace(425).FirstViolation(), "") << "50 us in the first 100, then 125, then 225";
  EXPECT_EQ(trace(350).FirstViolation(),
            "occupation a #0 @0: its compute does 325 us of work in 350 us, it should do 400 us");
}

}  // namespace
}  // namespace tandem
