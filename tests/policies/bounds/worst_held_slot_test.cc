// Does what is proved count what tasks that have begun copy, and what units do that share cores?
#include <gtest/gtest.h>

#include <algorithm>

#include "policies/bounds/worst_latency.h"
#include "policies/engine/virtual_runner.h"
#include "tests/support/json_scenario.h"

namespace tandem {
namespace {

using std::chrono::microseconds;

const std::string kInLayer = R"({"name": "in", "op": "input", "shape": [1, 1, 4, 4]})";
std::string After(const std::string& before, const std::string& layer) {
  return R"(, {"name": ")" + layer + R"(", "op": "relu", "inputs": [")" + before + "\"]}";
}
const std::string kA = "[" + kInLayer + After("in", "a") + "]";
const std::string kAThenB = "[" + kInLayer + After("in", "a") + After("a", "b") + "]";
const std::string kAThenBAndC = "[" + kInLayer + After("in", "a") + After("a", "b") + After("a", "c") + "]";

std::string TimeOf(int model, const std::string& layer, const std::string& unit, int micros,
                   const std::string& more = "") {
  return R"({"model": "m)" + std::to_string(model) + R"(.json", "layers": [")" + layer + R"("], "unit": ")" +
         unit + R"(", "median_us": )" + std::to_string(micros) + more + "}";
}

std::string UnitIn(const std::string& memory, const std::string& name, const std::string& more = "") {
  return R"({"name": ")" + name + R"(", "kind": "npu", "memory": ")" + memory + "\"" + more + "}";
}

std::string Every(int period, const std::string& name, int model, const std::string& more = "") {
  return R"({"name": ")" + name + R"(", "model": "m)" + std::to_string(model) + R"(.json", "count": 200)" +
         more + R"(, "arrival": {"type": "periodic", "period_us": )" + std::to_string(period) + "}}";
}

std::string AllAtOnce(const std::string& name, int model) {
  return R"({"name": ")" + name + R"(", "model": "m)" + std::to_string(model) +
         R"(.json", "count": 300, "arrival": {"type": "offline"}})";
}

const std::string kCriticalOne = R"(, "critical": true, "deadline_us": 500)";

struct Held {
  std::vector<WorstLatency> proved;
  std::vector<Nanos> seen;  // per stream, the longest
};

// Under fcfs, layer by layer: who has a time for a layer may take it.
Held HeldIn(const JsonScenario& text) {
  const Scenario scenario = text.Read();
  const JsonDocument policy = JsonDocument::Parse(R"({"name": "fcfs", "granularity": "layer"})", "policy");
  const PolicySpec spec = ReadPolicy(policy.root(), scenario);
  const Prepared made = MakePolicy(spec, ProblemFor(spec, scenario));
  Held held{WorstLatencies(*made.problem, *made.policy), {}};
  for (const StreamOutcome& stream : RunVirtual(*made.problem, *made.policy).streams)
    held.seen.push_back(*std::max_element(stream.latencies.begin(), stream.latencies.end()));
  return held;
}

// 9 us on u, critical, beside a log of which `a` takes 1 us on v, and `b` 3 us on u. Between the memories 64
// bytes take 20 us.
JsonScenario ALogInTwoHalves(const std::string& memory_of_v = "far") {
  return {R"("memories": [{"name": "dram"}, {"name": "far"}], "links": [{"from": "dram", "to": "far",
             "latency_us": 0, "bandwidth_bytes_per_s": 3200000}], "units": [)" +
              UnitIn("dram", "u") + ", " + UnitIn(memory_of_v, "v") + "]",
          R"("entries": [)" + TimeOf(0, "a", "u", 9) + ", " + TimeOf(1, "a", "v", 1) + ", " +
              TimeOf(1, "b", "u", 3) + "]",
          {kA, kAThenB},
          R"("transfer": "copy", "streams": [)" + Every(61, "brake", 0, kCriticalOne) + ", " +
              AllAtOnce("log", 1) + "]"};
}

void PutInstead(std::string& text, const std::string& what, const std::string& by) {
  ASSERT_NE(text.find(what), std::string::npos) << what;
  text.replace(text.find(what), what.size(), by);
}

TEST(WorstBesideCopies, ATaskHasItsSlotWhileItsInputIsCopied) {
  const Held held = HeldIn(ALogInTwoHalves());
  // The log's `b` has u for its copy, 40 us while v copies over the same link, and for 3 us; then 9 us.
  EXPECT_EQ(held.proved[0].longest, microseconds{40 + 3 + 9}) << held.proved[0].why;
  EXPECT_LE(held.seen[0], *held.proved[0].longest);
  EXPECT_GT(held.seen[0], microseconds{20 + 3 + 9}) << "copies do share the link";
}

