// Which stage of a pipeline costs what?
#include <gtest/gtest.h>

#include "scenarios/report/report.h"
#include "tests/support/json_scenario.h"
#include "tests/support/run_policy.h"

namespace tandem {
namespace {

const std::string kStageModel =
    R"([{"name": "in", "op": "input", "shape": [1, 1, 4, 4]}, {"name": "a", "op": "relu", "inputs": ["in"]}])";

// Two frames at once of 10 us each; faces of 20 us and a track of 5 us follow, all on one core.
Scenario Frames(const std::string& faces, const std::string& more = "") {
  const JsonScenario json{
      R"("memories": [{"name": "dram"}], "units": [{"name": "u0", "kind": "cpu", "memory": "dram"}])",
      R"("entries": [{"model": "m0.json", "unit": "u0", "layers": "*", "median_us": 10},
                     {"model": "m1.json", "unit": "u0", "layers": "*", "median_us": 20},
                     {"model": "m2.json", "unit": "u0", "layers": "*", "median_us": 5}])",
      {kStageModel, kStageModel, kStageModel},
      R"("streams": [{"name": "track", "model": "m2.json", "depends_on": {"stream": "camera", "joins": ["faces"]}},
                     {"name": "camera", "model": "m0.json", "count": 2, "arrival": {"type": "offline"}},
                     {"name": "faces", "model": "m1.json", "depends_on": {"stream": "camera")" +
          faces + "}}" + more + "]"};
  return json.Read();
}

const StageOutcome* StageNamed(const Outcome& outcome, const Scenario& scenario, const std::string& last,
                               const std::string& stage) {
  for (std::size_t s = 0; s < scenario.streams.size(); ++s) {
    if (scenario.streams[s].name != last) continue;
    for (const StageOutcome& of : outcome.streams[s].stages) {
      if (scenario.streams[of.stream.index()].name == stage) return &of;
    }
  }
  return nullptr;
}

std::vector<std::pair<std::int64_t, std::int64_t>> Micros(const StageOutcome* stage) {
  std::vector<std::pair<std::int64_t, std::int64_t>> all;
  if (!stage) return all;
  for (const StagePassed& passed : stage->passed)
    all.emplace_back(passed.waited.count() / 1000, passed.worked.count() / 1000);
  return all;
}

using Pairs = std::vector<std::pair<std::int64_t, std::int64_t>>;

// Frames until 10 and 20, by fcfs then the faces until 40 and 60, with the tracks behind each released at 40
// and 60. The first track runs from 60 to 65: the second face was released before it.
TEST(Stages, TheWayIsDividedIntoWaitingAndWork) {
  const Scenario scenario = Frames("");
  const Outcome outcome = RunPolicy(scenario, R"("fcfs")");
  EXPECT_EQ(outcome.streams[0].whole_ways, 2);
  EXPECT_EQ(Micros(StageNamed(outcome, scenario, "track", "camera")), (Pairs{{0, 10}, {10, 10}}));
  EXPECT_EQ(Micros(StageNamed(outcome, scenario, "track", "faces")), (Pairs{{10, 20}, {20, 20}}));
  EXPECT_EQ(Micros(StageNamed(outcome, scenario, "track", "track")), (Pairs{{20, 5}, {5, 5}}));
  EXPECT_TRUE(outcome.streams[1].stages.empty()) << "only what nobody waits for is told of";
  EXPECT_TRUE(outcome.streams[2].stages.empty());
}

TEST(Stages, TheyAddUpToTheLatencyFromEndToEnd) {
  const Scenario scenario = Frames(R"(, "times": [1, 1, 2, 1])", R"(, {"name": "alarm", "model": "m2.json",
    "depends_on": {"stream": "faces"}})");
  const Outcome outcome = RunPolicy(scenario, R"("fcfs")");
  for (std::size_t last = 0; last < scenario.streams.size(); ++last) {
    Nanos stages{0}, whole{0};
    std::int64_t ways = 0;
    for (std::size_t s = 0; s < scenario.streams.size(); ++s) {
      if (scenario.streams[s].copy_of.value_or(s) != last) continue;
      for (const Nanos time : outcome.streams[s].end_to_end) whole += time;
      ways += static_cast<std::int64_t>(outcome.streams[s].end_to_end.size());
    }
    if (outcome.streams[last].whole_ways == 0) continue;
    EXPECT_EQ(outcome.streams[last].whole_ways, ways);
    for (const StageOutcome& stage : outcome.streams[last].stages) {
      for (const StagePassed& passed : stage.passed) stages += passed.waited + passed.worked;
    }
    EXPECT_EQ(stages, whole) << scenario.streams[last].name;
  }
}

