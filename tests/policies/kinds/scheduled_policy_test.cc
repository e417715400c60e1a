// Does a fixed schedule run as it says, and what of tasks that never come or that it does not name?
#include "policies/kinds/scheduled_policy.h"

#include <gtest/gtest.h>

#include "policies/kinds/recording_policy.h"
#include "tests/support/error_of.h"
#include "tests/support/read_scenario.h"
#include "tests/support/run_policy.h"

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

}  // namespace
}  // namespace tandem
