// Is what is proved of latencies what can be worked out by hand, and does no simulation ever exceed it?
#include "policies/bounds/worst_latency.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <random>

#include "policies/engine/virtual_runner.h"
#include "tests/support/json_scenario.h"
#include "tests/support/sanitized.h"

namespace tandem {
namespace {

using std::chrono::microseconds;

const std::string kUnit =
    R"("memories": [{"name": "dram"}], "units": [{"name": "u", "kind": "npu", "memory": "dram"}])";
const std::string kLayer =
    R"([{"name": "in", "op": "input", "shape": [1, 1, 4, 4]}, {"name": "a", "op": "relu", "inputs": ["in"]}])";

std::string Entry(const std::string& model, int micros, const std::string& unit = "u") {
  return R"({"layers": "*", "model": ")" + model + R"(", "unit": ")" + unit + R"(", "median_us": )" +
         std::to_string(micros) + "}";
}

// Three models that take so long.
Scenario Three(const std::string& streams, const std::string& platform = kUnit, const std::string& more = "",
               const std::array<int, 3>& micros = {9, 14, 19}) {
  return JsonScenario{platform,
                      R"("entries": [)" + Entry("m0.json", micros[0]) + ", " + Entry("m1.json", micros[1]) +
                          ", " + Entry("m2.json", micros[2]) + more + "]",
                      {kLayer, kLayer, kLayer},
                      R"("transfer": "none", "streams": [)" + streams + "]"}
      .Read();
}

const std::string kBrake =
    R"({"name": "brake", "model": "m0.json", "count": 50, "arrival": {"type": "periodic", "period_us": 50}})";
const std::string kCabin =
    R"({"name": "cabin", "model": "m1.json", "count": 30, "arrival": {"type": "periodic", "period_us": 100}})";
const std::string kLog =
    R"({"name": "log", "model": "m2.json", "count": 20, "arrival": {"type": "poisson", "rate_per_s": 9000}})";
constexpr const char* kTwoRanked = R"({"name": "priority", "rank": {"u": ["m0.json", "m1.json"]}})";
constexpr const char* kRanked = R"({"name": "priority", "rank": {"u": ["m0.json", "m1.json", "m2.json"]}})";

Prepared Made(const Scenario& scenario, const std::string& policy, PolicySpec& spec) {
  spec = ReadPolicy(JsonDocument::Parse(policy, "policy").root(), scenario);
  return MakePolicy(spec, ProblemFor(spec, scenario));
}

std::vector<WorstLatency> WorstOf(const Scenario& scenario, const std::string& policy, double longer = 1) {
  PolicySpec spec;
  const Prepared made = Made(scenario, policy, spec);
  return WorstLatencies(*made.problem, *made.policy, longer);
}

TEST(WorstLatency, IsOneTaskOfThoseBehindAndAllThatComesBefore) {
  const auto worst = WorstOf(Three(kBrake + ", " + kCabin + ", " + kLog), kRanked);
  EXPECT_EQ(worst[0].longest, microseconds{19 + 9});
  EXPECT_EQ(worst[0].work, microseconds{9});
  EXPECT_EQ(worst[1].longest, microseconds{19 + 9 + 14});
  EXPECT_FALSE(worst[2].longest);
  EXPECT_EQ(worst[2].why, "its requests may come at any time");
}

TEST(WorstLatency, LooksAtEveryRequestOfABusyTime) {
  // The example with which Davis et al. showed in 2007 that the first request need not be the worst: 30,
  // then 35.
  const auto stream = [](const std::string& name, const std::string& model, int period) {
    return R"({"name": ")" + name + R"(", "model": ")" + model +
           R"(.json", "count": 50, "arrival": {"type": "periodic", "period_us": )" + std::to_string(period) +
           "}}";
  };
  const auto worst =
      WorstOf(Three(stream("a", "m0", 25) + ", " + stream("b", "m1", 35) + ", " + stream("c", "m2", 35),
                    kUnit, "", {10, 10, 10}),
              kRanked);
  EXPECT_EQ(worst[0].longest, microseconds{20});
  EXPECT_EQ(worst[1].longest, microseconds{30});
  EXPECT_EQ(worst[2].longest, microseconds{35});
}

TEST(WorstLatency, GrowsWithWhatTakesLonger) {
  const Scenario scenario = Three(kBrake + ", " + kCabin);
  EXPECT_EQ(WorstOf(scenario, kTwoRanked)[0].longest, microseconds{14 + 9});
  EXPECT_EQ(WorstOf(scenario, kTwoRanked, 2)[0].longest, microseconds{28 + 18});
  EXPECT_EQ(WorstOf(scenario, kTwoRanked, 10)[0].why, "its unit is asked for more than it can do");
}

TEST(WorstLatency, OfWhatFollowsCountsFromItsOwnRelease) {
  const auto worst = WorstOf(
      Three(kBrake +
            R"(, {"name": "after", "model": "m1.json", "depends_on": {"stream": "brake", "every": 2}})"),
      kTwoRanked);
  EXPECT_EQ(worst[0].longest, microseconds{14 + 9});
  ASSERT_TRUE(worst[1].longest) << worst[1].why;
  EXPECT_GE(*worst[1].longest, microseconds{14 + 9});
}

TEST(WorstLatency, SaysWhyNothingIsProved) {
  const auto why = [](const std::vector<WorstLatency>& worst) {
    return worst[0].longest ? "proved" : worst[0].why;
  };
  EXPECT_EQ(why(WorstOf(Three(kBrake + ", " + kLog), R"("fcfs")")),
            "\"log\" may come before it, and its requests may come at any time");
  const std::string late =
      R"({"name": "late", "model": "m0.json", "count": 5, "arrival": {"type": "offline"}, "deadline_us": 70})";
  EXPECT_EQ(why(WorstOf(Three(late + ", " + kCabin), R"("edf")")), "its place in the order depends on time");
  EXPECT_EQ(why(WorstOf(Three(kBrake), R"("eft")")),
            "in which order a unit takes requests is not fixed by their streams");
  EXPECT_EQ(
      why(WorstOf(
          Three(
              kBrake,
              R"("memories": [{"name": "dram"}], "units": [{"name": "u", "kind": "npu", "memory": "dram", "slots": 2}])"),
          R"("fcfs")")),
      "unit \"u\" has several slots");
  const std::string two =
      R"("memories": [{"name": "dram"}], "units": [{"name": "u", "kind": "npu", "memory": "dram"}, {"name": "v", "kind": "npu", "memory": "dram"}])";
  EXPECT_EQ(why(WorstOf(Three(kBrake, two, ", " + Entry("m0.json", 9, "v")), R"("fcfs")")),
            "units \"u\" and \"v\" may both run it");
  EXPECT_EQ(why(WorstOf(Three(kBrake + ", " + kCabin, two, ", " + Entry("m1.json", 9, "v")), R"("fcfs")")),
            "\"cabin\" may come before it, and units \"u\" and \"v\" may both run it");
}

TEST(WorstLatency, SaysWhatItIsProvedOfWhereNobodyMeasuredWhatUnitsCostEachOther) {
  constexpr const char* kOneEach = R"({"name": "priority", "rank": {"u": ["m0.json"], "v": ["m1.json"]}})";
  constexpr const char* kAlone = R"({"name": "priority", "rank": {"u": ["m0.json"]}})";
  const auto assumed = [&](const std::string& memory, const std::string& measured, const std::string& more) {
    const std::string two =
        R"("memories": [{"name": "dram"}, {"name": "own"}], "units": [{"name": "u", "kind": "npu", "memory": "dram"}, {"name": "v", "kind": "npu", "memory": ")" +
        memory + R"("}])";
    return WorstOf(Three(kBrake + more, two, ", " + Entry("m1.json", 9, "v") + measured),
                   more.empty() ? kAlone : kOneEach);
  };
  const std::vector<std::string> nothing, pair = {R"(units "u" and "v" cost each other nothing)"};
  const auto both = assumed("dram", "", ", " + kCabin);
  EXPECT_EQ(both[0].longest, microseconds{9});
  EXPECT_EQ(both[0].assumes, pair);
  EXPECT_EQ(both[1].assumes, pair);
  EXPECT_EQ(assumed("own", "", ", " + kCabin)[0].assumes, nothing) << "each has a memory of its own";
  EXPECT_EQ(assumed("dram", "", "")[0].assumes, nothing) << "the other one has nothing to do";
  const auto slowed =
      assumed("dram", R"(], "co_running": [{"unit": "u", "beside": "v", "slowdown": 1.2})", ", " + kCabin);
  EXPECT_EQ(slowed[0].why, "units slow each other down");
  EXPECT_EQ(slowed[0].assumes, nothing) << "nothing is proved";
}

