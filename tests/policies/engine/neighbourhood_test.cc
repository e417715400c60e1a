// Does what a task meets before it works - inputs that another unit of its memory made, a pause of its own
// unit, another model there - take the time that the profile says?
#include <gtest/gtest.h>

#include <set>

#include "policies/bounds/bound.h"
#include "policies/engine/draws/sampled_times.h"
#include "policies/problem/hand_overs.h"
#include "policies/problem/problem.h"
#include "tests/support/json_scenario.h"
#include "tests/support/run_policy.h"

namespace tandem {
namespace {

// "a" and "b" read the input, "c" reads them both; each makes 1024 bytes and has a time on one unit alone.
const std::string kLayers = R"([{"name": "in", "op": "input", "shape": [1, 4, 8, 8]},
                                {"name": "a", "op": "relu", "inputs": ["in"]},
                                {"name": "b", "op": "relu", "inputs": ["in"]},
                                {"name": "c", "op": "add", "inputs": ["a", "b"]}])";

std::string Entry(const std::string& unit, const std::string& layer) {
  return R"({"model": "m0.json", "unit": ")" + unit + R"(", "layers": [")" + layer +
         R"("], "median_us": 10})";
}
std::string HandOver(const std::string& from, const std::string& to, int bytes, int us) {
  return R"({"from": ")" + from + R"(", "to": ")" + to + R"(", "bytes": )" + std::to_string(bytes) +
         R"(, "median_us": )" + std::to_string(us) + "}";
}
std::string Pause(int us, const std::string& slowdown, const std::string& more = "") {
  return R"({"unit": "u0", "idle_us": )" + std::to_string(us) + R"(, "slowdown": )" + slowdown + more + "}";
}

// u0 and u1 share a memory, u2 has one of its own.
Scenario Read(const std::vector<std::string>& units_of_abc, const std::string& lists,
              const std::string& arrival = R"({"type": "offline"})", int count = 1,
              const std::string& transfer = "copy") {
  std::string entries;
  const std::string layers = "abc";
  for (std::size_t i = 0; i < 3; ++i) {
    entries += (i == 0 ? "" : ", ") + Entry(units_of_abc[i], std::string(1, layers[i]));
  }
  return JsonScenario{R"("memories": [{"name": "dram"}, {"name": "vram"}],
      "links": [{"from": "dram", "to": "vram", "latency_us": 0, "bandwidth_bytes_per_s": 1024000000}],
      "units": [{"name": "u0", "kind": "cpu", "memory": "dram"}, {"name": "u1", "kind": "npu", "memory": "dram"},
                {"name": "u2", "kind": "gpu", "memory": "vram"}])",
                      R"("entries": [)" + entries + "]" + (lists.empty() ? "" : ", " + lists),
                      {kLayers},
                      R"("transfer": ")" + transfer +
                          R"(", "streams": [{"name": "s", "model": "m0.json", "count": )" +
                          std::to_string(count) + R"(, "arrival": )" + arrival + "}]"}
      .Read();
}

std::vector<std::int64_t> Latencies(const Scenario& scenario) {
  const Outcome outcome = RunPolicy(scenario, R"({"name": "fcfs", "granularity": "layer"})");
  std::vector<std::int64_t> all;
  for (const Nanos latency : outcome.streams[0].latencies) all.push_back(latency.count());
  return all;
}
std::int64_t Latency(const std::vector<std::string>& units_of_abc, const std::string& hand_overs,
                     const std::string& transfer = "copy") {
  return Latencies(
      Read(units_of_abc, R"("hand_overs": [)" + hand_overs + "]", R"({"type": "offline"})", 1, transfer))[0];
}

TEST(HandOver, IsPartOfWhatTheReaderTakes) {
  EXPECT_EQ(Latency({"u0", "u0", "u0"}, HandOver("u1", "u0", 0, 4)), 30000);
  EXPECT_EQ(Latency({"u0", "u1", "u0"}, HandOver("u1", "u0", 0, 4)), 24000);
  EXPECT_EQ(Latency({"u0", "u1", "u0"}, HandOver("u0", "u1", 0, 4)), 20000) << "each way is its own";
}

TEST(HandOver, AddsUpTheBytesOfOneUnitAndTheTimesOfSeveral) {
  const std::string sizes = HandOver("u1", "u0", 1024, 4) + ", " + HandOver("u1", "u0", 2048, 6);
  EXPECT_EQ(Latency({"u1", "u1", "u0"}, sizes), 36000);
  EXPECT_EQ(Latency({"u0", "u1", "u0"}, sizes), 24000);
}

