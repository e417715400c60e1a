// Are single decisions judged by what they would have changed, and a faster unit by what it brings?
#include "policies/explain/alternatives.h"

#include <gtest/gtest.h>

#include <cmath>

#include "policies/engine/virtual_runner.h"
#include "scenarios/scenario/faster_scenario.h"
#include "tests/support/json_scenario.h"
#include "tests/support/small_scenario.h"

namespace tandem {
namespace {

using std::chrono::microseconds;

Alternatives AlternativesOf(
    const Scenario& scenario, const std::string& policy_json,
    const std::function<bool(std::int64_t)>& go_on = [](std::int64_t) { return true; },
    const AlternativeDraws& draws = {}) {
  const JsonDocument document = JsonDocument::Parse(policy_json, "policy");
  const PolicySpec spec = ReadPolicy(document.root(), scenario);
  const Prepared made = MakePolicy(spec, ProblemFor(spec, scenario));
  const Problem& problem = *made.problem;
  RecordingPolicy recording(*made.policy, 1000);
  SpanLog log;
  RunOptions options;
  options.spans = &log;
  const Outcome outcome = RunVirtual(problem, recording, options);
  return TryAlternatives(problem, recording.TakeAll(), CriticalPath(problem, log, outcome), go_on, draws);
}

constexpr const char* kAllOnU0 = R"({"name": "given", "map": {"*": "u0"}})";

TEST(Alternatives, FindsThatHalfBelongsOnTheOtherUnit) {
  SmallScenario board({1, 1});
  board.AddStream(board.AddModel({{100, 110}}), 4);
  const Scenario scenario = board.Build();
  const Alternatives found = AlternativesOf(scenario, kAllOnU0);
  EXPECT_EQ(found.base.makespan, microseconds(400));
  ASSERT_FALSE(found.best.empty());
  EXPECT_EQ(found.best[0].change, Change::kHalf);
  EXPECT_EQ(found.best[0].tasks, 2);
  EXPECT_EQ(found.best[0].value.makespan, microseconds(220));
  EXPECT_EQ(found.tried, 3);  // all, half and one of them
  EXPECT_EQ(found.best.size(), 1U);
}

TEST(Alternatives, SaysWhatAWorseDecisionWouldCost) {
  SmallScenario board({1, 1});
  board.AddStream(board.AddModel({{100, 130}}), 1);
  const Alternatives found = AlternativesOf(board.Build(), R"("fastest_unit")");
  ASSERT_EQ(found.best.size(), 1U);
  EXPECT_EQ(found.best[0].change, Change::kOne);
  EXPECT_EQ(found.best[0].value.makespan, microseconds(130));
  EXPECT_GT(found.best[0].value.objective, found.base.objective);
}

TEST(Alternatives, MovesSingleSegmentsAndAllOfAModel) {
  SmallScenario board({1, 1});
  board.AddStream(board.AddModel({{100, 200}, {300, 50}}), 1);
  const Scenario scenario = board.Build();
  const Alternatives found =
      AlternativesOf(scenario, R"({"name": "given", "map": {"*": "u0"}, "granularity": "layer"})");
  ASSERT_FALSE(found.best.empty());
  EXPECT_EQ(found.base.makespan, microseconds(400));
  EXPECT_EQ(found.best[0].value.makespan, microseconds(150));
  EXPECT_EQ(found.best[0].segment, SegmentId(std::size_t{1}));
}

TEST(Alternatives, HasNothingToTryOnOneUnit) {
  SmallScenario board({1});
  board.AddStream(board.AddModel({{100}}), 1);
  const Alternatives found = AlternativesOf(board.Build(), R"("fcfs")");
  EXPECT_EQ(found.tried, 0);
  EXPECT_FALSE(found.why_none.empty());
}

TEST(Alternatives, TakesTheTaskThatWaitsFirst) {
  SmallScenario board({1, 1});
  const ModelId large = board.AddModel({{500, SmallScenario::kCannot}}),
                small = board.AddModel({{10, SmallScenario::kCannot}}),
                after = board.AddModel({{SmallScenario::kCannot, 600}});
  board.AddStream(large, 1);
  board.AddStream(small, 1);
  board.AddStream(after, 1, DependentArrival{StreamId(std::size_t{1}), 1});
  const Alternatives found = AlternativesOf(board.Build(), R"("fcfs")");
  EXPECT_EQ(found.base.makespan, microseconds(1110));
  ASSERT_FALSE(found.best.empty());
  EXPECT_EQ(found.best[0].change, Change::kEarlier);
  EXPECT_EQ(found.best[0].value.makespan, microseconds(610));
}

TEST(Alternatives, StopsWhenAskedAndTriesFewerOfLongRuns) {
  SmallScenario board({1, 1});
  board.AddStream(board.AddModel({{100, 110}}), 4);
  EXPECT_EQ(AlternativesOf(board.Build(), kAllOnU0, [](std::int64_t) { return false; }).tried, 0);
  EXPECT_EQ(AlternativesFor(10), kMostAlternatives);
  EXPECT_LT(AlternativesFor(100'000), kMostAlternatives);
  EXPECT_EQ(AlternativesFor(100'000'000), 0);
}

// Its medians miss no deadline, and every draw misses some: the run has no share to be inside the interval.
TEST(Alternatives, WhereTheRunMissesNothingTheChangeIsThatOfTheDrawsAlone) {
  constexpr const char* kSamples = R"([100, 110, 100, 100, 110, 110, 100, 100, 110, 100,
      110, 100, 100, 100, 110, 100, 110, 110, 100, 100])";
  constexpr const char* kLonger = R"([110, 120, 110, 110, 120, 120, 110, 110, 120, 110,
      120, 110, 110, 110, 120, 110, 120, 120, 110, 110])";
  const auto entry = [](const std::string& unit, const std::string& samples) {
    return R"({"model": "m0.json", "layers": "*", "unit": ")" + unit + R"(", "samples_us": )" + samples + "}";
  };
  const Scenario scenario =
      JsonScenario{
          R"("memories": [{"name": "near"}, {"name": "far"}],
         "units": [{"name": "u0", "kind": "cpu", "memory": "near"},
                   {"name": "u1", "kind": "npu", "memory": "far"}])",
          R"("entries": [)" + entry("u0", kSamples) + ", " + entry("u1", kLonger) + "]",
          {R"([{"name": "in", "op": "input", "shape": [1, 1, 16, 16]}, {"name": "a", "op": "relu", "inputs": ["in"]}])"},
          R"("transfer": "none", "objective": "misses", "streams": [{"name": "s", "model": "m0.json", "count": 400,
         "deadline_us": 105, "arrival": {"type": "periodic", "period_us": 1000}}])"}
          .Read();
  AlternativeDraws draws;
  draws.count = 41;
  const Alternatives found = AlternativesOf(
      scenario, kAllOnU0, [](std::int64_t) { return true; }, draws);
  EXPECT_EQ(found.base.objective, 0);
  ASSERT_TRUE(found.base.objective_drawn.has_value());
  EXPECT_GT(found.base.objective_drawn->median, 0);
  ASSERT_FALSE(found.best.empty());
  EXPECT_GT(found.best[0].value.objective, 0);
  ASSERT_TRUE(found.best[0].change_drawn.has_value());
  EXPECT_TRUE(std::isfinite(found.best[0].change_drawn->high)) << found.best[0].change_drawn->high;
}

