// Is a layer split where that gains, in the best ratio, and does the run take what was predicted?
#include <gtest/gtest.h>

#include <random>

#include "policies/cutting/chain_placement.h"
#include "policies/cutting/sequential_pieces.h"
#include "policies/engine/draws/sampled_times.h"
#include "policies/engine/virtual_runner.h"
#include "policies/problem/cut_model.h"
#include "tests/support/cut_run.h"
#include "tests/support/json_scenario.h"
#include "tests/support/small_scenario.h"

namespace tandem {
namespace {

using std::chrono::microseconds;
using std::chrono::nanoseconds;
using Lines = std::vector<std::string>;

constexpr const char* kOnce =
    R"("streams": [{"name": "s", "model": "m0.json", "count": 1, "arrival": {"type": "offline"}}])";

// 256 elements: a microsecond over the link in fp32.
Scenario OneLayer(const std::string& u0_us, const std::string& u1_us,
                  const std::string& u1 = R"("memory": "dram")", const std::string& more = "") {
  JsonScenario json;
  json.platform = R"("memories": [{"name": "dram"}, {"name": "vram"}],
      "links": [{"from": "dram", "to": "vram", "latency_us": 0, "bandwidth_bytes_per_s": 1024000000}],
      "units": [{"name": "u0", "kind": "cpu", "memory": "dram"}, {"name": "u1", "kind": "gpu", )" +
                  u1 + "}]";
  json.profile = R"("entries": [{"model": "m0.json", "unit": "u0", "layers": ["a"], "median_us": )" + u0_us +
                 R"(}, {"model": "m0.json", "unit": "u1", "layers": ["a"], "median_us": )" + u1_us + "}]" +
                 more;
  json.models = {
      R"([{"name": "in", "op": "input", "shape": [1, 4, 8, 8]}, {"name": "a", "op": "relu", "inputs": ["in"]}])"};
  json.scenario = kOnce;
  return json.Read();
}

TEST(Split, DividesALayerInTheRatioOfTheUnits) {
  const CutRun run = RunCut(OneLayer("8", "24"), R"("split")");
  EXPECT_EQ(run.tasks, (Lines{"u0: a [channels 0-2]", "u1: a [channels 3-3]"}));
  EXPECT_EQ(run.outcome.makespan(), microseconds{6});
}

TEST(Split, CountsBringInsAndTheWayBack) {
  const CutRun run =
      RunCut(OneLayer("12", "4", R"("memory": "vram")"), R"({"name": "split", "axis": "channels"})");
  EXPECT_EQ(run.tasks, (Lines{"u0: a [channels 0-0]", "u1: a [channels 1-3]"}));
  EXPECT_EQ(run.outcome.makespan(), nanoseconds{1000 + 3000 + 750});
}

TEST(Split, LeavesALayerWholeWhereItDoesNotGain) {
  const std::string slow_start = R"("memory": "dram", "dispatch_us": 7)";
  EXPECT_EQ(RunCut(OneLayer("8", "8", slow_start), R"("split")").tasks, Lines{"u0: all"});
  EXPECT_EQ(RunCut(OneLayer("8.008", "8", slow_start), R"("split")").tasks,
            (Lines{"u0: a [rows 0-6]", "u1: a [rows 7-7]"}));
}

// Of three samples one is of a moment at which the host had the core: no third of the draws is as long.
TEST(Split, DrawsAreNotHeldUpAsOftenAsAFewSamplesWere) {
  const auto part = [](const std::string& unit) {
    return R"({"model": "m0.json", "unit": ")" + unit + R"(", "layers": ["a"], "axis": "channels", "size": 2,
                 "samples_us": [4, 300, 4.1]})";
  };
  const Scenario scenario =
      OneLayer("8", "8", R"("memory": "dram")", R"(, "parts": [)" + part("u0") + ", " + part("u1") + "]");
  const PolicySpec spec = PolicyByName("split", scenario, "test");
  for (std::uint64_t draw = 1; draw <= 50; ++draw) {
    const Prepared made = MakePolicy(spec, ProblemFor(spec, scenario));
    const SampledTimes times(*made.problem, draw);
    RunOptions options;
    times.SetIn(options);
    EXPECT_LT(RunVirtual(*made.problem, *made.policy, options).makespan(), microseconds{8}) << draw;
  }
}

TEST(Split, GoesByMeasuredParts) {
  const std::string parts = R"(, "parts": [
      {"model": "m0.json", "unit": "u0", "layers": ["a"], "axis": "channels", "size": 1, "median_us": 7},
      {"model": "m0.json", "unit": "u1", "layers": ["a"], "axis": "channels", "size": 2, "median_us": 3}])";
  const CutRun run =
      RunCut(OneLayer("8", "8", R"("memory": "dram")", parts), R"({"name": "split", "axis": "channels"})");
  // u0: 7 for one, u1: 5.5 for three.
  EXPECT_EQ(run.tasks, (Lines{"u0: a [channels 0-0]", "u1: a [channels 1-3]"}));
  EXPECT_EQ(run.outcome.makespan(), microseconds{7});
}

TEST(Split, TakesRowsWhereChannelsDoNotDivide) {
  const CutRun run = RunCut(OneLayer("8", "8"), R"({"name": "split", "axis": "rows"})");
  EXPECT_EQ(run.tasks, (Lines{"u0: a [rows 0-3]", "u1: a [rows 4-7]"}));
}

TEST(Split, JoinsWholeLayersThatFollowEachOther) {
  SmallScenario board({1, 1});
  board.AddStream(board.AddModel({{4, 90}, {4, 90}, {20, 20}, {4, 90}}), 1);
  const CutRun run = RunCut(board.Build(), R"("split")");
  EXPECT_EQ(run.tasks.front(), "u0: l0 l1");
  EXPECT_EQ(run.outcome.makespan(), microseconds{4 + 4 + 10 + 4});
}