TEST(HandOver, IsNoneWhereTensorsAreCopiedOrFree) {
  EXPECT_EQ(Latency({"u0", "u1", "u2"}, HandOver("u1", "u2", 0, 4) + ", " + HandOver("u0", "u2", 0, 4)),
            23000)
      << "two copies of 1 us in, one back";
  EXPECT_EQ(Latency({"u0", "u1", "u0"}, HandOver("u1", "u0", 0, 4), "none"), 20000);
}

TEST(HandOver, IsReadOffStraightLines) {
  const HandOvers times(Read({"u0", "u0", "u0"}, R"("hand_overs": [)" + HandOver("u0", "u1", 1000, 10) +
                                                     ", " + HandOver("u0", "u1", 3000, 30) + ", " +
                                                     HandOver("u0", "u1", 2000, 40) + ", " +
                                                     HandOver("u1", "u0", 1000, 7) + "]"));
  const UnitId u0(0), u1(1), u2(2);
  EXPECT_EQ(times.Time(u0, u1, 0), Nanos{10000});
  EXPECT_EQ(times.Time(u0, u1, 1500), Nanos{25000});
  EXPECT_EQ(times.Time(u0, u1, 2001), Nanos{39990});
  EXPECT_EQ(times.Time(u0, u1, 4000), Nanos{30000}) << "beyond the last never less than it";
  EXPECT_EQ(times.Time(u1, u0, 1 << 20), Nanos{7000}) << "one size says all";
  EXPECT_EQ(times.Time(u0, u2, 1000), Nanos{0});
  EXPECT_TRUE(times.any());
  const HandOvers growing(Read({"u0", "u0", "u0"}, R"("hand_overs": [)" + HandOver("u0", "u1", 1000, 10) +
                                                       ", " + HandOver("u0", "u1", 2000, 15) + "]"));
  EXPECT_EQ(growing.Time(u0, u1, 4000), Nanos{25000});
}

// u1 hands 1024 bytes to u0, which else would be done after 20 us.
Scenario HandingOver(const std::string& times) {
  return Read({"u0", "u1", "u0"},
              R"("hand_overs": [{"from": "u1", "to": "u0", "bytes": 1024, )" + times + "}]");
}

