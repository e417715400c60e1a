// Does an instant mean what the semantics page says: copies, loads, engines, dispatch, rates, drops,
// dependencies?
#include <gtest/gtest.h>

#include "profiles/base/input_error.h"
#include "tests/support/json_scenario.h"
#include "tests/support/run_policy.h"
#include "tests/support/span_lines.h"

namespace tandem {
namespace {

using std::chrono::microseconds;

using Lines = std::vector<std::string>;

Outcome RunSeen(const JsonScenario& json, const std::string& policy, SpanLines& seen) {
  RunOptions options;
  options.spans = &seen;
  return RunPolicy(json.Read(), policy, options);
}

// 256 elements: a microsecond over the link in fp32.
const std::string kImage = R"({"name": "in", "op": "input", "shape": [1, 1, 16, 16]})";
const std::string kOneRelu = "[" + kImage + R"(, {"name": "a", "op": "relu", "inputs": ["in"]}])";
const std::string kFork = "[" + kImage + R"(, {"name": "a", "op": "relu", "inputs": ["in"]},
                           {"name": "b", "op": "tanh", "inputs": ["in"]}])";

std::string BoardOf(const std::string& u0, const std::string& u1, bool engine = false) {
  return R"("memories": [{"name": "dram"}, {"name": "vram"}],
            "links": [{"from": "dram", "to": "vram", "latency_us": 0, "bandwidth_bytes_per_s": 1024000000, "engine": )" +
         std::string(engine ? "true" : "false") + R"(}],
            "units": [{"name": "u0", "kind": "cpu", )" +
         u0 + R"(}, {"name": "u1", "kind": "gpu", )" + u1 + "}]";
}

std::string TimeOn(const std::string& unit, const std::string& layers, double us,
                   const std::string& model = "m0.json") {
  return R"({"model": ")" + model + R"(", "unit": ")" + unit + R"(", "layers": )" + layers +
         R"(, "median_us": )" + std::to_string(us) + "}";
}

std::string OfflineStream(int count, const std::string& more = "", const std::string& model = "m0.json") {
  return R"("streams": [{"name": "s", "model": ")" + model + R"(", "count": )" + std::to_string(count) +
         R"(, "arrival": {"type": "offline"}}])" + more;
}

TEST(Copies, GoInBeforeTheWorkAndOutAfterIt) {
  const JsonScenario json{BoardOf(R"("memory": "dram")", R"("memory": "vram", "dispatch_us": 3)"),
                          R"("entries": [)" + TimeOn("u1", R"("*")", 10) + "]",
                          {kOneRelu},
                          OfflineStream(2)};
  SpanLines seen;
  const Outcome outcome = RunSeen(json, R"("fcfs")", seen);
  EXPECT_EQ(seen.lines(),
            (Lines{"u1 transfer #0 0-1000", "u1 compute #0 1000-14000", "u1 transfer #0 14000-15000",
                   "u1 transfer #1 15000-16000", "u1 compute #1 16000-29000", "u1 transfer #1 29000-30000"}));
  EXPECT_EQ(outcome.makespan(), microseconds{30});
  EXPECT_EQ(outcome.units[1].busy, microseconds{30});
  EXPECT_EQ(outcome.units[1].tasks, 2);
}

TEST(Copies, AreLeftOutWhereTheScenarioSaysNone) {
  const JsonScenario json{BoardOf(R"("memory": "dram")", R"("memory": "vram")"),
                          R"("entries": [)" + TimeOn("u1", R"("*")", 10) + "]",
                          {kOneRelu},
                          OfflineStream(2, R"(, "transfer": "none")")};
  EXPECT_EQ(RunPolicy(json.Read(), R"("fcfs")").makespan(), microseconds{20});
}

TEST(Copies, TakeAsLongAsMeasuredForTheirSize) {
  const JsonScenario json{BoardOf(R"("memory": "dram")", R"("memory": "vram")"),
                          R"("entries": [)" + TimeOn("u1", R"("*")", 10) + R"(], "transfers": [
                            {"from": "dram", "to": "vram", "bytes": 512, "median_us": 4},
                            {"from": "dram", "to": "vram", "bytes": 1536, "median_us": 8}])",
                          {kOneRelu},
                          OfflineStream(1)};
  EXPECT_EQ(RunPolicy(json.Read(), R"("fcfs")").makespan(),
            microseconds{6 + 10 + 1});  // measured one way only
}

