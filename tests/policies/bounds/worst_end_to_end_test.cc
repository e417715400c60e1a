// Is what is proved from end to end of requests that follow others never exceeded, and no more than its
// stages together?
#include <gtest/gtest.h>

#include <algorithm>
#include <numeric>
#include <random>

#include "policies/bounds/worst_latency.h"
#include "policies/engine/virtual_runner.h"
#include "tests/support/json_scenario.h"

namespace tandem {
namespace {

using std::chrono::microseconds;

const std::string kUnitsUAndV =
    R"("memories": [{"name": "dram"}], "units": [{"name": "u", "kind": "npu", "memory": "dram"},
       {"name": "v", "kind": "npu", "memory": "dram"}])";
const std::string kOneRelu =
    R"([{"name": "in", "op": "input", "shape": [1, 1, 4, 4]}, {"name": "a", "op": "relu", "inputs": ["in"]}])";

struct Way {
  Scenario scenario;
  PolicySpec spec;
  Prepared made;
  std::vector<WorstLatency> worst;

  Way(Scenario read, const std::string& policy) : scenario(std::move(read)) {
    spec = ReadPolicy(JsonDocument::Parse(policy, "policy").root(), scenario);
    made = MakePolicy(spec, ProblemFor(spec, scenario));
    worst = WorstLatencies(*made.problem, *made.policy);
  }
};

// Model i takes `micros[i]`, on "u" where i is even, else on "v".
Way WayOf(const std::vector<int>& micros, const std::string& streams,
          const std::string& policy = R"("fcfs")") {
  JsonScenario text{kUnitsUAndV, "", {}, R"("transfer": "none", "streams": [)" + streams + "]"};
  std::string entries;
  for (std::size_t m = 0; m < micros.size(); ++m) {
    text.models.push_back(kOneRelu);
    entries += std::string(m > 0 ? ", " : "") + R"({"layers": "*", "model": "m)" + std::to_string(m) +
               R"(.json", "unit": ")" + (m % 2 == 0 ? "u" : "v") + R"(", "median_us": )" +
               std::to_string(micros[m]) + "}";
  }
  text.profile = R"("entries": [)" + entries + "]";
  return Way(text.Read(), policy);
}

std::string Frames(int period) {
  return R"({"name": "frame", "model": "m0.json", "count": 40, "arrival": {"type": "periodic", "period_us": )" +
         std::to_string(period) + "}}";
}
std::string Following(const std::string& name, int model, const std::string& link) {
  return R"(, {"name": ")" + name + R"(", "model": "m)" + std::to_string(model) +
         R"(.json", "depends_on": {)" + link + "}}";
}

TEST(WorstEndToEnd, OfAChainIsItsStagesTogether) {
  const Way way = WayOf({10, 5, 3}, Frames(100) + Following("face", 1, R"("stream": "frame")") +
                                        Following("name", 2, R"("stream": "face")"));
  EXPECT_FALSE(way.worst[0].end_to_end) << "it follows nothing";
  EXPECT_EQ(way.worst[0].longest, microseconds{13}) << "a name may be before it";
  EXPECT_EQ(way.worst[1].longest, microseconds{5});
  EXPECT_EQ(way.worst[1].end_to_end, microseconds{13 + 5});
  EXPECT_EQ(way.worst[2].end_to_end, *way.worst[1].end_to_end + *way.worst[2].longest);
}

TEST(WorstEndToEnd, OfAJoinGoesByTheLatestOfAllItWaitsFor) {
  const auto way_with = [](int slow) {
    return WayOf({10, 5, slow, 3, 1},
                 Frames(200) + Following("quick", 1, R"("stream": "frame")") +
                     Following("slow", 2, R"("stream": "frame")") +
                     Following("again", 3, R"("stream": "quick")") +
                     Following("track", 4, R"("stream": "frame", "joins": ["again", "slow"])"));
  };
  const Way slow = way_with(40), not_slow = way_with(2);
  ASSERT_TRUE(slow.worst[4].end_to_end) << slow.worst[4].why;
  EXPECT_GT(*slow.worst[2].end_to_end, *slow.worst[3].end_to_end);
  EXPECT_EQ(*slow.worst[4].end_to_end, *slow.worst[2].end_to_end + *slow.worst[4].longest);
  EXPECT_GT(*not_slow.worst[3].end_to_end, *not_slow.worst[2].end_to_end);
  EXPECT_EQ(*not_slow.worst[4].end_to_end, *not_slow.worst[3].end_to_end + *not_slow.worst[4].longest);
}