TEST(FasterScenario, HalvesOneUnitAndPutsItBack) {
  const auto scenario = [] {
    SmallScenario board({1, 1});
    board.AddStream(board.AddModel({{100, 111}}), 1);
    return board.Build();
  };
  FasterScenario faster(scenario());
  const SegmentId whole(std::size_t{0});
  const UnitId first(std::size_t{0}), second(std::size_t{1});
  const Problem one(faster.WithUnit(first), Granularity::kModel);
  EXPECT_EQ(one.Time(whole, first), microseconds(50));
  EXPECT_EQ(one.Time(whole, second), microseconds(111));
  const Problem other(faster.WithUnit(second), Granularity::kModel);
  EXPECT_EQ(other.Time(whole, first), microseconds(100));
  EXPECT_EQ(other.Time(whole, second), Nanos{55500});
}

TEST(FasterScenario, AFasterLinkBringsNothingWhereTheHubIsTheNarrowest) {
  const auto time_of = [](const std::string& hub, const std::string& transfers) {
    FasterScenario faster(JsonScenario{
        R"("memories": [{"name": "dram"}, {"name": "stick"}],
               "hubs": [{"name": "usb", "bandwidth_bytes_per_s": )" +
            hub + R"(}],
               "links": [{"from": "dram", "to": "stick", "bandwidth_bytes_per_s": 1000000000, "hub": "usb"}],
               "units": [{"name": "u0", "kind": "vpu", "memory": "stick"}])",
        R"("entries": [{"model": "m0.json", "unit": "u0", "layers": "*", "median_us": 10}])" + transfers,
        {R"([{"name": "in", "op": "input", "shape": [1, 1, 16, 16]}, {"name": "a", "op": "relu", "inputs": ["in"]}])"},
        R"("streams": [{"name": "s", "model": "m0.json", "count": 1, "arrival": {"type": "offline"}}])"}
                              .Read());
    const Problem problem(faster.WithLink(LinkId(0)), Granularity::kModel);
    return problem.routes().Time(MemoryId(0), MemoryId(1), 1000);
  };
  const std::string measured =
      R"(, "transfers": [{"from": "dram", "to": "stick", "bytes": 1000, "median_us": 3}])";
  EXPECT_EQ(time_of("1000000000", ""), microseconds(1));
  EXPECT_EQ(time_of("1000000000", measured), microseconds(3));
  EXPECT_EQ(time_of("2000000000", ""), Nanos{500});
  EXPECT_EQ(time_of("2000000000", measured), Nanos{1500});
}

}  // namespace
}  // namespace tandem