TEST(Copies, BringATensorInOnceAndASecondReaderWaitsForIt) {
  const JsonScenario json{
      BoardOf(R"("memory": "vram")", R"("memory": "vram")"),
      R"("entries": [)" + TimeOn("u0", R"(["a"])", 10) + ", " + TimeOn("u1", R"(["b"])", 5) + "]",
      {kFork},
      OfflineStream(1)};
  SpanLines seen;
  RunSeen(json, R"({"name": "fcfs", "granularity": "layer"})", seen);
  EXPECT_EQ(seen.lines(),
            (Lines{"u0 transfer #0 0-1000", "u1 compute #0 1000-6000", "u1 transfer #0 6000-7000",
                   "u0 compute #0 1000-11000", "u0 transfer #0 11000-12000"}));
}

TEST(Copies, OfAnEngineLeaveTheSlotFree) {
  const JsonScenario json{BoardOf(R"("memory": "dram")", R"("memory": "vram")", true),
                          R"("entries": [)" + TimeOn("u1", R"("*")", 10) + "]",
                          {kOneRelu},
                          OfflineStream(2)};
  SpanLines seen;
  const Outcome outcome = RunSeen(json, R"("fcfs")", seen);
  EXPECT_EQ(seen.lines(),
            (Lines{"u2 transfer #0 0-1000", "u1 compute #0 1000-11000", "u2 transfer #0 11000-12000",
                   "u2 transfer #1 12000-13000", "u1 compute #1 13000-23000", "u2 transfer #1 23000-24000"}));
  EXPECT_EQ(outcome.units[1].busy, microseconds{20});
}

TEST(Mapping, ReadsElsewhereInTheTimeMeasuredForIt) {
  const std::string mapped =
      R"({"model": "m0.json", "unit": "u1", "layers": ["a"], "mapped": true, "median_us": 12})";
  const JsonScenario json{BoardOf(R"("memory": "dram")", R"("memory": "vram")"),
                          R"("entries": [)" + TimeOn("u1", R"(["a"])", 10) + ", " + mapped + "]",
                          {kOneRelu},
                          OfflineStream(1, R"(, "transfer": "zero_copy")")};
  EXPECT_EQ(RunPolicy(json.Read(), R"("fcfs")").makespan(), microseconds{12});
}

TEST(Loads, ArePaidByEachModelThatTakesAnothersPlace) {
  const std::string entries = R"("entries": [)" + TimeOn("u1", R"("*")", 10) + ", " +
                              TimeOn("u1", R"("*")", 20, "m1.json") + R"(], "loads": [
      {"model": "m0.json", "unit": "u1", "median_us": 5}, {"model": "m1.json", "unit": "u1", "median_us": 7}])";
  const JsonScenario json{BoardOf(R"("memory": "dram")", R"("memory": "dram", "resident_models": 1)"),
                          entries,
                          {kOneRelu, kFork},
                          R"("resident": {"u1": ["m0.json"]}, "streams": [
      {"name": "x", "model": "m0.json", "count": 2, "arrival": {"type": "closed"}},
      {"name": "y", "model": "m1.json", "count": 1, "arrival": {"type": "offline"}}])"};
  SpanLines seen;
  RunSeen(json, R"("fcfs")", seen);
  EXPECT_EQ(seen.lines(),
            (Lines{"u1 compute #0 0-10000", "u1 load #0 10000-17000", "u1 compute #0 17000-37000",
                   "u1 load #1 37000-42000", "u1 compute #1 42000-52000"}));
}

TEST(Memory, HoldsATaskBackUntilItsTensorsHaveRoom) {
  // What a task reads and makes is 2048 bytes; two slots would need twice that.
  const JsonScenario json{R"("memories": [{"name": "dram"}, {"name": "vram", "capacity_bytes": 3000}],
      "links": [{"from": "dram", "to": "vram", "latency_us": 0, "bandwidth_bytes_per_s": 1024000000}],
      "units": [{"name": "u0", "kind": "gpu", "memory": "vram", "slots": 2}])",
                          R"("entries": [)" + TimeOn("u0", R"("*")", 10) + "]",
                          {kOneRelu},
                          OfflineStream(2)};
  SpanLines seen;
  const Outcome outcome = RunSeen(json, R"("fcfs")", seen);
  EXPECT_EQ(outcome.makespan(), microseconds{24});
}

