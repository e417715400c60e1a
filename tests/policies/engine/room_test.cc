// Does full memory delay and never stop a run, is what can never be finished refused with the bytes that are
// missing, and is a model loaded once?
#include <gtest/gtest.h>

#include <algorithm>

#include "policies/engine/request_peaks.h"
#include "policies/engine/virtual_runner.h"
#include "policies/kinds/scheduled_policy.h"
#include "profiles/base/input_error.h"
#include "tests/support/json_scenario.h"
#include "tests/support/run_policy.h"
#include "tests/support/span_lines.h"

namespace tandem {
namespace {

using std::chrono::microseconds;

constexpr std::int64_t kTensor = 65536;  // what every layer of these models makes
const std::string kInput = R"({"name": "in", "op": "input", "shape": [1, 16, 32, 32]})";

std::string Layer(const std::string& name, const std::string& op, const std::string& inputs) {
  return R"(, {"name": ")" + name + R"(", "op": ")" + op + R"(", "inputs": [)" + inputs + "]}";
}

const std::string kDiamond = "[" + kInput + Layer("a", "relu", R"("in")") + Layer("b", "relu", R"("a")") +
                             Layer("c", "tanh", R"("a")") + Layer("d", "add", R"("b", "c")") +
                             Layer("e", "relu", R"("d")") + "]";
// b and a wait for the end, so that there are four tensors at once though no task has more than three.
const std::string kNested = "[" + kInput + Layer("a", "relu", R"("in")") + Layer("b", "relu", R"("a")") +
                            Layer("c", "relu", R"("b")") + Layer("d", "relu", R"("c")") +
                            Layer("e", "add", R"("d", "b")") + Layer("f", "add", R"("e", "a")") + "]";
// Eight tensors where all begins that can, seven one after the other.
const std::string kFan = "[" + kInput + Layer("a", "relu", R"("in")") + Layer("b1", "relu", R"("a")") +
                         Layer("b2", "relu", R"("a")") + Layer("b3", "relu", R"("a")") +
                         Layer("b4", "relu", R"("a")") + Layer("b5", "relu", R"("a")") +
                         Layer("b6", "relu", R"("a")") + Layer("s1", "add", R"("b1", "b2")") +
                         Layer("s2", "add", R"("s1", "b3")") + Layer("s3", "add", R"("s2", "b4")") +
                         Layer("s4", "add", R"("s3", "b5")") + Layer("s5", "add", R"("s4", "b6")") + "]";
const std::vector<std::string> kFanLayers = {"a",  "b1", "b2", "b3", "b4", "b5",
                                             "b6", "s1", "s2", "s3", "s4", "s5"};
const std::string kChain = "[" + kInput + Layer("a", "relu", R"("in")") + Layer("b", "relu", R"("a")") + "]";

// Units of one memory, each with the layers that it runs: all take 10 us.
Scenario RoomBoard(const std::vector<std::vector<std::string>>& units, std::int64_t capacity,
                   const std::string& model, const std::string& stream) {
  JsonScenario json;
  json.platform =
      R"("memories": [{"name": "dram", "capacity_bytes": )" + std::to_string(capacity) + R"(}], "units": [)";
  json.profile = R"("entries": [)";
  for (std::size_t u = 0; u < units.size(); ++u) {
    const std::string name = "u" + std::to_string(u);
    json.platform +=
        (u > 0 ? ", " : "") + (R"({"name": ")" + name + R"(", "kind": "cpu", "memory": "dram"})");
    for (const std::string& layer : units[u]) {
      json.profile += json.profile.ends_with("[") ? "" : ", ";
      json.profile += R"({"model": "m0.json", "unit": ")" + name + R"(", "layers": [")" + layer +
                      R"("], "median_us": 10})";
    }
  }
  json.platform += "]";
  json.profile += "]";
  json.models = {model};
  json.scenario = R"("streams": [{"name": "s", "model": "m0.json", )" + stream + "}]";
  return json.Read();
}

Scenario RoomBoard(std::size_t units, std::int64_t capacity, const std::string& model,
                   const std::vector<std::string>& layers, const std::string& stream) {
  return RoomBoard(std::vector(units, layers), capacity, model, stream);
}

// a on u0 and b on u1, with room for both tasks and for one request: 131072 bytes.
Scenario ChainOnTwo(const std::string& stream) { return RoomBoard({{"a"}, {"b"}}, 200000, kChain, stream); }

std::string OfflineOf(int count) {
  return R"("count": )" + std::to_string(count) + R"(, "arrival": {"type": "offline"})";
}

std::string ByLayer(const std::string& policy) {
  return R"({"name": ")" + policy + R"(", "granularity": "layer"})";
}

