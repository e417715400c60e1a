// Is all that units do some stream's, so that the energies of streams and of idle units are the run's?
#include <gtest/gtest.h>

#include "profiles/program/shipped.h"
#include "scenarios/report/report.h"
#include "tests/support/run_policy.h"

namespace tandem {
namespace {

Scenario ShippedWithWatts(const std::string& name) {
  Scenario scenario = ReadScenarioFile(FindFile(name, "", "scenarios", ".scenario.json"));
  for (Unit& unit : scenario.platform->units) {
    unit.idle_w = 2;
    unit.busy_w = 5;
  }
  return scenario;
}

// Batches, units that leave with what they had, slots that share their unit's time, models in parts.
class StreamWorkOf : public testing::TestWithParam<const char*> {};

TEST_P(StreamWorkOf, AllStreamsIsThatOfTheUnits) {
  const Outcome outcome = RunPolicy(ShippedWithWatts(GetParam()), R"("fcfs")");
  std::vector<UnitOutcome> units(outcome.units.size());
  for (const StreamOutcome& stream : outcome.streams) {
    for (const StreamWork& work : stream.work) {
      units[work.unit.index()].task_joules += work.task_joules;
      units[work.unit.index()].unprofiled_busy += work.unprofiled_busy;
    }
  }
  for (std::size_t u = 0; u < units.size(); ++u) {
    EXPECT_NEAR(units[u].task_joules, outcome.units[u].task_joules, 1e-9 * outcome.units[u].task_joules);
    EXPECT_EQ(units[u].unprofiled_busy, outcome.units[u].unprofiled_busy);
  }
}

TEST_P(StreamWorkOf, AllStreamsAndIdleUnitsIsTheRunsEnergy) {
  const Scenario scenario = ShippedWithWatts(GetParam());
  const Report report = FiguresOf(scenario, RunPolicy(scenario, R"("fcfs")"));
  ASSERT_TRUE(report.energy_j);
  double joules = 0;
  for (const Unit& unit : scenario.platform->units) {
    joules += *unit.Draws().idle * static_cast<double>(report.makespan.count()) * 1e-9;
  }
  for (const StreamReport& stream : report.streams) joules += stream.energy_above_idle_j.value();
  EXPECT_NEAR(joules, *report.energy_j, 1e-9 * *report.energy_j);
}

INSTANTIATE_TEST_SUITE_P(Shipped, StreamWorkOf,
                         testing::Values("fair-shares", "server-batches", "cameras-together", "gpu-resets",
                                         "driver-shared", "clock-states", "faces"));

}  // namespace
}  // namespace tandem