TEST(Memory, ThatNoTaskFitsIsAnError) {
  const JsonScenario json{R"("memories": [{"name": "dram"}, {"name": "vram", "capacity_bytes": 2000}],
      "links": [{"from": "dram", "to": "vram", "latency_us": 0, "bandwidth_bytes_per_s": 1024000000}],
      "units": [{"name": "u0", "kind": "gpu", "memory": "vram"}])",
                          R"("entries": [)" + TimeOn("u0", R"("*")", 10) + "]",
                          {kOneRelu},
                          OfflineStream(1)};
  EXPECT_THROW(RunPolicy(json.Read(), R"("fcfs")"), InputError);
}

TEST(Memory, LimitsWhatAUnitHoldsWhereNobodySaysIt) {
  const std::string fc =
      "[" + kImage + R"(, {"name": "a", "op": "fc", "inputs": ["in"], "out_features": 100}])";
  const JsonScenario json{R"("memories": [{"name": "dram"}, {"name": "vram", "capacity_bytes": 150000}],
      "units": [{"name": "u0", "kind": "cpu", "memory": "dram"}, {"name": "u1", "kind": "gpu", "memory": "vram"}])",
                          R"("entries": [)" + TimeOn("u0", R"("*")", 10) + ", " + TimeOn("u1", R"("*")", 5) +
                              ", " + TimeOn("u0", R"("*")", 10, "m1.json") + ", " +
                              TimeOn("u1", R"("*")", 2, "m1.json") + "]",
                          {fc, fc},
                          R"("transfer": "none", "streams": [
      {"name": "x", "model": "m0.json", "count": 1, "arrival": {"type": "offline"}},
      {"name": "y", "model": "m1.json", "count": 1, "arrival": {"type": "offline"}}])"};
  const Scenario scenario = json.Read();
  const Problem problem(scenario, Granularity::kModel);
  EXPECT_EQ(problem.WeightBytes(ModelId(0), UnitId(1)), (256 * 100 + 100) * 4);
  EXPECT_TRUE(problem.MayChooseResidents(UnitId(1)));
  EXPECT_FALSE(problem.Resident(ModelId(0), UnitId(1)));
  EXPECT_TRUE(problem.Resident(ModelId(1), UnitId(1)));  // five times faster than elsewhere, not twice
  EXPECT_TRUE(problem.Resident(ModelId(0), UnitId(0)));
}

TEST(Rates, ALoadOf40PercentLeaves600Thousandths) {
  const JsonScenario json{BoardOf(R"("memory": "dram")", R"("memory": "dram")"),
                          R"("entries": [)" + TimeOn("u1", R"("*")", 0.003) + "]",
                          {kOneRelu},
                          OfflineStream(2, R"(, "background": [{"unit": "u1", "load_pct": 40}])")};
  // 3 ns at 600 thousandths: 5 ns, twice.
  EXPECT_EQ(RunPolicy(json.Read(), R"("fcfs")").makespan(), Nanos{10});
}

TEST(Rates, AMeasuredSlowdownCountsInsteadOfTheEstimate) {
  const JsonScenario json{BoardOf(R"("memory": "dram")", R"("memory": "dram")"),
                          R"("entries": [)" + TimeOn("u1", R"("*")", 10) +
                              R"(], "background": [{"unit": "u1", "load_pct": 40, "slowdown": 1.25}])",
                          {kOneRelu},
                          OfflineStream(1, R"(, "background": [{"unit": "u1", "load_pct": 40}])")};
  EXPECT_EQ(RunPolicy(json.Read(), R"("fcfs")").makespan(), Nanos{12500});
}