std::string WhatOf(const Scenario& scenario, const std::string& policy) {
  try {
    RunPolicy(scenario, policy);
  } catch (const InputError& error) {
    return error.what();
  }
  return "ran";
}

TEST(Room, ThatIsFullDelaysRequestsAndNeverStopsThem) {
  const Scenario scenario = RoomBoard(2, 400000, kDiamond, {"a", "b", "c", "d", "e"}, OfflineOf(40));
  for (const char* policy : {"fcfs", "sjf", "lst", "eft", "fastest_unit", "round_robin", "random", "dmda",
                             "heft", "cpop", "peft", "priority_ageing", "edf"}) {
    const Outcome outcome = RunPolicy(scenario, ByLayer(policy));
    EXPECT_EQ(outcome.streams[0].latencies.size(), 40U) << policy;
    EXPECT_TRUE(outcome.complete) << policy;
  }
}

TEST(Room, OfARequestIsForTheMostThatItEverHolds) {
  const auto peaks = [](const std::string& model, const std::vector<std::string>& layers) {
    const Scenario scenario = RoomBoard(1, 10 * kTensor, model, layers, OfflineOf(1));
    const Problem problem(scenario, Granularity::kLayer);
    return PeaksOf(problem, problem.cuts()[0]);
  };
  const RequestPeaks diamond = peaks(kDiamond, {"a", "b", "c", "d", "e"});
  EXPECT_EQ(diamond.at_once, std::vector{3 * kTensor});
  EXPECT_EQ(diamond.in_order, std::vector{3 * kTensor});
  const RequestPeaks nested = peaks(kNested, {"a", "b", "c", "d", "e", "f"});
  EXPECT_EQ(nested.at_once, std::vector{4 * kTensor});
  EXPECT_EQ(nested.in_order, std::vector{4 * kTensor});
  const RequestPeaks fan = peaks(kFan, kFanLayers);
  EXPECT_EQ(fan.at_once, std::vector{8 * kTensor});
  EXPECT_EQ(fan.in_order, std::vector{7 * kTensor});
}

TEST(Room, ThatWillNeverDoIsRefusedWithTheBytesThatAreMissing) {
  const Scenario scenario = RoomBoard(2, 250000, kNested, {"a", "b", "c", "d", "e", "f"}, OfflineOf(3));
  const std::string what = WhatOf(scenario, ByLayer("fcfs"));
  EXPECT_NE(what.find(":/streams/0: a request of stream \"s\", cut into 6 tasks, holds up to 262144 bytes in "
                      "memory \"dram\", where weights leave room for 250000: 12144 bytes are missing"),
            std::string::npos)
      << what;
  EXPECT_EQ(WhatOf(scenario, R"("fcfs")"), "ran");  // whole models hold less
}

TEST(Room, OfAMemoryThatIsSmallerThanOneTaskIsRefusedWithTheBytesThatAreMissing) {
  const Scenario scenario = RoomBoard(1, 100000, kChain, {"a", "b"}, OfflineOf(1));
  const std::string what = WhatOf(scenario, ByLayer("fcfs"));
  EXPECT_NE(what.find("unit \"u0\" does not hold the model, for which its memory is 31072 bytes too small"),
            std::string::npos)
      << what;
}

TEST(Room, ForOneTaskAtATimeIsEnough) {
  for (const char* policy : {"fcfs", "eft", "heft", "dmda"}) {
    const Outcome wide =
        RunPolicy(RoomBoard(2, 8 * kTensor, kFan, kFanLayers, OfflineOf(1)), ByLayer(policy));
    EXPECT_LT(wide.makespan(), microseconds{120}) << policy;
    EXPECT_GT(wide.units[1].tasks, 0) << policy;
    const Outcome narrow =
        RunPolicy(RoomBoard(2, 7 * kTensor, kFan, kFanLayers, OfflineOf(1)), ByLayer(policy));
    EXPECT_EQ(narrow.makespan(), microseconds{120}) << policy;
    const Outcome several =
        RunPolicy(RoomBoard(2, 7 * kTensor, kFan, kFanLayers, OfflineOf(7)), ByLayer(policy));
    EXPECT_EQ(several.makespan(), 7 * microseconds{120}) << policy;
  }
}

// Room for one request: the second waits beside an idle unit, and is dropped as if it had never been handed
// out.
TEST(Room, IsWaitedForOutsideOfSlots) {
  const Scenario scenario = ChainOnTwo(OfflineOf(2) + R"(, "deadline_us": 15, "drop_late": true)");
  SpanLines seen;
  RunOptions options;
  options.spans = &seen;
  const Outcome outcome = RunPolicy(scenario, ByLayer("fcfs"), options);
  EXPECT_EQ(seen.lines(), (std::vector<std::string>{"u0 compute #0 0-10000", "u1 compute #0 10000-20000"}));
  EXPECT_EQ(seen.drops, (std::vector<std::pair<std::int32_t, Nanos>>{{1, microseconds{15}}}));
  EXPECT_EQ(outcome.streams[0].missed, 2);
}

