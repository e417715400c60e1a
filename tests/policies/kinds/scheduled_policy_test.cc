// Does a fixed schedule run as it says, and what of tasks that never come or that it does not name?
#include "policies/kinds/scheduled_policy.h"

#include <gtest/gtest.h>

#include "policies/kinds/recording_policy.h"
#include "tests/support/error_of.h"
#include "tests/support/read_scenario.h"
#include "tests/support/run_policy.h"
#include "tests/support/small_scenario.h"

namespace tandem {
namespace {

constexpr std::size_t kCpu = 0, kGpu = 1;

const std::string kTwo = R"("streams": [
    {"name": "a", "model": "mobilenet_v2", "count": 3, "arrival": {"type": "offline"}},
    {"name": "b", "model": "resnet50", "count": 1, "arrival": {"type": "periodic", "period_us": 1, "phase_us": 50}}])";

ScheduledRun Of(std::size_t stream, std::int64_t first, std::int64_t count) {
  return {StreamId(stream), 0, 1, first, count};
}

Outcome RunPlanned(const Scenario& scenario, std::vector<std::vector<ScheduledRun>> units,
                   std::vector<Decision>* taken = nullptr) {
  const Problem problem(scenario, Granularity::kModel);
  Decisions decisions;
  units.resize(problem.units());
  decisions.schedule = std::make_shared<FixedSchedule>(FixedSchedule{std::move(units)});
  const Prepared made = MakeDecided(decisions, problem);
  RecordingPolicy recording(*made.policy, 100);
  Outcome outcome = RunVirtual(*made.problem, recording);
  if (taken) *taken = recording.TakeAll();
  return outcome;
}

std::vector<std::int64_t> Micros(const StreamOutcome& stream) {
  std::vector<std::int64_t> micros;
  for (const Nanos latency : stream.latencies) micros.push_back(latency.count() / 1000);
  return micros;
}

TEST(Planned, AUnitWaitsForWhatIsCertainToCome) {
  const Outcome outcome =
      RunPlanned(ReadMini(kTwo), {{Of(0, 1, 1)}, {Of(1, 0, 1), Of(0, 2, 1), Of(0, 0, 1)}});
  EXPECT_EQ(Micros(outcome.streams[1]), (std::vector<std::int64_t>{1000}));  // at its release, 50 us
  EXPECT_EQ(Micros(outcome.streams[0]), (std::vector<std::int64_t>{400, 1250, 1450}));
}

TEST(Planned, NobodyWaitsForWhatMayBeDropped) {
  const std::string late = R"("streams": [
      {"name": "a", "model": "mobilenet_v2", "count": 1, "arrival": {"type": "offline"}},
      {"name": "b", "model": "resnet50", "count": 2, "deadline_us": 1100, "drop_late": true,
       "arrival": {"type": "periodic", "period_us": 10, "phase_us": 50}}])";
  const Outcome outcome = RunPlanned(ReadMini(late), {{}, {Of(1, 0, 2), Of(0, 0, 1)}});
  EXPECT_EQ(Micros(outcome.streams[0]), (std::vector<std::int64_t>{200}));  // what is there comes first
  EXPECT_EQ(outcome.streams[1].completed(), 1);
  EXPECT_EQ(outcome.streams[1].dropped, 1);
}

TEST(Planned, WhatTheScheduleDoesNotNameGoesWhereItEndsFirst) {
  const Outcome outcome = RunPlanned(ReadMini(kTwo), {{}, {Of(1, 0, 1)}});
  EXPECT_EQ(outcome.streams[0].completed(), 3);
  EXPECT_EQ(outcome.units[kGpu].tasks + outcome.units[kCpu].tasks + outcome.units[2].tasks, 4);
}

TEST(Planned, ARecordedRunIsTheSameAgain) {
  const Scenario scenario = ReadMini(kTwo);
  const JsonDocument eft = JsonDocument::Parse(R"("eft")", "policy");
  const PolicySpec spec = ReadPolicy(eft.root(), scenario);
  const Prepared rule = MakePolicy(spec, ProblemFor(spec, scenario));
  const Problem& problem = *rule.problem;
  RecordingPolicy recording(*rule.policy, 100);
  const Outcome first = RunVirtual(problem, recording);
  const FixedSchedule schedule = ScheduleOf(recording.TakeAll(), problem);
  const Outcome again = RunPlanned(scenario, schedule.units);
  for (std::size_t s = 0; s < 2; ++s) EXPECT_EQ(first.streams[s].latencies, again.streams[s].latencies);
}