TEST(Rates, ChangeWithWhatRunsBeside) {
  const JsonScenario json{BoardOf(R"("memory": "dram")", R"("memory": "dram")"),
                          R"("entries": [)" + TimeOn("u0", R"("*")", 10) + ", " + TimeOn("u1", R"("*")", 10) +
                              R"(], "co_running": [{"unit": "u0", "beside": "u1", "slowdown": 2}])",
                          {kOneRelu},
                          OfflineStream(2)};
  SpanLines seen;
  RunSeen(json, R"("fcfs")", seen);
  EXPECT_EQ(seen.lines(), (Lines{"u1 compute #1 0-10000", "u0 compute #0 0-15000"}));  // half done beside u1
}

TEST(Rates, CarryWhatIsDoneBeyondAStepOnToTheNext) {
  // In 4 ns, work 1 ns, out 4 ns: together 9 ns at 300 thousandths are 30 ns; rounded step by step they would
  // be 32.
  const JsonScenario json{R"("memories": [{"name": "dram"}, {"name": "vram"}],
      "links": [{"from": "dram", "to": "vram", "latency_us": 0.003, "bandwidth_bytes_per_s": 1e15}],
      "units": [{"name": "u1", "kind": "gpu", "memory": "vram"}])",
                          R"("entries": [)" + TimeOn("u1", R"("*")", 0.001) + "]",
                          {kOneRelu},
                          OfflineStream(1, R"(, "background": [{"unit": "u1", "load_pct": 70}])")};
  EXPECT_EQ(RunPolicy(json.Read(), R"("fcfs")").makespan(), Nanos{30});
}

TEST(Drops, HappenWhenTheDeadlinePassesBeforeAnythingStarted) {
  const JsonScenario json{
      BoardOf(R"("memory": "dram")", R"("memory": "dram")"),
      R"("entries": [)" + TimeOn("u0", R"("*")", 10) + "]",
      {kOneRelu},
      R"("streams": [{"name": "s", "model": "m0.json", "count": 3, "arrival": {"type": "offline"},
                              "deadline_us": 10, "drop_late": true}])"};
  SpanLines seen;
  const Outcome outcome = RunSeen(json, R"("fcfs")", seen);
  EXPECT_EQ(seen.drops,
            (std::vector<std::pair<std::int32_t, Nanos>>{{1, microseconds{10}}, {2, microseconds{10}}}));
  EXPECT_EQ(outcome.streams[0].completed(), 1);
  EXPECT_EQ(outcome.streams[0].dropped, 2);
  EXPECT_EQ(outcome.streams[0].missed, 2);  // the first is done exactly at its deadline
}

// A frame every 4 us, 10 us of work each, one unit.
JsonScenario Camera(const std::string& more) {
  return {
      BoardOf(R"("memory": "dram")", R"("memory": "dram")"),
      R"("entries": [)" + TimeOn("u0", R"("*")", 10) + "]",
      {kOneRelu},
      R"("streams": [{"name": "s", "model": "m0.json", "count": 6, "arrival": {"type": "periodic", "period_us": 4}, )" +
          more + "}]"};
}

using DropDates = std::vector<std::pair<std::int32_t, Nanos>>;

TEST(Drops, ForANewerRequestTheOldestThatWaitsGoes) {
  SpanLines seen;
  const Outcome outcome = RunSeen(Camera(R"("keep_latest": 1)"), R"("fcfs")", seen);
  // 0 runs until 10, then 2, until 20, then 5, which came at 20: releases come before units are asked.
  EXPECT_EQ(seen.drops, (DropDates{{1, microseconds{8}}, {3, microseconds{16}}, {4, microseconds{20}}}));
  EXPECT_EQ(outcome.streams[0].completed(), 3);
  EXPECT_EQ(outcome.streams[0].dropped, 3);
  EXPECT_EQ(outcome.makespan(), microseconds{30});
}

TEST(Drops, SoManyThatWaitStayAsTheStreamKeeps) {
  SpanLines seen;
  EXPECT_EQ(RunSeen(Camera(R"("keep_latest": 2)"), R"("fcfs")", seen).streams[0].completed(), 4);
  EXPECT_EQ(seen.drops, (DropDates{{2, microseconds{16}}, {3, microseconds{20}}}));
  SpanLines all;
  EXPECT_EQ(RunSeen(Camera(R"("keep_latest": 6)"), R"("fcfs")", all).streams[0].completed(), 6);
  EXPECT_TRUE(all.drops.empty());
}