TEST(Room, GoesToThoseThatCameFirst) {
  const Scenario scenario = ChainOnTwo(OfflineOf(3));
  SpanLines seen;
  RunOptions options;
  options.spans = &seen;
  RunPolicy(scenario, ByLayer("fcfs"), options);
  EXPECT_EQ(seen.lines(),
            (std::vector<std::string>{"u0 compute #0 0-10000", "u1 compute #0 10000-20000",
                                      "u0 compute #1 20000-30000", "u1 compute #1 30000-40000",
                                      "u0 compute #2 40000-50000", "u1 compute #2 50000-60000"}));
}

// u1 is to run the second request's b first, which cannot begin before the first request has ended.
TEST(Room, ThatARequestWaitsForIsNotWaitedForByUnits) {
  const Scenario scenario = ChainOnTwo(OfflineOf(2));
  const Problem problem(scenario, Granularity::kLayer);
  Decisions decisions;
  decisions.granularity = Granularity::kLayer;
  decisions.residents.resize(2);
  const StreamId stream(std::size_t{0});
  auto schedule = std::make_shared<FixedSchedule>();
  schedule->units = {{{stream, 0, 1, 0, 1}, {stream, 0, 1, 1, 1}},
                     {{stream, 1, 1, 1, 1}, {stream, 1, 1, 0, 1}}};
  decisions.schedule = schedule;
  ScheduledPolicy policy(problem, decisions, CertainRequests(scenario));
  EXPECT_EQ(RunVirtual(problem, policy).makespan(), microseconds{40});
}

// A memory that is full does not keep a task from a unit of another.
TEST(Room, ThatOneMemoryLacksIsLookedForInTheOther) {
  JsonScenario json;
  json.platform = R"("memories": [{"name": "dram", "capacity_bytes": 70000}, {"name": "sram"}],
      "units": [{"name": "u0", "kind": "cpu", "memory": "dram", "slots": 2},
                {"name": "u1", "kind": "cpu", "memory": "sram"}])";
  json.profile = R"("entries": [{"model": "m0.json", "unit": "u0", "layers": "*", "median_us": 10},
                               {"model": "m0.json", "unit": "u1", "layers": "*", "median_us": 10}])";
  json.models = {kChain};
  json.scenario = R"("transfer": "none", "streams": [{"name": "s", "model": "m0.json", "count": 6,
                     "arrival": {"type": "offline"}}])";
  SpanLines seen;
  RunOptions options;
  options.spans = &seen;
  const Outcome outcome = RunPolicy(json.Read(), R"("fcfs")", options);
  EXPECT_EQ(outcome.makespan(), microseconds{30});
  EXPECT_EQ(outcome.units[0].tasks, 3);
  EXPECT_EQ(outcome.units[1].tasks, 3);
}

// 10 us a run, 100 us a load; m0 is there first.
Scenario Loads(int slots, int second) {
  JsonScenario json;
  json.platform = R"("memories": [{"name": "dram"}], "units": [{"name": "u0", "kind": "npu",
      "memory": "dram", "resident_models": 1, "slots": )" +
                  std::to_string(slots) + "}]";
  json.profile = R"("entries": [{"model": "m0.json", "unit": "u0", "layers": "*", "median_us": 10},
                               {"model": "m1.json", "unit": "u0", "layers": "*", "median_us": 10}],
      "loads": [{"model": "m0.json", "unit": "u0", "median_us": 100},
                {"model": "m1.json", "unit": "u0", "median_us": 100}])";
  json.models = {kChain, kDiamond};
  json.scenario = R"("resident": {"u0": ["m0.json"]}, "streams": [
      {"name": "x", "model": "m0.json", "count": 1, "arrival": {"type": "offline"}},
      {"name": "y", "model": "m1.json", "count": )" +
                  std::to_string(second) + R"(, "arrival": {"type": "offline"}}])";
  return json.Read();
}

TEST(Loads, BringAModelOnceHoweverManySlotsWaitForIt) {
  const auto run = [](int slots, int second, std::int64_t& loads) {
    SpanLines seen;
    RunOptions options;
    options.spans = &seen;
    const Outcome outcome = RunPolicy(Loads(slots, second), R"("fcfs")", options);
    loads = std::count_if(seen.lines().begin(), seen.lines().end(),
                          [](const std::string& line) { return line.find(" load ") != std::string::npos; });
    return outcome.makespan();
  };
  std::int64_t loads = 0;
  EXPECT_EQ(run(1, 2, loads), microseconds{130});
  EXPECT_EQ(loads, 1);
  EXPECT_EQ(run(2, 2, loads), microseconds{120});
  EXPECT_EQ(loads, 1);
  EXPECT_EQ(run(3, 3, loads), microseconds{120});
  EXPECT_EQ(loads, 1);
}