// What follows a stream of such a unit hangs on what that is proved of.
TEST(WorstLatency, TakesOverWhatThoseItFollowsAreProvedOf) {
  const std::string three =
      R"("memories": [{"name": "dram"}, {"name": "own"}], "units": [{"name": "u", "kind": "npu", "memory": "dram"}, {"name": "v", "kind": "npu", "memory": "dram"}, {"name": "w", "kind": "npu", "memory": "own"}])";
  const std::string after = R"({"name": "after", "model": "m2.json", "depends_on": {"stream": "brake"}})";
  const auto worst = WorstOf(Three(kBrake + ", " + kCabin + ", " + after, three,
                                   ", " + Entry("m1.json", 9, "v") + ", " + Entry("m2.json", 9, "w")),
                             R"({"name": "priority",
                                 "rank": {"u": ["m0.json"], "v": ["m1.json"], "w": ["m2.json"]}})");
  ASSERT_TRUE(worst[2].longest) << worst[2].why;
  EXPECT_EQ(worst[2].assumes, worst[0].assumes);
  EXPECT_EQ(worst[2].assumes.size(), 1U);
}

// Streams on one unit, ranked, in whole models or layer by layer, by periods with phases and jitter, some
// after others.
Scenario RandomPeriodic(std::mt19937& random, int streams) {
  const auto below = [&](unsigned count) { return static_cast<int>(random() % count); };
  JsonScenario text{kUnit, "", {}, ""};
  std::string entries, list;
  for (int s = 0; s < streams; ++s) {
    const std::string name = "m" + std::to_string(s) + ".json";
    std::string layers = R"([{"name": "in", "op": "input", "shape": [1, 1, 4, 4]})", before = "in";
    int work = 0;
    for (int l = 0, count = 1 + below(3); l < count; ++l) {
      const std::string layer = "l" + std::to_string(l);
      const int time = 1 + below(20);
      layers += R"(, {"name": ")" + layer + R"(", "op": "relu", "inputs": [")" + before + "\"]}";
      entries += R"({"layers": [")" + layer + R"("], "model": ")" + name +
                 R"(", "unit": "u", "median_us": )" + std::to_string(time) + "}, ";
      before = layer;
      work += time;
    }
    text.models.push_back(layers + "]");
    entries += Entry(name, work) + (s + 1 < streams ? ", " : "");
    list += s == 0 ? "" : ", ";
    list += R"({"name": "s)" + std::to_string(s) + R"(", "model": ")" + name + "\", ";
    if (s > 0 && below(4) == 0) {
      list += R"("depends_on": {"stream": "s0", "every": )" + std::to_string(1 + below(2)) + "}}";
      continue;
    }
    list += R"("count": )" + std::to_string(20 + below(40)) +
            R"(, "arrival": {"type": "periodic", "period_us": )" +
            std::to_string(work * streams + below(30)) + R"(, "phase_us": )" + std::to_string(below(60)) +
            R"(, "jitter_us": )" + std::to_string(below(3) == 0 ? below(20) : 0) + "}}";
  }
  text.profile = R"("entries": [)" + entries + "]";
  text.scenario = R"("transfer": "none", "streams": [)" + list + "]";
  return text.Read();
}