TEST(Drops, ForNewerOnesAndAtTheDeadlineGoTogether) {
  SpanLines seen;
  RunSeen(Camera(R"("keep_latest": 2, "deadline_us": 9, "drop_late": true)"), R"("fcfs")", seen);
  EXPECT_EQ(seen.drops, (DropDates{{2, microseconds{16}}, {3, microseconds{20}}, {5, microseconds{29}}}));
}

// A frame every 4 us, found on u0 in 2 us; what it shows is seen by u1 in 10, and is too old after 9.
TEST(Drops, OfWhatHangsOnAFrameHappenAtTheAgeOfTheFrame) {
  const auto watched = [](const std::string& more) {
    return JsonScenario{
        BoardOf(R"("memory": "dram")", R"("memory": "dram")"),
        R"("entries": [)" + TimeOn("u0", R"("*")", 2) + ", " + TimeOn("u1", R"("*")", 10, "m1.json") + "]",
        {kOneRelu, kFork},
        R"("streams": [{"name": "frame", "model": "m0.json", "count": 5,
                        "arrival": {"type": "periodic", "period_us": 4}},
                       {"name": "seen", "model": "m1.json", "depends_on": {"stream": "frame"},
                        "end_to_end_deadline_us": 9, "drop_late": true)" +
            more + "}]"};
  };
  SpanLines seen;
  const Outcome outcome = RunSeen(watched(""), R"("fcfs")", seen);
  // 0 runs from 2 until 12, 1, whose frame is too old at 13, until 22, and 4, whose frame is of 16, until 32.
  EXPECT_EQ(seen.drops, (DropDates{{2, microseconds{17}}, {3, microseconds{21}}}));
  EXPECT_EQ(outcome.streams[1].missed, 5);
  // By its own deadline, 5 us after it was found: 2, found at 10, is begun at 12, 4 at 22.
  SpanLines own;
  RunSeen(watched(R"(, "deadline_us": 5)"), R"("fcfs")", own);
  EXPECT_EQ(own.drops, (DropDates{{1, microseconds{11}}, {3, microseconds{19}}}));
}

// Found late: u0 takes 12 us for each frame.
TEST(Drops, OfWhatIsTooOldWhenItComesHappenAtItsRelease) {
  SpanLines seen;
  const JsonScenario json{
      BoardOf(R"("memory": "dram")", R"("memory": "dram")"),
      R"("entries": [)" + TimeOn("u0", R"("*")", 12) + ", " + TimeOn("u1", R"("*")", 1, "m1.json") + "]",
      {kOneRelu, kFork},
      R"("streams": [{"name": "frame", "model": "m0.json", "count": 3, "arrival": {"type": "offline"}},
                     {"name": "seen", "model": "m1.json", "depends_on": {"stream": "frame"},
                      "end_to_end_deadline_us": 24, "drop_late": true}])"};
  EXPECT_EQ(RunSeen(json, R"("fcfs")", seen).streams[1].completed(), 1);
  EXPECT_EQ(seen.drops, (DropDates{{1, microseconds{24}}, {2, microseconds{36}}}));
}

TEST(Dependencies, OfEveryNthRequestAloneSkipTheOthers) {
  const JsonScenario json{
      BoardOf(R"("memory": "dram")", R"("memory": "dram")"),
      R"("entries": [)" + TimeOn("u0", R"("*")", 10) + "]",
      {kOneRelu},
      R"("streams": [{"name": "a", "model": "m0.json", "count": 7, "arrival": {"type": "offline"}},
                     {"name": "b", "model": "m0.json", "depends_on": {"stream": "a", "every": 3}},
                     {"name": "c", "model": "m0.json", "depends_on": {"stream": "b", "every": 2}},
                     {"name": "d", "model": "m0.json", "depends_on": {"stream": "a", "joins": ["b"], "every": 2}}])"};
  const Outcome outcome = RunPolicy(json.Read(), R"("fcfs")");
  EXPECT_EQ(outcome.streams[1].completed(), 3);  // 0, 3, 6
  EXPECT_EQ(outcome.streams[2].completed(), 2);  // 0, 6
  EXPECT_EQ(outcome.streams[3].completed(), 4);  // 0, 2, 4, 6
  EXPECT_EQ(outcome.streams[0].skipped, 0);
  EXPECT_EQ(outcome.streams[1].skipped, 4);  // 1, 2, 4, 5
  EXPECT_EQ(outcome.streams[2].skipped, 1);  // 3
  EXPECT_EQ(outcome.streams[3].skipped, 3);  // 1, 3, 5
}