// What it takes in a draw, as the request shows it.
Nanos HandOverOfDraw(const std::string& times, std::uint64_t draw) {
  const Scenario scenario = HandingOver(times);
  const Problem problem(scenario, Granularity::kLayer);
  const SampledTimes sampled(problem, draw);
  RunOptions options;
  sampled.SetIn(options);
  const Outcome outcome = RunPolicy(scenario, R"({"name": "fcfs", "granularity": "layer"})", options);
  return outcome.streams[0].latencies[0] - Nanos{20'000};
}

TEST(AHandOver, IsNotDrawnWhereNothingIsKnownOfIt) {
  const auto is_drawn = [](const std::string& times) {
    const Scenario scenario = HandingOver(times);
    const Problem problem(scenario, Granularity::kLayer);
    RunOptions options;
    const SampledTimes sampled(problem, 1);
    sampled.SetIn(options);
    return options.hand_overs != nullptr;
  };
  EXPECT_FALSE(is_drawn(R"("median_us": 10)"));
  EXPECT_TRUE(is_drawn(R"("samples_us": [8, 10, 12])"));
}

TEST(AHandOver, IsDrawnAsSureAsItsSamplesAre) {
  EXPECT_EQ(HandOverOfDraw(R"("median_us": 10)", 1), Nanos{10'000}) << "nothing is known of it";
  EXPECT_EQ(HandOverOfDraw(R"("samples_us": [10, 10, 10])", 1), Nanos{10'000}) << "they agree";
  std::set<std::int64_t> times;
  for (std::uint64_t draw = 1; draw <= 20; ++draw) {
    times.insert(HandOverOfDraw(R"("samples_us": [8, 10, 12])", draw).count());
  }
  EXPECT_GT(times.size(), 15U);
  EXPECT_LT(*times.begin(), 9'500);
  EXPECT_GT(*times.rbegin(), 10'500);
}

// A chain of two layers: the first is as fast on both units of one memory, the second a little faster on u1.
std::int64_t ChainTakes(const std::string& policy, const std::string& hand_overs) {
  const auto entry = [](const std::string& unit, const std::string& layer, int us) {
    return R"({"model": "m0.json", "unit": ")" + unit + R"(", "layers": [")" + layer +
           R"("], "median_us": )" + std::to_string(us) + "}";
  };
  const Scenario scenario =
      JsonScenario{
          R"("memories": [{"name": "dram"}],
      "units": [{"name": "u0", "kind": "cpu", "memory": "dram"}, {"name": "u1", "kind": "npu", "memory": "dram"}])",
          R"("entries": [)" + entry("u0", "a", 10) + ", " + entry("u1", "a", 14) + ", " +
              entry("u0", "b", 13) + ", " + entry("u1", "b", 10) + R"(], "hand_overs": [)" + hand_overs + "]",
          {R"([{"name": "in", "op": "input", "shape": [1, 1, 2, 2]}, {"name": "a", "op": "relu", "inputs": ["in"]},
           {"name": "b", "op": "relu", "inputs": ["a"]}])"},
          R"("streams": [{"name": "s", "model": "m0.json", "count": 1, "arrival": {"type": "offline"}}])"}
          .Read();
  return RunPolicy(scenario, policy).streams[0].latencies[0].count();
}

TEST(HandOver, IsSeenByPoliciesThatPlan) {
  for (const char* policy : {R"({"name": "heft", "granularity": "layer"})", R"("branch_parallel")"}) {
    EXPECT_EQ(ChainTakes(policy, ""), 20000) << policy;
    EXPECT_EQ(ChainTakes(policy, HandOver("u0", "u1", 0, 2)), 22000) << policy;
    EXPECT_EQ(ChainTakes(policy, HandOver("u0", "u1", 0, 8)), 23000) << policy;
  }
}

TEST(HandOver, IsPartOfThePipelinesStage) {
  const std::string there = HandOver("u0", "u1", 0, 8), back = HandOver("u1", "u0", 0, 15);
  EXPECT_EQ(ChainTakes(R"("pipeline")", ""), 20000);
  EXPECT_EQ(ChainTakes(R"("pipeline")", there), 27000) << "14 and 13 us the other way round";
  EXPECT_EQ(ChainTakes(R"("pipeline")", there + ", " + back), 28000) << "10 and 18 us, or 23 in one stage";
  EXPECT_EQ(ChainTakes(R"("pipeline")", HandOver("u0", "u1", 0, 15) + ", " + back), 23000);
}

// Requests of 30 us on u0 at 0 and at 100 us: 70 us of pause between them.
std::vector<std::int64_t> AfterPause(const std::string& pauses) {
  return Latencies(Read({"u0", "u0", "u0"}, R"("after_idle": [)" + pauses + "]",
                        R"({"type": "periodic", "period_us": 100})", 2));
}

TEST(AfterIdle, WorkTakesLongerByTheTimeThatItsUnitHasIdled) {
  using Times = std::vector<std::int64_t>;
  EXPECT_EQ(AfterPause(Pause(140, "2")), (Times{30000, 35000})) << "the first layer alone, 1.5 times";
  EXPECT_EQ(AfterPause(Pause(70, "2") + ", " + Pause(35, "1.1")), (Times{30000, 40000}));
  EXPECT_EQ(AfterPause(Pause(50, "1.3")), (Times{30000, 33000})) << "constant beyond the last";
  EXPECT_EQ(AfterPause(Pause(70, "0.5")), (Times{30000, 25000}));
}

TEST(AfterIdle, OfTheModelCountsBeforeThatOfAny) {
  using Times = std::vector<std::int64_t>;
  EXPECT_EQ(AfterPause(Pause(70, "2", R"(, "model": "m0.json")") + ", " + Pause(70, "3")),
            (Times{30000, 40000}));
  EXPECT_EQ(AfterPause(Pause(70, "2", R"(, "model": "alexnet")")), (Times{30000, 30000}));
}

// Requests of two models, one of two layers, which take turns on u0; each takes 10 us.
std::vector<std::int64_t> TakingTurns(const std::string& after_other) {
  const std::string relu =
      R"({"name": "in", "op": "input", "shape": [1, 4, 8, 8]}, {"name": "a", "op": "relu", "inputs": ["in"]})";
  const std::string one = "[" + relu + "]",
                    two = "[" + relu + R"(, {"name": "b", "op": "relu", "inputs": ["a"]}])";
  const auto stream = [](const std::string& name, const std::string& model, int offset) {
    return R"({"name": ")" + name + R"(", "model": ")" + model +
           R"(", "count": 3, "arrival": {"type": "periodic", "period_us": 100, "phase_us": )" +
           std::to_string(offset) + "}}";
  };
  const Scenario scenario =
      JsonScenario{
          R"("memories": [{"name": "dram"}], "units": [{"name": "u0", "kind": "cpu", "memory": "dram"}])",
          R"("entries": [{"model": "m0.json", "unit": "u0", "layers": ["a"], "median_us": 5},
                         {"model": "m0.json", "unit": "u0", "layers": ["b"], "median_us": 5},
                         {"model": "m1.json", "unit": "u0", "layers": "*", "median_us": 10}], "after_other": [)" +
              after_other + "]",
          {two, one},
          R"("streams": [)" + stream("s", "m0.json", 0) + ", " + stream("t", "m1.json", 150) + "]"}
          .Read();
  return Latencies(scenario);
}

