// Do models that are compiled together share a chip in their order, is what does not stay streamed with each
// task, and do models that are not put each other out? Do bounds, policies that plan and the judge count it
// alike?
#include <gtest/gtest.h>

#include "policies/bounds/least_times.h"
#include "policies/engine/virtual_runner.h"
#include "policies/problem/task_costs.h"
#include "profiles/base/input_error.h"
#include "tests/support/json_scenario.h"
#include "tests/support/judged_run.h"
#include "tests/support/run_policy.h"

namespace tandem {
namespace {

using std::chrono::microseconds;
using std::chrono::nanoseconds;

std::string Opaque(const std::string& name, const std::string& reads, int params) {
  return R"({"name": ")" + name + R"(", "op": "opaque", "inputs": [")" + reads +
         R"("], "shape": [1, 4], "params": )" + std::to_string(params) + "}";
}
std::string OfParams(int params) {
  return R"([{"name": "in", "op": "input", "shape": [1, 4]}, )" + Opaque("a", "in", params) + "]";
}
std::string Entry(int model, const std::string& layers, int micros, const std::string& more = {}) {
  return R"({"model": "m)" + std::to_string(model) + R"(.json", "unit": "tpu", "layers": )" + layers +
         R"(, "precision": "int8", "median_us": )" + std::to_string(micros) + more + "}";
}

// Weights of 6000, 8000 (3000 in layer a, 5000 in b), 2000 and 12000 bytes; a chip of 10000, a nanosecond a
// byte; 100 us a run, alone.
Scenario OnAChip(const std::string& compiled, const std::vector<int>& streams, const std::string& more = {},
                 const std::string& lists = {}) {
  std::string of;
  for (std::size_t i = 0; i < streams.size(); ++i) {
    of += (i > 0 ? ", " : "") + (R"({"name": "s)" + std::to_string(i)) + R"(", "model": "m)" +
          std::to_string(streams[i]) + R"(.json", "count": 1, "arrival": {"type": "offline"}})";
  }
  return JsonScenario{
      R"("memories": [{"name": "dram"}],
         "units": [{"name": "tpu", "kind": "tpu", "memory": "dram", "on_chip_bytes": 10000,
                    "stream_bytes_per_s": 1e9}])",
      R"("entries": [)" + Entry(0, R"("*")", 100) + ", " + Entry(1, R"("*")", 100) + ", " +
          Entry(1, R"(["a"])", 40) + ", " + Entry(1, R"(["b"])", 60) + ", " + Entry(2, R"("*")", 100) + ", " +
          Entry(3, R"("*")", 100) + "]" + lists,
      {OfParams(6000),
       R"([{"name": "in", "op": "input", "shape": [1, 4]}, )" + Opaque("a", "in", 3000) + ", " +
           Opaque("b", "a", 5000) + "]",
       OfParams(2000), OfParams(12000)},
      (compiled.empty() ? "" : R"("co_compiled": {"tpu": )" + compiled + "}, ") + more +
          R"("transfer": "none", "streams": [)" + of + "]"}
      .Read();
}

const std::string kFirstTwo = R"([["m0.json", "m1.json"]])";

Nanos WholeTime(const Scenario& scenario, int stream) {
  const Problem problem(scenario, Granularity::kModel);
  return problem.Time(problem.cut(StreamId(static_cast<std::size_t>(stream))).first, UnitId(0));
}
Nanos Load(const Scenario& scenario, int stream) {
  const Problem problem(scenario, Granularity::kModel);
  return problem.LoadTime(problem.cut(StreamId(static_cast<std::size_t>(stream))).model, UnitId(0)).value();
}

TEST(OnChip, AModelAloneTakesWhatWasMeasuredAndLoadsWhatStays) {
  const Scenario scenario = OnAChip("", {0, 1, 3});
  for (const int stream : {0, 1, 2}) EXPECT_EQ(WholeTime(scenario, stream), microseconds{100});
  EXPECT_EQ(Load(scenario, 0), nanoseconds{6000});
  EXPECT_EQ(Load(scenario, 1), nanoseconds{8000});
  EXPECT_EQ(Load(scenario, 2), nanoseconds{10000}) << "more does not stay";
}

TEST(OnChip, OfModelsCompiledTogetherEachHasWhatThoseBeforeItLeave) {
  const Scenario first = OnAChip(kFirstTwo, {0, 1});
  EXPECT_EQ(WholeTime(first, 0), microseconds{100});
  EXPECT_EQ(WholeTime(first, 1), nanoseconds{104000}) << "4000 of 8000 bytes stay";
  EXPECT_EQ(Load(first, 1), nanoseconds{4000});
  const Scenario second = OnAChip(R"([["m1.json", "m0.json"]])", {0, 1});
  EXPECT_EQ(WholeTime(second, 0), nanoseconds{104000}) << "2000 of 6000 stay";
  EXPECT_EQ(WholeTime(second, 1), microseconds{100});
}

TEST(OnChip, WhatNeverFittedIsMeasuredAlready) {
  EXPECT_EQ(WholeTime(OnAChip(R"([["m0.json", "m3.json"]])", {0, 3}), 1), nanoseconds{106000});
}

