// Does a pipeline cut where the largest stage is least, whatever is copied, fused or shared?
#include <gtest/gtest.h>

#include <random>

#include "policies/cutting/pipeline_search.h"
#include "profiles/base/input_error.h"
#include "profiles/program/shipped.h"
#include "tests/support/cut_run.h"
#include "tests/support/json_scenario.h"
#include "tests/support/small_scenario.h"

namespace tandem {
namespace {

using std::chrono::microseconds;
using Lines = std::vector<std::string>;

Scenario Chain(const std::vector<std::vector<std::int64_t>>& times_us, std::int64_t count,
               const std::vector<std::int64_t>& slots = {1, 1}) {
  SmallScenario board(slots);
  board.AddStream(board.AddModel(times_us), count);
  return board.Build();
}

TEST(Pipeline, OverlapsTwoGroupsOfLayers) {
  const std::vector<std::vector<std::int64_t>> times = {{10, 30}, {10, 30}, {10, 20}, {30, 25}};
  const CutRun run = RunCut(Chain(times, 51), R"("pipeline")");
  EXPECT_EQ(run.tasks, (Lines{"u0: l0 l1 l2", "u1: l3"}));
  EXPECT_EQ(run.outcome.makespan(), microseconds{51 * 30 + 25});
  const CutRun one_less = RunCut(Chain(times, 50), R"("pipeline")");
  EXPECT_EQ(run.outcome.makespan() - one_less.outcome.makespan(), microseconds{30}) << "the largest stage";
}

TEST(Pipeline, HasOneStageWhereOthersOnlySlowItDown) {
  const CutRun run = RunCut(Chain({{10, 100}, {10, 100}}, 3), R"("pipeline")");
  EXPECT_EQ(run.tasks, Lines{"u0: all"});
}

TEST(Pipeline, OfEqualStagesTakesTheLeastSumThenTheFewest) {
  // 20 as the largest either way; u0 alone has the least sum.
  EXPECT_EQ(RunCut(Chain({{10, 20}, {10, 20}}, 3), R"("pipeline")").tasks, Lines{"u0: all"});
  EXPECT_EQ(RunCut(Chain({{20, 20}, {0, 0}}, 3), R"("pipeline")").tasks, Lines{"u0: all"});
}

TEST(Pipeline, KeepsToItsUnitsAndStages) {
  const std::vector<std::vector<std::int64_t>> times = {{10, 10, 10}, {10, 10, 10}, {10, 10, 10}};
  const auto tasks = [&](const std::string& policy) {
    return RunCut(Chain(times, 2, {1, 1, 1}), policy).tasks;
  };
  EXPECT_EQ(tasks(R"("pipeline")").size(), 3U);
  EXPECT_EQ(tasks(R"({"name": "pipeline", "stages": 2})").size(), 2U);
  EXPECT_EQ(tasks(R"({"name": "pipeline", "units": ["u1"]})"), Lines{"u1: all"});
}

TEST(Pipeline, CountsAUnitOfTwoSlotsHalf) {
  const CutRun run = RunCut(Chain({{10, 12}, {10, 12}, {10, 10}}, 41, {2, 1}), R"("pipeline")");
  EXPECT_EQ(run.tasks, (Lines{"u0: l0 l1", "u1: l2"}));
}

TEST(Pipeline, SharesUnitsAmongModels) {
  SmallScenario board({1, 1});
  const ModelId large = board.AddModel({{10, 11}, {10, 11}, {10, 11}}), small = board.AddModel({{10, 12}});
  board.AddStream(large, 100);
  board.AddStream(small, 100);
  const CutRun run = RunCut(board.Build(), R"("pipeline")");
  // The large model alone takes 20 on u0 and 11 on u1, so the small one goes to u1.
  EXPECT_EQ(run.busy, (std::vector<Nanos>{microseconds{100 * 20}, microseconds{100 * 23}}));
}

TEST(Pipeline, CutsThroughAFusedGroupAtThePriceOfItsLayers) {
  const std::string board = R"("memories": [{"name": "dram"}],
      "units": [{"name": "u0", "kind": "cpu", "memory": "dram"}, {"name": "u1", "kind": "gpu", "memory": "dram"}])";
  const auto entries = [](const std::string& fused) {
    std::string list;
    for (const std::string unit : {"u0", "u1"}) {
      for (const std::string layer : {"a", "b", "c", "d"}) {
        list += R"({"model": "m0.json", "unit": ")" + unit + R"(", "layers": [")" + layer +
                R"("], "median_us": 10},)";
      }
    }
    return R"("entries": [)" + list +
           R"({"model": "m0.json", "unit": "u0", "layers": ["a", "b", "c"], "median_us": )" + fused + "}]";
  };
  const std::string layers = R"([{"name": "in", "op": "input", "shape": [1, 1, 2, 2]},
      {"name": "a", "op": "relu", "inputs": ["in"]}, {"name": "b", "op": "relu", "inputs": ["a"]},
      {"name": "c", "op": "relu", "inputs": ["b"]}, {"name": "d", "op": "relu", "inputs": ["c"]}])";
  const std::string streams =
      R"("streams": [{"name": "s", "model": "m0.json", "count": 9, "arrival": {"type": "offline"}}])";
  EXPECT_EQ(RunCut(JsonScenario{board, entries("12"), {layers}, streams}.Read(), R"("pipeline")").tasks,
            (Lines{"u0: a b c", "u1: d"}));
  EXPECT_EQ(RunCut(JsonScenario{board, entries("29"), {layers}, streams}.Read(), R"("pipeline")").tasks,
            (Lines{"u0: a b", "u1: c d"}));
}