TEST(WorstLatency, IsNeverExceeded) {
  int proved = 0, tight = 0;
  for (std::uint32_t seed = 1; seed <= (kSanitized ? 20 : 200); ++seed) {
    std::mt19937 random(seed);
    const int streams = 2 + static_cast<int>(random() % 3);
    const Scenario scenario = RandomPeriodic(random, streams);
    std::vector<std::string> ranked;
    for (int s = 0; s < streams; ++s) ranked.push_back("\"m" + std::to_string(s) + ".json\"");
    std::shuffle(ranked.begin(), ranked.end(), random);
    std::string rank = ranked[0];
    for (int s = 1; s < streams; ++s) rank += ", " + ranked[static_cast<std::size_t>(s)];
    const std::string granularity = random() % 2 == 0 ? "model" : "layer";
    const std::string policy = random() % 4 == 0
                                   ? R"({"name": "fcfs", "granularity": ")" + granularity + "\"}"
                                   : R"({"name": "priority", "granularity": ")" + granularity +
                                         R"(", "rank": {"u": [)" + rank + "]}}";
    PolicySpec spec;
    const Prepared made = Made(scenario, policy, spec);
    const auto worst = WorstLatencies(*made.problem, *made.policy);
    const Outcome outcome = RunVirtual(*made.problem, *made.policy);
    for (std::size_t s = 0; s < worst.size(); ++s) {
      if (!worst[s].longest || outcome.streams[s].latencies.empty()) continue;
      const Nanos seen =
          *std::max_element(outcome.streams[s].latencies.begin(), outcome.streams[s].latencies.end());
      EXPECT_LE(seen, *worst[s].longest)
          << "seed " << seed << ", " << scenario.streams[s].name << ", " << policy;
      ++proved;
      tight += 2 * seen >= *worst[s].longest ? 1 : 0;
    }
  }
  EXPECT_GT(proved, kSanitized ? 20 : 200);
  EXPECT_GT(2 * tight, proved) << "most are no more than twice what was seen";
}

}  // namespace
}  // namespace tandem
