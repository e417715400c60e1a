// Are times drawn from the profiles' samples, alike for every policy, and seen by none of them?
#include "policies/engine/sampled_times.h"

#include <gtest/gtest.h>

#include <set>

#include "tests/support/run_policy.h"

namespace tandem {
namespace {

using std::chrono::microseconds;

// One model with four samples on "cpu" and a median on "gpu".
Scenario Read(std::uint64_t seed, const std::string& transfer = "none") {
  const std::string board = R"({"name": "b", "memories": [{"name": "m"}], "units": [
      {"name": "cpu", "kind": "cpu", "memory": "m", "dispatch_us": 1}, {"name": "gpu", "kind": "gpu", "memory": "m"}]})";
  const std::string text = R"({"tandem": "scenario/1", "name": "s", "platform": )" + board +
                           R"(, "transfer": ")" + transfer + R"(", "seed": )" + std::to_string(seed) +
                           R"(, "streams": [
      {"name": "a", "model": "alexnet", "count": 1000, "arrival": {"type": "offline"}},
      {"name": "b", "model": "alexnet", "count": 10, "arrival": {"type": "offline"}}]})";
  Scenario scenario = ReadScenario(JsonDocument::Parse(text, "s.json").root());
  const std::string profile = R"({"tandem": "profile/1", "platform": "b",
      "origin": {"kind": "estimated", "method": "made up"}, "entries": [
      {"model": "alexnet", "unit": "cpu", "layers": "*", "samples_us": [10, 20, 30, 40]},
      {"model": "alexnet", "unit": "gpu", "layers": "*", "median_us": 50}]})";
  scenario.profiles.push_back(ReadProfile(JsonDocument::Parse(profile, "p.json").root()));
  scenario.costs.emplace(
      *scenario.platform, std::vector<const Profile*>{&scenario.profiles[0]},
      std::vector<CostTable::ModelRef>{{scenario.models[0].key, scenario.models[0].model.get()}});
  for (UnitUse& unit : scenario.units) unit.variant = Variant{};
  return scenario;
}

Task TaskOf(std::size_t stream, std::int32_t index) {
  Task task;
  task.stream = StreamId(stream);
  task.index = index;
  task.segment = SegmentId(std::size_t{0});
  return task;
}

constexpr UnitId kCpu{std::size_t{0}}, kGpu{std::size_t{1}};

TEST(SampledTimes, AreDispatchAndOneOfTheSamplesEachAboutAsOften) {
  const Scenario scenario = Read(1);
  const Problem problem(scenario, Granularity::kModel);
  const SampledTimes times(problem);
  EXPECT_TRUE(times.any());
  std::map<Nanos, int> seen;
  for (int i = 0; i < 1000; ++i) ++seen[times.Work(TaskOf(0, i), kCpu, false)];
  ASSERT_EQ(seen.size(), 4u);
  EXPECT_EQ(seen.begin()->first, microseconds{11});
  EXPECT_EQ(seen.rbegin()->first, microseconds{41});
  for (const auto& [time, count] : seen) EXPECT_NEAR(count, 250, 60);
}

TEST(SampledTimes, EntriesWithAMedianAloneStayAtIt) {
  const Scenario scenario = Read(1);
  const Problem problem(scenario, Granularity::kModel);
  const SampledTimes times(problem);
  for (int i = 0; i < 100; ++i) EXPECT_EQ(times.Work(TaskOf(0, i), kGpu, false), microseconds{50});
}

std::vector<Nanos> Draws(std::uint64_t seed, std::size_t stream) {
  const Scenario scenario = Read(seed);
  const Problem problem(scenario, Granularity::kModel);
  const SampledTimes times(problem);
  std::vector<Nanos> draws;
  for (int i = 0; i < 50; ++i) draws.push_back(times.Work(TaskOf(stream, i), kCpu, false));
  return draws;
}

TEST(SampledTimes, DependOnSeedAndStreamAlone) {
  EXPECT_EQ(Draws(1, 0), Draws(1, 0));
  EXPECT_NE(Draws(1, 0), Draws(2, 0));
  EXPECT_NE(Draws(1, 0), Draws(1, 1));
}

TEST(SampledTimes, ChangeARunAndNothingElseDoes) {
  const Scenario scenario = Read(3);
  Problem problem(scenario, Granularity::kModel);
  const SampledTimes times(problem);
  RunOptions options;
  options.work_time = [&](const Task& task, UnitId unit, bool mapped) {
    return times.Work(task, unit, mapped);
  };
  const Outcome medians = RunPolicy(scenario, "\"fcfs\""), sampled = RunPolicy(scenario, "\"fcfs\"", options);
  EXPECT_NE(medians.makespan(), sampled.makespan());
  EXPECT_EQ(sampled.makespan(), RunPolicy(scenario, "\"fcfs\"", options).makespan());
  EXPECT_EQ(medians.streams[0].completed(), sampled.streams[0].completed());
}

TEST(SampledTimes, StandInForThePlainOnesWhereNothingIsMapped) {
  const Scenario scenario = Read(1, "zero_copy");
  const Problem problem(scenario, Granularity::kModel);
  const SampledTimes times(problem);
  for (int i = 0; i < 20; ++i) {
    EXPECT_EQ(times.Work(TaskOf(0, i), kCpu, true), times.Work(TaskOf(0, i), kCpu, false));
  }
}

}  // namespace
}  // namespace tandem