TEST(Pipeline, SaysWhatRunsNowhere) {
  const Scenario scenario = Chain({{10, 10}, {SmallScenario::kCannot, 10}}, 1);
  try {
    RunCut(scenario, R"({"name": "pipeline", "units": ["u0"]})");
    FAIL();
  } catch (const InputError& error) {
    const std::string what = error.what();
    EXPECT_NE(
        what.find(
            R"(policy "pipeline": no units can run all of model "m0": unit "u0" has no time for layer "l1")"),
        std::string::npos)
        << what;
    EXPECT_NE(what.find(R"(unit "u1" is not among "units")"), std::string::npos) << what;
  }
}

// Small networks with sums over boards with memories of their own.
class SomeNetwork {
 public:
  explicit SomeNetwork(unsigned seed) : random_(seed) {}

  Scenario Make() {
    JsonScenario json;
    const std::size_t units = 2 + Below(2);
    std::string names;
    for (std::size_t u = 0; u < units; ++u) {
      names += (u ? ", " : "") + std::string(R"({"name": "u)") + std::to_string(u) +
               R"(", "kind": "cpu", "memory": "mem)" + std::to_string(Below(3)) + R"(", "dispatch_us": )" +
               std::to_string(Below(4)) + "}";
    }
    json.platform = R"("memories": [{"name": "mem0"}, {"name": "mem1"}, {"name": "mem2"}],
        "links": [{"from": "mem0", "to": "mem1", "latency_us": 2, "bandwidth_bytes_per_s": 20000000},
                  {"from": "mem0", "to": "mem2", "latency_us": 1, "bandwidth_bytes_per_s": 10000000}],
        "units": [)" +
                    names + "]";
    const std::size_t layers = 3 + Below(3);
    json.models = {Layers(layers)};
    json.profile = R"("entries": [)" + Entries(layers, units) + "]";
    json.scenario =
        R"("streams": [{"name": "s", "model": "m0.json", "count": 1, "arrival": {"type": "offline"}}])";
    return json.Read();
  }

 private:
  std::size_t Below(std::size_t most) { return random_() % most; }

  std::string Layers(std::size_t count) {
    std::string text = R"([{"name": "in", "op": "input", "shape": [1, 2, 2, 2]})";
    for (std::size_t l = 0; l < count; ++l) {
      const auto input = [&] { return Below(2) || l == 0 ? Name(l) : Name(Below(l + 1)); };
      const std::string first = input(), second = input();
      const bool sum = first != second;
      text += R"(, {"name": "l)" + std::to_string(l) + R"(", "op": ")" + (sum ? "add" : "relu") +
              R"(", "inputs": [")" + first + (sum ? R"(", ")" + second : "") + R"("]})";
    }
    return text + "]";
  }
  static std::string Name(std::size_t l) { return l == 0 ? "in" : "l" + std::to_string(l - 1); }

  std::string Entries(std::size_t layers, std::size_t units) {
    std::string list;
    const auto add = [&](std::size_t unit, const std::string& of, std::size_t us) {
      list += (list.empty() ? "" : ", ") + std::string(R"({"model": "m0.json", "unit": "u)") +
              std::to_string(unit) + R"(", "layers": [)" + of + R"(], "median_us": )" + std::to_string(us) +
              "}";
    };
    const auto quoted = [](std::size_t l) { return "\"l" + std::to_string(l) + "\""; };
    for (std::size_t u = 0; u < units; ++u) {
      for (std::size_t l = 0; l < layers; ++l) {
        if (u == 0 || Below(6) > 0) add(u, quoted(l), 1 + Below(12));
      }
      for (std::size_t l = 0; l + 1 < layers; ++l) {
        if (Below(4) == 0) add(u, quoted(l) + ", " + quoted(l + 1), 1 + Below(16));
      }
    }
    return list;
  }

  std::mt19937 random_;
};

// The least largest stage over all pipelines, each simulated.
class EveryPipeline {
 public:
  explicit EveryPipeline(const Scenario& scenario)
      : scenario_(scenario), layers_(WorkingLayers(*scenario.models[0].model)) {}

  Nanos Least() {
    Add(0);
    return least_;
  }

 private:
  void Add(std::size_t from) {
    if (from == layers_.size()) return Look();
    for (std::size_t u = 0; u < scenario_.units.size(); ++u) {
      const auto used = [&](const AssignedPiece& piece) { return piece.unit == UnitId(u); };
      if (std::any_of(cut_.begin(), cut_.end(), used)) continue;
      for (std::size_t to = from + 1; to <= layers_.size(); ++to) {
        cut_.push_back({{{layers_.begin() + static_cast<std::ptrdiff_t>(from),
                          layers_.begin() + static_cast<std::ptrdiff_t>(to)},
                         std::nullopt},
                        UnitId(u)});
        Add(to);
        cut_.pop_back();
      }
    }
  }

