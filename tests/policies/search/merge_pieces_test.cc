// Are neighbours put together rightly, and is an edge mapped only where that was measured?
#include "policies/search/merge_pieces.h"

#include <gtest/gtest.h>

#include "policies/engine/virtual_runner.h"
#include "tests/support/json_scenario.h"
#include "tests/support/small_scenario.h"

namespace tandem {
namespace {

std::vector<Decision> Chain(const Problem& problem, const std::vector<int>& units) {
  std::vector<Decision> taken;
  for (std::size_t s = 0; s < units.size(); ++s) {
    taken.push_back({StreamId(0), 0, SegmentId(s), UnitId(static_cast<std::size_t>(units[s]))});
  }
  EXPECT_EQ(problem.segments().size(), units.size());
  return taken;
}

Scenario FourLayers() {
  SmallScenario board({1, 1});
  board.AddStream(board.AddModel({{10, 20}, {10, 20}, {10, 20}, {10, 20}}), 1);
  return board.Build();
}

TEST(MergedCuts, PutNeighboursOnOneUnitTogether) {
  const Scenario scenario = FourLayers();
  const Problem problem(scenario, Granularity::kLayer);
  const auto taken = Chain(problem, {0, 0, 1, 1});
  const auto cuts = MergedCuts(problem, taken);
  ASSERT_TRUE(cuts);
  const Problem merged(scenario, Granularity::kLayer, cuts);
  ASSERT_EQ(merged.segments().size(), 2U);
  EXPECT_EQ(merged.segments()[0].layers.size(), 2U);
  EXPECT_EQ(merged.Time(SegmentId(1), UnitId(1)), std::chrono::microseconds{40});
  const auto tasks = MergedTasks(problem, merged, taken);
  ASSERT_EQ(tasks.size(), 2U);
  EXPECT_EQ(tasks[0].unit, UnitId(0));
  EXPECT_EQ(tasks[1].unit, UnitId(1));
}

TEST(MergedCuts, AreNoneWhereUnitsAlternate) {
  const Scenario scenario = FourLayers();
  const Problem problem(scenario, Granularity::kLayer);
  EXPECT_FALSE(MergedCuts(problem, Chain(problem, {0, 1, 0, 1})));
}

TEST(MergedCuts, LeaveSegmentsThatRunInSeveralPlaces) {
  SmallScenario board({1, 1});
  board.AddStream(board.AddModel({{10, 20}, {10, 20}}), 2);
  const Scenario scenario = board.Build();
  const Problem problem(scenario, Granularity::kLayer);
  const std::vector<Decision> taken = {{StreamId(0), 0, SegmentId(0), UnitId(0)},
                                       {StreamId(0), 0, SegmentId(1), UnitId(0)},
                                       {StreamId(0), 1, SegmentId(0), UnitId(0)},
                                       {StreamId(0), 1, SegmentId(1), UnitId(1)}};
  EXPECT_FALSE(MergedCuts(problem, taken));
}

// One convolution and a relu on a gpu with a memory of its own.
Scenario WithMapping(const std::string& mapped_entry) {
  return JsonScenario{
      .platform = R"("memories": [{"name": "dram"}, {"name": "vram"}],
                     "links": [{"from": "dram", "to": "vram", "latency_us": 100, "bandwidth_bytes_per_s": 1e9}],
                     "units": [{"name": "gpu", "kind": "gpu", "memory": "vram"}])",
      .profile = R"("entries": [
                     {"model": "m0.json", "unit": "gpu", "layers": ["c"], "median_us": 10},
                     {"model": "m0.json", "unit": "gpu", "layers": ["r"], "median_us": 10})" +
                 mapped_entry + "]",
      .models = {R"([{"name": "in", "op": "input", "shape": [1, 3, 8, 8]},
                     {"name": "c", "op": "conv", "inputs": ["in"], "out_channels": 4, "kernel": [3, 3]},
                     {"name": "r", "op": "relu", "inputs": ["c"]}])"},
      .scenario =
          R"("streams": [{"name": "s", "model": "m0.json", "count": 2, "arrival": {"type": "offline"}}])"}
      .Read();
}

constexpr const char* kMapped =
    R"(, {"model": "m0.json", "unit": "gpu", "layers": ["c"], "mapped": true, "median_us": 30})";

TEST(MappableEdges, AreThoseWithATimeThroughTheMapping) {
  const Scenario scenario = WithMapping(kMapped);
  const Problem problem(scenario, Granularity::kLayer);
  const auto edges = MappableEdges(problem, Chain(problem, {0, 0}));
  ASSERT_EQ(edges.size(), 1U);
  EXPECT_EQ(edges[0].mode, TransferMode::kZeroCopy);
  const Scenario without = WithMapping("");
  const Problem copied(without, Granularity::kLayer);
  EXPECT_TRUE(MappableEdges(copied, Chain(copied, {0, 0})).empty());
}

TEST(Best, ReadsThroughAMappingWhereThatIsFaster) {
  const auto makespan = [](const Scenario& scenario) {
    const JsonDocument document = JsonDocument::Parse(R"({"name": "best", "evaluations": 200})", "policy");
    const PolicySpec spec = ReadPolicy(document.root(), scenario);
    const Prepared made = MakePolicy(spec, ProblemFor(spec, scenario));
    return RunVirtual(*made.problem, *made.policy).makespan();
  };
  // 100 us of copying against 20 us more of reading, for each of two requests.
  EXPECT_LT(makespan(WithMapping(kMapped)) + std::chrono::microseconds{150}, makespan(WithMapping("")));
}

}  // namespace
}  // namespace tandem