TEST(AfterOther, WorkTakesLongerWhereItsUnitHasDoneAnotherModelSince) {
  using Times = std::vector<std::int64_t>;
  const std::string any = R"({"unit": "u0", "slowdown": 2})";
  EXPECT_EQ(TakingTurns(""), (Times{10000, 10000, 10000}));
  EXPECT_EQ(TakingTurns(any), (Times{10000, 10000, 20000})) << "the other model comes at 150 us";
  EXPECT_EQ(TakingTurns(any + R"(, {"unit": "u0", "model": "m0.json", "slowdown": 0.5})"),
            (Times{10000, 10000, 5000}));
  EXPECT_EQ(TakingTurns(R"({"unit": "u0", "model": "m1.json", "slowdown": 2})"),
            (Times{10000, 10000, 10000}));
}

std::string Again(const std::string& layer, int every_us, const std::string& slowdown) {
  return R"({"unit": "u0", "model": "m0.json", "layers": [")" + layer + R"("], "every_us": )" +
         std::to_string(every_us) + R"(, "slowdown": )" + slowdown + "}";
}

TEST(Repeated, WorkTakesLessWhereItsUnitTookTheSameSoonBefore) {
  using Times = std::vector<std::int64_t>;
  const auto latencies = [](const std::string& lists) {
    return Latencies(Read({"u0", "u0", "u0"}, lists, R"({"type": "offline"})", 3));
  };
  const auto repeated = [&](const std::string& entries) {
    return latencies(R"("repeated": [)" + entries + "]");
  };
  EXPECT_EQ(latencies(""), (Times{30000, 60000, 90000})) << "a b c of each request";
  EXPECT_EQ(repeated(Again("a", 30, "0.5")), (Times{30000, 55000, 80000})) << "after 30 us and after 25";
  EXPECT_EQ(repeated(Again("a", 29, "0.5")), (Times{30000, 60000, 90000})) << "that is too long before";
  EXPECT_EQ(repeated(Again("a", 50, "1") + ", " + Again("a", 10, "0.6")), (Times{30000, 58000, 85800}))
      << "on the line between the points: 0.8 after 30 us, 0.78 after 28";
}

TEST(Repeated, CountsInPlaceOfWhatAnotherModelDidInBetween) {
  using Times = std::vector<std::int64_t>;
  const auto repeated = [](int every_us) {
    return TakingTurns(R"({"unit": "u0", "slowdown": 3}], "repeated": [)" + Again("a", every_us, "0.5") +
                       ", " + Again("b", every_us, "0.5"));
  };
  EXPECT_EQ(repeated(99), (Times{10000, 10000, 30000}));
  EXPECT_EQ(repeated(100), (Times{10000, 5000, 5000}));
}

TEST(AfterOther, OfTheseLayersCountsBeforeThatOfTheModel) {
  EXPECT_EQ(TakingTurns(R"({"unit": "u0", "model": "m0.json", "slowdown": 2},
                           {"unit": "u0", "model": "m0.json", "layers": ["a"], "slowdown": 4})"),
            (std::vector<std::int64_t>{10000, 10000, 30000}));
}

TEST(Bound, HoldsWhereNeighboursOrPausesMakeWorkFaster) {
  const Scenario plain = Read({"u0", "u0", "u0"}, "");
  const Scenario faster = Read({"u0", "u0", "u0"}, R"("after_idle": [)" + Pause(70, "0.5") + "]");
  const auto bound = [](const Scenario& scenario) {
    return LowerBound(Problem(scenario, Granularity::kLayer)).makespan.value();
  };
  EXPECT_EQ(bound(plain), Nanos{30000});
  EXPECT_LE(bound(faster), Nanos{15000});
  EXPECT_GT(bound(faster), Nanos{14900});
}

}  // namespace
}  // namespace tandem