  void Look() {
    for (const AssignedPiece& piece : cut_) {
      if (!scenario_.Time(ModelId(0), piece.unit, 1, piece.piece.layers)) return;
    }
    least_ = std::min(least_, RunPieces(scenario_, {cut_}).LargestBusy());
  }

  const Scenario& scenario_;
  std::vector<LayerId> layers_;
  AssignedPieces cut_;
  Nanos least_{INT64_MAX};
};

TEST(Pipeline, IsAsGoodAsAnyOfSmallNetworks) {
  for (unsigned seed = 1; seed <= 60; ++seed) {
    SCOPED_TRACE("network " + std::to_string(seed));
    const Scenario scenario = SomeNetwork(seed).Make();
    EXPECT_EQ(RunCut(scenario, R"("pipeline")").LargestBusy(), EveryPipeline(scenario).Least());
  }
}

TEST(RangeTimes, AreThoseOfTheCostTable) {
  for (unsigned seed = 101; seed <= 140; ++seed) {
    SCOPED_TRACE("network " + std::to_string(seed));
    const Scenario scenario = SomeNetwork(seed).Make();
    const Problem problem(scenario, Granularity::kLayer);
    const PieceTimes times(problem);
    const std::vector<LayerId> layers = WorkingLayers(times.model(0));
    std::vector<std::size_t> points(layers.size() + 1);
    for (std::size_t i = 0; i < points.size(); ++i) points[i] = i;
    for (std::size_t u = 0; u < times.units(); ++u) {
      const RangeTimes range(times, 0, UnitId(u), points);
      for (std::size_t i = 0; i < layers.size(); ++i) {
        for (std::size_t j = i + 1; j <= layers.size(); ++j) {
          const auto time = times.Time(0, UnitId(u), std::span(layers).subspan(i, j - i));
          EXPECT_EQ(range.Of(i, j), time ? time->count() : RangeTimes::kCannot) << u << " " << i << " " << j;
        }
      }
    }
  }
}

TEST(RangeTimes, AreThoseOfTheCostTableForShippedProfiles) {
  const Scenario scenario = ReadScenarioFile(FindFile("study-002", "", "scenarios", ".scenario.json"));
  const Problem problem(scenario, Granularity::kLayer);
  const PieceTimes times(problem);
  const std::vector<LayerId> layers = WorkingLayers(times.model(0));
  std::vector<std::size_t> points(layers.size() + 1);
  for (std::size_t i = 0; i < points.size(); ++i) points[i] = i;
  std::mt19937 random(7);
  for (std::size_t u = 0; u < times.units(); ++u) {
    const RangeTimes range(times, 0, UnitId(u), points);
    for (int look = 0; look < 60; ++look) {
      const std::size_t i = random() % layers.size(), j = i + 1 + random() % (layers.size() - i);
      const auto time = times.Time(0, UnitId(u), std::span(layers).subspan(i, j - i));
      EXPECT_EQ(range.Of(i, j), time ? time->count() : RangeTimes::kCannot) << u << " " << i << " " << j;
    }
  }
}

// u0 has no room for the first model, which is seen once it is there; u1 holds one model and can load the
// second alone.
TEST(Pipeline, WhatAUnitCannotLoadLeavesRoomForWhatItCan) {
  const std::string layers =
      R"([{"name": "in", "op": "input", "shape": [1, 1, 4, 4]}, {"name": "a", "op": "relu", "inputs": ["in"]}])";
  const JsonScenario json{
      R"("memories": [{"name": "dram"}, {"name": "small", "capacity_bytes": 16}],
         "units": [{"name": "u0", "kind": "npu", "memory": "small"},
                   {"name": "u1", "kind": "npu", "memory": "dram", "resident_models": 1},
                   {"name": "u2", "kind": "cpu", "memory": "dram"}])",
      R"("entries": [{"model": "m0.json", "unit": "u0", "layers": "*", "median_us": 50},
                     {"model": "m0.json", "unit": "u1", "layers": "*", "median_us": 60},
                     {"model": "m1.json", "unit": "u1", "layers": "*", "median_us": 10},
                     {"model": "m1.json", "unit": "u2", "layers": "*", "median_us": 200}],
         "loads": [{"model": "m1.json", "unit": "u1", "median_us": 5}])",
      {layers, layers},
      R"("transfer": "none", "streams": [
      {"name": "first", "model": "m0.json", "count": 2, "arrival": {"type": "offline"}},
      {"name": "second", "model": "m1.json", "count": 2, "arrival": {"type": "offline"}}])"};
  const CutRun run = RunCut(json.Read(), R"("pipeline")");
  EXPECT_EQ(run.busy, (std::vector<Nanos>{microseconds{0}, microseconds{120}, microseconds{400}}));
}

}  // namespace
}  // namespace tandem