// Two units load into a memory that has room for one of the great models beside the other unit's small one.
TEST(Loads, ThatWouldNotFitBesideThoseOfOtherUnitsAreNone) {
  const std::string fc =
      "[" + kInput + R"(, {"name": "a", "op": "fc", "inputs": ["in"], "out_features": 4}])";
  JsonScenario json;
  json.platform = R"("memories": [{"name": "dram"}, {"name": "sram", "capacity_bytes": 600000}],
      "units": [{"name": "u0", "kind": "cpu", "memory": "dram"},
                {"name": "u1", "kind": "npu", "memory": "sram", "resident_models": 1},
                {"name": "u2", "kind": "npu", "memory": "sram", "resident_models": 1}])";
  json.profile = R"("entries": [)";
  std::string loads;
  for (const char* unit : {"u0", "u1", "u2"}) {
    for (const char* model : {"m0.json", "m1.json"}) {
      const std::string of = R"({"model": ")" + std::string(model) + R"(", "unit": ")" + unit + "\"";
      json.profile += (json.profile.ends_with("[") ? "" : ", ") + of + R"(, "layers": "*", "median_us": 10})";
      loads += (loads.empty() ? "" : ", ") + of + R"(, "median_us": 5})";
    }
  }
  json.profile += R"(], "loads": [)" + loads + "]";
  json.models = {fc, kChain};
  json.scenario = R"("transfer": "none", "resident": {"u1": ["m1.json"], "u2": ["m1.json"]}, "streams": [
      {"name": "x", "model": "m0.json", "count": 3, "arrival": {"type": "offline"}},
      {"name": "y", "model": "m1.json", "count": 3, "arrival": {"type": "offline"}}])";
  const Scenario scenario = json.Read();
  const Problem problem(scenario, Granularity::kModel);
  EXPECT_EQ(problem.WeightBytes(ModelId(0), UnitId(1)), (16 * 32 * 32 * 4 + 4) * 4);
  EXPECT_TRUE(problem.MayBeOn(ModelId(0), UnitId(1)));
  EXPECT_FALSE(problem.MayBeOn(ModelId(0), UnitId(2)));
  EXPECT_EQ(problem.WeightsKept(UnitId(1)), problem.WeightBytes(ModelId(0), UnitId(1)));
  EXPECT_EQ(problem.WeightsKept(UnitId(2)), 0);
  for (const char* policy : {R"("fcfs")", R"("eft")", R"("heft")"}) {
    EXPECT_TRUE(RunPolicy(scenario, policy).complete) << policy;
  }
}

// A duration that never passes, where a look at the scenario does not tell.
TEST(Time, ThatStandsStillEndsTheRun) {
  JsonScenario json;
  json.platform = R"("memories": [{"name": "dram"}], "units": [
      {"name": "u0", "kind": "cpu", "memory": "dram"}, {"name": "u1", "kind": "cpu", "memory": "dram"}])";
  json.profile = R"("entries": [{"model": "m0.json", "unit": "u0", "layers": "*", "median_us": 0},
                               {"model": "m0.json", "unit": "u1", "layers": "*", "median_us": 10}])";
  json.models = {kChain};
  json.scenario = R"("streams": [{"name": "s", "model": "m0.json", "duration_ms": 1,
                                  "arrival": {"type": "closed"}}])";
  const std::string what = WhatOf(json.Read(), R"("fcfs")");
  EXPECT_NE(what.find(":/streams/0: the stream does not end: its requests take no time"), std::string::npos)
      << what;
}

TEST(Time, OfARequestThatTakesNoneIsRefusedWhereADurationEndsTheStream) {
  JsonScenario json;
  json.platform =
      R"("memories": [{"name": "dram"}], "units": [{"name": "u0", "kind": "cpu", "memory": "dram"}])";
  json.profile = R"("entries": [{"model": "m0.json", "unit": "u0", "layers": "*", "median_us": 0}])";
  json.models = {kChain};
  const auto with = [&](const std::string& end) {
    json.scenario =
        R"("streams": [{"name": "s", "model": "m0.json", )" + end + R"(, "arrival": {"type": "closed"}}])";
    try {
      return json.Read().name;
    } catch (const InputError& error) {
      return std::string(error.what());
    }
  };
  EXPECT_EQ(with(R"("count": 5)"), "run");
  EXPECT_NE(with(R"("duration_ms": 1)").find(":/streams/0: a request takes no time on any unit"),
            std::string::npos);
}

}  // namespace
}  // namespace tandem