TEST(WorstEndToEnd, NothingIsProvedOfWhatWaitsForAStreamThatComesByItself) {
  const Way way = WayOf(
      {10, 5, 3},
      Frames(100) +
          R"(, {"name": "scan", "model": "m1.json", "count": 40, "arrival": {"type": "periodic", "period_us": 100}})" +
          Following("both", 2, R"("stream": "frame", "joins": ["scan"])"));
  EXPECT_FALSE(way.worst[2].longest);
  EXPECT_NE(way.worst[2].why.find("it waits for \"scan\", which comes by itself"), std::string::npos)
      << way.worst[2].why;
  EXPECT_EQ(way.worst[1].longest, microseconds{5}) << "alone on its unit";
}

// The core copies what the card has made before its own work, which is no part of that: nobody on it is
// proved.
TEST(WorstEndToEnd, NothingIsProvedWhereWhatIsHandedOnIsBroughtIn) {
  const auto why = [](const std::string& data) {
    const JsonScenario text{
        R"("memories": [{"name": "dram"}, {"name": "vram"}],
           "links": [{"from": "dram", "to": "vram", "latency_us": 0, "bandwidth_bytes_per_s": 64000000}],
           "units": [{"name": "u", "kind": "cpu", "memory": "dram"}, {"name": "g", "kind": "gpu", "memory": "vram"}])",
        R"("entries": [{"model": "m0.json", "unit": "g", "layers": "*", "median_us": 10},
                       {"model": "m1.json", "unit": "u", "layers": "*", "median_us": 5},
                       {"model": "m2.json", "unit": "u", "layers": "*", "median_us": 3}])",
        {kOneRelu, kOneRelu, kOneRelu},
        R"("transfer": "copy", "streams": [)" + Frames(100) +
            Following("face", 1, R"("stream": "frame")" + data) +
            R"(, {"name": "voice", "model": "m2.json", "count": 40, "arrival": {"type": "periodic", "period_us": 50}}])"};
    return Way(text.Read(),
               R"({"name": "priority", "rank": {"u": ["m2.json", "m1.json"], "g": ["m0.json"]}})")
        .worst[2]
        .why;
  };
  EXPECT_EQ(why(""), "");
  EXPECT_NE(why(R"(, "data": true)").find("what stream \"face\" reads was made elsewhere"), std::string::npos)
      << why(R"(, "data": true)");
}

// A frame takes up to 32 us, "slow" up to 82 us more: one of "after" may come as late as that, the next ones
// at once. By the frame alone it would be 2 + 30 us.
TEST(WorstEndToEnd, AJoinComesAsLateAsWhatItWaitsFor) {
  const Way way = WayOf({2, 60, 30},
                        Frames(70) + Following("slow", 1, R"("stream": "frame")") +
                            Following("after", 2, R"("stream": "frame", "joins": ["slow"])"),
                        R"({"name": "priority", "rank": {"u": ["m0.json", "m2.json"], "v": ["m1.json"]}})");
  EXPECT_EQ(way.worst[0].longest, microseconds{32});
  EXPECT_EQ(way.worst[1].longest, microseconds{82});
  ASSERT_TRUE(way.worst[2].longest) << way.worst[2].why;
  EXPECT_EQ(*way.worst[2].longest, microseconds{66}) << "the third of a busy time";
  EXPECT_EQ(*way.worst[2].end_to_end, microseconds{32 + 82 + 66});
}