// 0 runs until 10, 2, which is of 8, until 20, and 5, which is of 20, until 30; 1, 3 and 4 are dropped. Of
// those that completed every second index is followed: 0 and 2, not 5.
TEST(Dependencies, SkipNoneThatWereDropped) {
  const JsonScenario json{
      BoardOf(R"("memory": "dram")", R"("memory": "dram")"),
      R"("entries": [)" + TimeOn("u0", R"("*")", 10) + ", " + TimeOn("u1", R"("*")", 1, "m1.json") + "]",
      {kOneRelu, kFork},
      R"("streams": [{"name": "a", "model": "m0.json", "count": 6, "keep_latest": 1,
                      "arrival": {"type": "periodic", "period_us": 4}},
                     {"name": "b", "model": "m1.json", "depends_on": {"stream": "a", "every": 2}}])"};
  const Outcome outcome = RunPolicy(json.Read(), R"("fcfs")");
  EXPECT_EQ(outcome.streams[0].dropped, 3);
  EXPECT_EQ(outcome.streams[1].completed(), 2);
  EXPECT_EQ(outcome.streams[1].skipped, 1);
}

// Of seven every third might be followed, 0, 3 and 6, of which chance takes none: 1, 2, 4 and 5 are skipped.
TEST(Dependencies, SkipNoneThatChanceLeavesOut) {
  const JsonScenario json{
      BoardOf(R"("memory": "dram")", R"("memory": "dram")"),
      R"("entries": [)" + TimeOn("u0", R"("*")", 10) + "]",
      {kOneRelu},
      R"("streams": [{"name": "a", "model": "m0.json", "count": 7, "arrival": {"type": "offline"}},
                     {"name": "b", "model": "m0.json", "depends_on": {"stream": "a", "every": 3, "probability": 0}}])"};
  const Outcome outcome = RunPolicy(json.Read(), R"("fcfs")");
  EXPECT_EQ(outcome.streams[1].completed(), 0);
  EXPECT_EQ(outcome.streams[1].skipped, 4);
}

TEST(Dependencies, ReleaseWhenTheParentCompletes) {
  const JsonScenario json{
      BoardOf(R"("memory": "dram")", R"("memory": "dram")"),
      R"("entries": [)" + TimeOn("u0", R"("*")", 10) + ", " + TimeOn("u1", R"("*")", 4, "m1.json") + "]",
      {kOneRelu, kFork},
      R"("streams": [
      {"name": "parent", "model": "m0.json", "count": 2, "arrival": {"type": "offline"}},
      {"name": "child", "model": "m1.json", "depends_on": {"stream": "parent"}}])"};
  const Outcome outcome = RunPolicy(json.Read(), R"("fcfs")");
  EXPECT_EQ(outcome.streams[1].first_release, microseconds{10});
  EXPECT_EQ(outcome.streams[1].latencies, (std::deque<Nanos>{microseconds{4}, microseconds{4}}));
}

TEST(ClosedStreams, KeepTheirNumberInFlight) {
  const JsonScenario json{BoardOf(R"("memory": "dram")", R"("memory": "dram")"),
                          R"("entries": [)" + TimeOn("u0", R"("*")", 10) + "]",
                          {kOneRelu},
                          R"("streams": [
      {"name": "s", "model": "m0.json", "count": 4, "arrival": {"type": "closed", "in_flight": 2}}])"};
  const Outcome outcome = RunPolicy(json.Read(), R"("fcfs")");
  EXPECT_EQ(outcome.streams[0].latencies,
            (std::deque<Nanos>{microseconds{10}, microseconds{20}, microseconds{20}, microseconds{20}}));
}

}  // namespace
}  // namespace tandem