TEST(Planned, RefusesWhatDoesNotFit) {
  const Scenario scenario = ReadMini(kTwo);
  EXPECT_NE(ErrorOf([&] {
              RunPlanned(scenario, {{Of(0, 0, 2), Of(0, 1, 1)}});
            }).find("twice"),
            std::string::npos);
  EXPECT_NE(ErrorOf([&] {
              RunPlanned(scenario, {{}, {}, {Of(1, 0, 1)}});
            }).find("cannot run"),
            std::string::npos);
}

struct NoBoard final : Board {
  Nanos Remaining(UnitId) const override { return Nanos{0}; }
};

TEST(Planned, ARepeatedScheduleGoesOnRoundByRound) {
  const Scenario scenario = ReadMini(kTwo);
  const Problem problem(scenario, Granularity::kModel);
  Decisions decisions;
  decisions.schedule = std::make_shared<FixedSchedule>(
      FixedSchedule{{{Of(0, 1, 1)}, {Of(1, 0, 1), Of(0, 2, 1), Of(0, 0, 1)}, {}}});
  ScheduledPolicy policy(problem, decisions, {0, 0}, true);
  const NoBoard board;
  // Three rounds, of stream a backwards; the last one lacks its b.
  for (std::int32_t index = 8; index >= 0; --index) {
    policy.Ready({.index = index, .stream = StreamId(0), .segment = problem.cut(StreamId(0)).first}, board);
  }
  for (std::int32_t index = 0; index < 2; ++index) {
    policy.Ready({.index = index, .stream = StreamId(1), .segment = problem.cut(StreamId(1)).first}, board);
  }
  const auto order = [&](std::size_t unit) {
    std::string taken;
    Task task;
    while (policy.Take(UnitId(unit), board, task)) {
      taken += std::string(task.stream == StreamId(0) ? " a" : " b") + std::to_string(task.index);
    }
    return taken;
  };
  EXPECT_EQ(order(kCpu), " a1 a4 a7");
  EXPECT_EQ(order(kGpu), " b0 a2 a0 b1 a5 a3 a8 a6");
}

// m0 on u0 (10 us), then on u1 (10 us); m1 on u1 alone, so many microseconds, behind m0 in u1's order.
std::vector<std::int64_t> EndsOfSecondUnit(std::int64_t m1_us, std::optional<Nanos> slack,
                                           std::vector<std::int64_t> work_us = {10, 10}) {
  constexpr std::int64_t kCannot = SmallScenario::kCannot;
  SmallScenario board({1, 1});
  board.AddStream(board.AddModel({{10, kCannot}, {kCannot, 10}}), 1);
  board.AddStream(board.AddModel({{kCannot, m1_us}}), 1);
  const Scenario scenario = board.Build();
  const Problem problem(scenario, Granularity::kLayer);
  Decisions decisions;
  decisions.granularity = Granularity::kLayer;
  FixedSchedule schedule{
      {{{StreamId(0), 0, 1, 0, 1}}, {{StreamId(0), 1, 1, 0, 1}, {StreamId(1), 0, 1, 0, 1}}}};
  schedule.slack = slack;
  decisions.schedule = std::make_shared<FixedSchedule>(schedule);
  const Prepared made = MakeDecided(decisions, problem);
  RunOptions options;
  options.work_time = [&](const Task& task, UnitId unit, bool, Nanos) -> Nanos {
    if (task.stream == StreamId(1)) return made.problem->Work(task.segment, unit);
    return std::chrono::microseconds{work_us[unit.index()]};
  };
  const Outcome outcome = RunVirtual(*made.problem, *made.policy, options);
  return {Micros(outcome.streams[0])[0], Micros(outcome.streams[1])[0]};
}

using Ends = std::vector<std::int64_t>;

TEST(Slack, WithoutItAUnitWaits) { EXPECT_EQ(EndsOfSecondUnit(6, std::nullopt), (Ends{20, 26})); }

TEST(Slack, WhatEndsBeforeTheNextOneCanComeGoesFirst) {
  EXPECT_EQ(EndsOfSecondUnit(6, Nanos{0}), (Ends{20, 6}));
  EXPECT_EQ(EndsOfSecondUnit(10, Nanos{0}), (Ends{20, 10}));
  EXPECT_EQ(EndsOfSecondUnit(12, Nanos{0}), (Ends{20, 32})) << "waiting gains 2 us";
  EXPECT_EQ(EndsOfSecondUnit(12, std::chrono::microseconds{2}), (Ends{22, 12})) << "no more than the noise";
}

TEST(Slack, CountsTheTimeThatIsLeftOfWhatRuns) {
  EXPECT_EQ(EndsOfSecondUnit(12, Nanos{0}, {11, 10}), (Ends{21, 33}));
  EXPECT_EQ(EndsOfSecondUnit(12, Nanos{0}, {50, 10}), (Ends{60, 12}));
}

}  // namespace
}  // namespace tandem