TEST(WorstBesideCopies, WhereNothingIsCopiedItIsTheWorkAlone) {
  JsonScenario text = ALogInTwoHalves();
  PutInstead(text.scenario, R"("copy")", R"("none")");
  const Held held = HeldIn(text);
  EXPECT_EQ(held.proved[0].longest, microseconds{3 + 9}) << held.proved[0].why;
  EXPECT_LE(held.seen[0], *held.proved[0].longest);
}

TEST(WorstBesideCopies, ATaskThatReadsThroughAMappingTakesItsTimeForThat) {
  JsonScenario text = ALogInTwoHalves();
  PutInstead(text.scenario, R"("copy")", R"("zero_copy")");
  text.profile.pop_back();
  text.profile += ", " + TimeOf(1, "b", "u", 33, R"(, "mapped": true)") + "]";
  const Held held = HeldIn(text);
  EXPECT_EQ(held.proved[0].longest, microseconds{33 + 9}) << held.proved[0].why;
  EXPECT_LE(held.seen[0], *held.proved[0].longest);
  EXPECT_GT(held.seen[0], microseconds{3 + 9});
}

TEST(WorstBesideCopies, SaysWhereNobodyKnowsHowLongASlotIsHeld) {
  const std::string log = R"("log" may have begun a task, and )";
  JsonScenario engine = ALogInTwoHalves();
  PutInstead(engine.platform, "3200000", R"(3200000, "engine": true)");
  EXPECT_EQ(HeldIn(engine).proved[0].why,
            log + R"(it has unit "u" while copy engines bring what it reads, which others delay)");
  JsonScenario handed = ALogInTwoHalves("dram");
  handed.profile += R"(, "hand_overs": [{"from": "v", "to": "u", "bytes": 64, "median_us": 40}])";
  const Held held = HeldIn(handed);
  EXPECT_EQ(held.proved[0].why, log + R"(what unit "v" hands over to unit "u" takes it longer)");
  EXPECT_GT(held.seen[0], microseconds{3 + 9});
  JsonScenario two = ALogInTwoHalves();
  two.models[1] = kAThenBAndC;
  two.platform.pop_back();
  two.platform += ", " + UnitIn("dram", "w") + "]";
  two.profile.pop_back();
  two.profile += ", " + TimeOf(1, "c", "w", 3) + "]";
  EXPECT_EQ(HeldIn(two).proved[0].why, log + R"(it has unit "u" while others bring what it reads, too)");
}

// `both` of two cores, `one` and `two` of one each.
JsonScenario TwoCores(const std::string& streams, const std::string& entries,
                      const std::string& of_one = "") {
  return {R"("memories": [{"name": "dram"}, {"name": "far"}], "links": [{"from": "dram", "to": "far",
             "latency_us": 0, "bandwidth_bytes_per_s": 64000000}], "units": [)" +
              UnitIn("dram", "both", R"(, "cores": [0, 1])") + ", " +
              UnitIn("dram", "one", R"(, "cores": [0])" + of_one) + ", " +
              UnitIn("dram", "two", R"(, "cores": [1])") + "]",
          R"("entries": [)" + entries + "]",
          {kA, kA, kA},
          R"("transfer": "none", "streams": [)" + streams + "]"};
}

const std::string kNineOnBoth = TimeOf(0, "a", "both", 9);
const std::string kBrakeOnBoth = Every(61, "brake", 0, kCriticalOne);

TEST(WorstOfSharedCores, WaitsForTheLongestOfThoseThatRunAtOnce) {
  const Held held =
      HeldIn(TwoCores(kBrakeOnBoth + ", " + AllAtOnce("log", 1) + ", " + AllAtOnce("cabin", 2),
                      kNineOnBoth + ", " + TimeOf(1, "a", "one", 19) + ", " + TimeOf(2, "a", "two", 14)));
  // Both cores may be at work when it comes, and neither begins anything while it waits: 19, not 19 + 14.
  EXPECT_EQ(held.proved[0].longest, microseconds{19 + 9}) << held.proved[0].why;
  EXPECT_LE(held.seen[0], *held.proved[0].longest);
  EXPECT_GT(held.seen[0], microseconds{14 + 9});
  EXPECT_EQ(held.proved[1].why, R"(units "one" and "both" keep each other waiting)");
}

TEST(WorstOfSharedCores, IsNotDelayedByCoresThatItsUnitHasNot) {
  const Held held = HeldIn(TwoCores(
      kBrakeOnBoth + ", " + AllAtOnce("log", 1) + ", " + AllAtOnce("cabin", 2),
      TimeOf(0, "a", "one", 9) + ", " + TimeOf(1, "a", "both", 14) + ", " + TimeOf(2, "a", "two", 19)));
  EXPECT_EQ(held.proved[0].longest, microseconds{14 + 9}) << held.proved[0].why;
  EXPECT_LE(held.seen[0], *held.proved[0].longest);
}