TEST(OnChip, TheFirstLayersStay) {
  const Scenario scenario = OnAChip(kFirstTwo, {0, 1});
  const Problem problem(scenario, Granularity::kLayer);
  const SegmentId a = problem.cut(StreamId(1)).first, b(a.index() + 1);
  EXPECT_EQ(problem.Time(a, UnitId(0)), microseconds{40});
  EXPECT_EQ(problem.Time(b, UnitId(0)), nanoseconds{64000});
}

TEST(OnChip, ALoadThatWasMeasuredCountsInstead) {
  const std::string loads = R"(, "loads": [)" +
                            std::string(R"({"model": "m0.json", "unit": "tpu", "precision": "int8",)") +
                            R"( "median_us": 50}])";
  const Scenario scenario = OnAChip("", {0, 1}, {}, loads);
  EXPECT_EQ(Load(scenario, 0), microseconds{50});
  EXPECT_EQ(Load(scenario, 1), nanoseconds{8000});
}

TEST(OnChip, BoundsKnowWhatIsStreamed) {
  const Scenario scenario = OnAChip(kFirstTwo, {0, 1});
  const Problem problem(scenario, Granularity::kModel);
  const LeastTimes least(problem);
  EXPECT_EQ(least.Occupation(problem.cut(StreamId(0)).first, UnitId(0)), microseconds{100});
  EXPECT_EQ(least.Occupation(problem.cut(StreamId(1)).first, UnitId(0)), nanoseconds{104000});
}

std::vector<std::vector<std::int64_t>> LoadsOf(const Outcome& outcome) {
  std::vector<std::vector<std::int64_t>> lines;
  for (const LoadCount& of : outcome.loads) lines.push_back({of.model.value, of.loads, of.evictions});
  return lines;
}

TEST(OnChip, ModelsInTurnsReloadUnlessTheyAreCompiledTogether) {
  const Outcome turns = RunPolicy(OnAChip("", {0, 1, 0, 1}), R"("fcfs")");
  EXPECT_EQ(turns.makespan(), nanoseconds{400000 + 8000 + 6000 + 8000});
  EXPECT_EQ(LoadsOf(turns), (std::vector<std::vector<std::int64_t>>{{0, 1, 2}, {1, 2, 1}}));
  const Outcome together = RunPolicy(OnAChip(kFirstTwo, {0, 1, 0, 1}), R"("fcfs")");
  EXPECT_EQ(together.makespan(), nanoseconds{400000 + 2 * 4000});
  EXPECT_EQ(LoadsOf(together), (std::vector<std::vector<std::int64_t>>{}));
}

TEST(OnChip, AModelCompiledApartPutsAllOthersOut) {
  const Outcome outcome = RunPolicy(OnAChip(kFirstTwo, {0, 1, 2, 0, 1}), R"("fcfs")");
  EXPECT_EQ(outcome.makespan(), nanoseconds{500000 + 2 * 4000 + 2000 + 6000 + 4000});
  EXPECT_EQ(LoadsOf(outcome), (std::vector<std::vector<std::int64_t>>{{0, 1, 1}, {1, 1, 1}, {2, 1, 1}}));
}

TEST(OnChip, TheJudgeCountsItAnew) {
  const Scenario scenario = OnAChip(kFirstTwo, {0, 1, 2, 0, 1, 3});
  const Scenario other = OnAChip(R"([["m1.json", "m0.json"]])", {0, 1, 2, 0, 1, 3});
  for (const char* policy : {R"("fcfs")", R"({"name": "fcfs", "granularity": "layer"})", R"("eft")"}) {
    const JsonDocument document = JsonDocument::Parse(policy, "policy");
    const PolicySpec spec = ReadPolicy(document.root(), scenario);
    const Prepared made = MakePolicy(spec, ProblemFor(spec, scenario));
    EXPECT_TRUE(JudgeRun(made, spec, scenario, scenario).violations.empty()) << policy;
    EXPECT_FALSE(JudgeRun(made, spec, scenario, other).violations.empty()) << policy;
  }
}

TEST(OnChip, PlansAheadReckonWithReloads) {
  const Scenario scenario = OnAChip(kFirstTwo, {0, 1, 2});
  const Problem problem(scenario, Granularity::kModel);
  HeldModels held(problem);
  EXPECT_EQ(held.LoadTime(ModelId(1), UnitId(0)), Nanos{0});
  held.Use(ModelId(2), UnitId(0));
  EXPECT_EQ(held.LoadTime(ModelId(0), UnitId(0)), nanoseconds{6000});
  EXPECT_EQ(held.LoadTime(ModelId(1), UnitId(0)), nanoseconds{4000});
}

TEST(OnChip, APlanSaysWhatTheUnitHolds) {
  const Scenario scenario = OnAChip(kFirstTwo, {2, 0, 1}, R"("resident": {"tpu": ["m0.json", "m1.json"]}, )");
  const Problem problem(scenario, Granularity::kModel);
  EXPECT_EQ(problem.HeldBy(UnitId(0)), (std::vector<ModelId>{ModelId(1), ModelId(2)}));
  EXPECT_FALSE(problem.MayHoldTogether(UnitId(0), {ModelId(0), ModelId(1)}));
  EXPECT_THROW(OnAChip("", {0, 1}, R"("resident": {"tpu": ["m0.json", "m1.json"]}, )"), InputError);
}

}  // namespace
}  // namespace tandem