// A layer of 12 channels on three units with times per number of channels that rise.
TEST(Split, OverThreeUnitsIsAsGoodAsAnyDivision) {
  for (unsigned seed = 1; seed <= 12; ++seed) {
    SCOPED_TRACE("curves " + std::to_string(seed));
    std::mt19937 random(seed);
    std::vector<std::vector<std::int64_t>> us(3, std::vector<std::int64_t>(13));
    std::string parts, entries;
    for (std::size_t u = 0; u < 3; ++u) {
      for (std::size_t size = 1; size <= 12; ++size) {
        us[u][size] = us[u][size - 1] + 1 + static_cast<std::int64_t>(random() % 9);
        const std::string of =
            R"({"model": "m0.json", "unit": "u)" + std::to_string(u) + R"(", "layers": ["a"], )";
        const std::string time = R"("median_us": )" + std::to_string(us[u][size]) + "}";
        if (size == 12) {
          entries += (u ? ", " : "") + of + time;
        } else {
          parts += (parts.empty() ? "" : ", ") + of + R"("axis": "channels", "size": )" +
                   std::to_string(size) + ", " + time;
        }
      }
    }
    JsonScenario json;
    json.platform =
        R"("memories": [{"name": "dram"}], "units": [{"name": "u0", "kind": "cpu", "memory": "dram"},
        {"name": "u1", "kind": "cpu", "memory": "dram"}, {"name": "u2", "kind": "gpu", "memory": "dram"}])";
    json.profile = R"("entries": [)" + entries + R"(], "parts": [)" + parts + "]";
    json.models = {
        R"([{"name": "in", "op": "input", "shape": [1, 12, 2, 2]}, {"name": "a", "op": "relu", "inputs": ["in"]}])"};
    json.scenario = kOnce;
    std::int64_t least = INT64_MAX;
    for (std::size_t a = 0; a <= 12; ++a) {
      for (std::size_t b = 0; a + b <= 12; ++b)
        least = std::min(least, std::max({us[0][a], us[1][b], us[2][12 - a - b]}));
    }
    EXPECT_EQ(RunCut(json.Read(), R"({"name": "split", "axis": "channels"})").outcome.makespan(),
              microseconds{least});
  }
}

// Random chains over two memories: the run takes what was predicted, where parts' copies do not meet on the
// link, and no way over whole layers is predicted to take less.
TEST(Split, TakesWhatIsPredictedAndNeverMoreThanWholeLayers) {
  int as_predicted = 0;
  for (unsigned seed = 1; seed <= 40; ++seed) {
    SCOPED_TRACE("chain " + std::to_string(seed));
    std::mt19937 random(seed);
    const std::size_t layers = 2 + random() % 4;
    JsonScenario json;
    json.platform = R"("memories": [{"name": "dram"}, {"name": "vram"}],
        "links": [{"from": "dram", "to": "vram", "latency_us": 1, "bandwidth_bytes_per_s": 256000000}],
        "units": [{"name": "u0", "kind": "cpu", "memory": "dram"}, {"name": "u1", "kind": "gpu", "memory": "vram", "dispatch_us": 1}])";
    std::string text = R"([{"name": "in", "op": "input", "shape": [1, 8, 4, 4]})", entries;
    for (std::size_t l = 0; l < layers; ++l) {
      const std::string name = "l" + std::to_string(l);
      text += R"(, {"name": ")" + name + R"(", "op": "relu", "inputs": [")" +
              (l ? "l" + std::to_string(l - 1) : "in") + R"("]})";
      for (const std::string unit : {"u0", "u1"}) {
        entries += (entries.empty() ? "" : ", ") + std::string(R"({"model": "m0.json", "unit": ")") + unit +
                   R"(", "layers": [")" + name + R"("], "median_us": )" + std::to_string(1 + random() % 30) +
                   "}";
      }
    }
    json.models = {text + "]"};
    json.profile = R"("entries": [)" + entries + "]";
    json.scenario = kOnce;
    const Scenario scenario = json.Read();
    const Problem problem(scenario, Granularity::kLayer);
    const PieceTimes times(problem);
    const CutSegments cut = CutModel(scenario, ModelId(0), 1, Granularity::kLayer);
    ChainPlacer placement(times, 0, cut);
    const auto split = placement.Find({{1, 1}, {SplitAxis::kChannels, SplitAxis::kRows}, UnitId()});
    const auto whole = placement.Find({{1, 1}, {}, UnitId()});
    const Nanos taken = RunPieces(scenario, {PiecesOf(times, 0, cut, *split)}).outcome.makespan();
    EXPECT_GE(taken, split->total);
    as_predicted += taken == split->total ? 1 : 0;
    EXPECT_EQ(RunPieces(scenario, {PiecesOf(times, 0, cut, *whole)}).outcome.makespan(), whole->total);
    EXPECT_LE(split->total, whole->total);
    for (std::size_t ways = 0; ways < std::size_t{1} << layers; ++ways) {
      AssignedPieces pieces;
      for (std::size_t l = 0; l < layers; ++l)
        pieces.push_back({{{LayerId(l + 1)}, std::nullopt}, UnitId(ways >> l & 1)});
      EXPECT_LE(whole->total, RunPieces(scenario, {pieces}).outcome.makespan());
    }
    // It may also split all of the chain at once.
    EXPECT_LE(RunCut(scenario, R"("split")").outcome.makespan(), taken);
  }
  EXPECT_GT(as_predicted, 5);
}

}  // namespace
}  // namespace tandem