TEST(WorstOfSharedCores, OtherCriticalStreamsOfTheseCoresComeBeforeIt) {
  const Held held =
      HeldIn(TwoCores(kBrakeOnBoth + ", " + Every(100, "lane", 1, kCriticalOne) + ", " + AllAtOnce("log", 2),
                      kNineOnBoth + ", " + TimeOf(1, "a", "one", 5) + ", " + TimeOf(2, "a", "two", 19)));
  // 19 us that `two` has begun; shortly before they end `one` takes 5 us: then 9. The lane waits for the
  // brake's 9 us alone: what `two` does is nothing to it.
  EXPECT_EQ(held.proved[0].longest, microseconds{19 + 5 + 9}) << held.proved[0].why;
  EXPECT_EQ(held.proved[1].longest, microseconds{9 + 5}) << held.proved[1].why;
  EXPECT_LE(held.seen[0], *held.proved[0].longest);
  EXPECT_LE(held.seen[1], *held.proved[1].longest);
}

// The lane may wait for 70 us behind the log on `both`, and then two of its requests follow each other.
TEST(WorstOfSharedCores, CountsWhatOtherCriticalStreamsHadNotDoneYet) {
  const Held held = HeldIn(TwoCores(
      Every(400, "brake", 0, kCriticalOne) + ", " + Every(50, "lane", 1, kCriticalOne) + ", " +
          AllAtOnce("log", 2),
      TimeOf(0, "a", "two", 9) + ", " + TimeOf(1, "a", "both", 5) + ", " + TimeOf(2, "a", "one", 70)));
  // Lane: 70 of the log, 9 of the brake and its own 5; the one after it: 70 + 9 + 2 x 5 - 50, which is less.
  EXPECT_EQ(held.proved[1].longest, microseconds{70 + 9 + 5}) << held.proved[1].why;
  // Brake: lanes of the last 84 us and while it waits: w = 5 (floor((w + 84) / 50) + 1) = 10, then 9.
  EXPECT_EQ(held.proved[0].longest, microseconds{5 + 5 + 9}) << held.proved[0].why;
  EXPECT_LE(held.seen[0], *held.proved[0].longest);
  EXPECT_LE(held.seen[1], *held.proved[1].longest);
}

TEST(WorstOfSharedCores, SaysWhyNothingIsProved) {
  const std::string streams = kBrakeOnBoth + ", " + AllAtOnce("log", 1);
  const std::string entries = kNineOnBoth + ", " + TimeOf(1, "a", "one", 19);
  EXPECT_EQ(HeldIn(TwoCores(streams, entries, R"(, "slots": 2, "time_shared": true)")).proved[0].why,
            R"(unit "one", which shares cores or a device with its own, shares its time among its slots)");
  JsonScenario engine = TwoCores(streams, entries);
  PutInstead(engine.platform, R"("memory": "dram", "cores": [0]})", R"("memory": "far", "cores": [0]})");
  PutInstead(engine.platform, "64000000", R"(64000000, "engine": true)");
  PutInstead(engine.scenario, R"("none")", R"("copy")");
  EXPECT_EQ(
      HeldIn(engine).proved[0].why,
      R"("log" may have begun a task, and it has unit "one" while copy engines bring what it reads, which )"
      "others delay");
}

// 64 bytes take 1 us alone, and three units may copy at once over the link: 3 us there, 3 us back.
TEST(WorstOfSharedCores, CountsWhatTheirUnitsCopyThereAndBack) {
  JsonScenario text =
      TwoCores(kBrakeOnBoth + ", " + AllAtOnce("log", 1), kNineOnBoth + ", " + TimeOf(1, "a", "one", 19));
  PutInstead(text.platform, R"("memory": "dram", "cores": [0]})", R"("memory": "far", "cores": [0]})");
  PutInstead(text.scenario, R"("none")", R"("copy")");
  const Held held = HeldIn(text);
  ASSERT_TRUE(held.proved[0].longest) << held.proved[0].why;
  // Rates are whole thousandths: a third is 333 of them, so 3.003003... us, up to the next nanosecond.
  EXPECT_EQ(*held.proved[0].longest, Nanos{3004} + microseconds{19} + Nanos{3004} + microseconds{9});
  EXPECT_LE(held.seen[0], *held.proved[0].longest);
  EXPECT_GT(held.seen[0], microseconds{19 + 9});
}

}  // namespace
}  // namespace tandem