TEST(WorstEndToEnd, IsNotThereWhereNothingIsProvedOfAStage) {
  const Way way = WayOf({10, 5, 200}, Frames(100) + Following("face", 1, R"("stream": "frame")") +
                                          Following("name", 2, R"("stream": "face")"));
  EXPECT_FALSE(way.worst[0].longest);
  EXPECT_FALSE(way.worst[1].end_to_end);
  EXPECT_FALSE(way.worst[2].end_to_end);
}

// Trees of streams that hang on periodic ones, some of them several times, some joined.
std::string RandomTree(std::mt19937& random, const std::vector<int>& micros) {
  const auto below = [&](std::size_t count) { return random() % count; };
  const int work = 6 * std::accumulate(micros.begin(), micros.end(), 0);
  std::vector<std::size_t> parent;
  std::string list;
  for (std::size_t s = 0; s < micros.size(); ++s) {
    const std::string head = std::string(s > 0 ? ", " : "") + R"({"name": "s)" + std::to_string(s) +
                             R"(", "model": "m)" + std::to_string(s) + R"(.json", )";
    parent.push_back(s == 0 || below(5) == 0 ? s : below(s));
    if (parent[s] == s) {
      list += head + R"("count": 60, "arrival": {"type": "periodic", "period_us": )" +
              std::to_string(work / 2 + static_cast<int>(below(60))) + R"(, "phase_us": )" +
              std::to_string(below(60)) + R"(, "jitter_us": )" + std::to_string(below(2) * below(40)) + "}}";
      continue;
    }
    std::string joins;
    for (std::size_t other = 1; other < s; ++other) {
      if (other == parent[s] || parent[other] != parent[s] || below(2) == 0) continue;
      joins += (joins.empty() ? R"(, "joins": ["s)" : R"(, "s)") + std::to_string(other) + "\"";
    }
    list += head + R"("depends_on": {"stream": "s)" + std::to_string(parent[s]) + "\"" +
            (joins.empty() ? below(3) == 0 ? R"(, "times": [1, 2, 1])" : "" : joins + "]") + "}}";
  }
  return list;
}

TEST(WorstEndToEnd, IsNeverExceeded) {
  int proved = 0, joined = 0;
  for (std::uint32_t seed = 1; seed <= 150; ++seed) {
    std::mt19937 random(seed);
    std::vector<int> micros(3 + random() % 4);
    for (int& each : micros) each = 1 + static_cast<int>(random() % 20);
    std::vector<std::string> on_u, on_v;
    for (std::size_t m = 0; m < micros.size(); ++m)
      (m % 2 == 0 ? on_u : on_v).push_back("\"m" + std::to_string(m) + ".json\"");
    const auto shuffled = [&](std::vector<std::string>& names) {
      std::shuffle(names.begin(), names.end(), random);
      std::string list;
      for (const std::string& name : names) list += (list.empty() ? "" : ", ") + name;
      return list;
    };
    const std::string rank = R"("rank": {"u": [)" + shuffled(on_u) + R"(], "v": [)" + shuffled(on_v) + "]}";
    const std::string policy = random() % 3 == 0 ? R"("fcfs")" : R"({"name": "priority", )" + rank + "}";
    const Way way = WayOf(micros, RandomTree(random, micros), policy);
    const Outcome outcome = RunVirtual(*way.made.problem, *way.made.policy);
    for (std::size_t s = 0; s < way.worst.size(); ++s) {
      const std::vector<Nanos>& seen = outcome.streams[s].end_to_end;
      if (!way.worst[s].end_to_end || seen.empty()) continue;
      const Stream& stream = way.scenario.streams[s];
      EXPECT_LE(*std::max_element(seen.begin(), seen.end()), *way.worst[s].end_to_end)
          << "seed " << seed << ", " << stream.name << ", " << policy;
      EXPECT_LE(*std::max_element(outcome.streams[s].latencies.begin(), outcome.streams[s].latencies.end()),
                *way.worst[s].longest)
          << "seed " << seed << ", " << stream.name << ", " << policy;
      ++proved;
      joined += std::get<DependentArrival>(stream.arrival).joins.empty() ? 0 : 1;
    }
  }
  EXPECT_GT(proved, 150);
  EXPECT_GT(joined, 15);
}

}  // namespace
}  // namespace tandem
