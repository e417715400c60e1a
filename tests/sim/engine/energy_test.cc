// Does SimGrid's own host energy plugin count the joules that we count, where power is constant?
#include <gtest/gtest.h>

#include "profiles/program/shipped.h"
#include "scenarios/report/report.h"
#include "sim/engine/in_child.h"
#include "sim/engine/simgrid_runner.h"

namespace tandem {
namespace {

TEST(Energy, AgreesWithSimGridsPluginOnConstantPower) {
  Scenario scenario = ReadScenarioFile(FindFile("study-003", "", "scenarios", ".scenario.json"));
  double watts = 0.5;
  for (Unit& unit : scenario.platform->units) {
    unit.idle_w = watts;
    unit.busy_w = 3 * watts + 1;
    watts += 0.75;
  }
  const PolicySpec spec = PolicyByName("fcfs", scenario, "test");
  const Prepared made_policy = MakePolicy(spec, ProblemFor(spec, scenario));
  // The plugin's joules come back in place of the tasks' own, of which there are none here.
  Outcome outcome = RunInChild({}, [&](const RunOptions& within) {
    std::vector<double> joules;
    Outcome made = RunOnSimGridHere(*made_policy.problem, *made_policy.policy, within, {&joules});
    for (std::size_t u = 0; u < made.units.size(); ++u) made.units[u].task_joules = joules.at(u);
    return made;
  });
  std::vector<double> plugin;
  for (UnitOutcome& unit : outcome.units) {
    plugin.push_back(unit.task_joules);
    unit.task_joules = 0;
  }
  EXPECT_EQ(outcome.end, outcome.makespan());
  const Report report = MakeReport(scenario, spec, {}, outcome);
  ASSERT_EQ(report.units.size(), plugin.size());
  for (std::size_t u = 0; u < plugin.size(); ++u) {
    ASSERT_TRUE(report.units[u].energy_j);
    EXPECT_GT(plugin[u], 1.0);
    EXPECT_NEAR(*report.units[u].energy_j, plugin[u], 1e-9 * plugin[u]) << report.units[u].name;
  }
}

}  // namespace
}  // namespace tandem