TEST(Stages, TheReportHasThemInTheOrderOfTheWay) {
  const Scenario scenario = Frames(R"(, "times": [0, 0, 1])");
  const Report report = FiguresOf(scenario, RunPolicy(scenario, R"("fcfs")"));
  const StreamReport& track = report.streams[0];
  ASSERT_EQ(track.stages.size(), 3U);
  EXPECT_EQ(track.stages[0].stream, "camera");
  EXPECT_EQ(track.stages[1].stream, "faces") << "both copies are one stage";
  EXPECT_EQ(track.stages[2].stream, "track");
  Nanos sum{0};
  for (const StageReport& stage : track.stages) {
    EXPECT_EQ(stage.requests, 2);
    sum += stage.waiting.mean + stage.work.mean;
  }
  EXPECT_EQ(sum, track.end_to_end->mean);
  EXPECT_TRUE(report.streams[1].stages.empty());
}

// The second frame's face never comes, its track follows the frame at once: 0 of the stage of the faces.
TEST(Stages, WhereTheWayLeadsThroughAnotherAStageCostsNothing) {
  const Scenario scenario = Frames(R"(, "every": 2)");
  const Report report = FiguresOf(scenario, RunPolicy(scenario, R"("fcfs")"));
  const StageReport& faces = report.streams[0].stages[1];
  EXPECT_EQ(faces.stream, "faces");
  EXPECT_EQ(faces.requests, 1);
  EXPECT_EQ(faces.work.mean, Nanos{10000}) << "20 us and 0";
  EXPECT_EQ(faces.work.p99, Nanos{20000});
}

// All faces wait for the core until their deadline of 1 us and go: that was waiting, for the track, too.
TEST(Stages, WhatIsDroppedHasOnlyWaited) {
  const JsonScenario json{
      R"("memories": [{"name": "dram"}], "units": [{"name": "u0", "kind": "cpu", "memory": "dram"},
                                                   {"name": "u1", "kind": "cpu", "memory": "dram"}])",
      R"("entries": [{"model": "m0.json", "unit": "u0", "layers": "*", "median_us": 10},
                     {"model": "m1.json", "unit": "u0", "layers": "*", "median_us": 20},
                     {"model": "m2.json", "unit": "u1", "layers": "*", "median_us": 5}])",
      {kStageModel, kStageModel, kStageModel},
      R"("streams": [{"name": "camera", "model": "m0.json", "count": 2, "arrival": {"type": "offline"}},
                     {"name": "faces", "model": "m1.json", "depends_on": {"stream": "camera"}, "deadline_us": 1, "drop_late": true},
                     {"name": "track", "model": "m2.json", "depends_on": {"stream": "camera", "joins": ["faces"]}}])"};
  const Scenario scenario = json.Read();
  const Outcome outcome = RunPolicy(scenario, R"("fcfs")");
  // The first face comes at 10, while the second frame runs, and is dropped at 11; the second runs 20 to 40.
  EXPECT_EQ(Micros(StageNamed(outcome, scenario, "track", "faces")), (Pairs{{1, 0}, {0, 20}}));
  EXPECT_EQ(Micros(StageNamed(outcome, scenario, "track", "track")), (Pairs{{0, 5}, {0, 5}}));
}

}  // namespace
}  // namespace tandem
