// Does SimGrid's own host energy plugin count the joules that we count, in whatever state a unit is?
#include <gtest/gtest.h>

#include "profiles/program/shipped.h"
#include "scenarios/report/report.h"
#include "sim/engine/in_child.h"
#include "sim/engine/simgrid_runner.h"
#include "tests/support/json_scenario.h"

namespace tandem {
namespace {

Scenario Study003WithWatts() {
  Scenario scenario = ReadScenarioFile(FindFile("study-003", "", "scenarios", ".scenario.json"));
  double watts = 0.5;
  for (Unit& unit : scenario.platform->units) {
    unit.idle_w = watts;
    unit.busy_w = 3 * watts + 1;
    unit.states = {{"slow", watts / 2, {}}, {"fast", 2 * watts, 7 * watts}};
    watts += 0.75;
  }
  return scenario;
}

// A unit, on which four tasks of 10 us begin at once. It draws 1 and 5 W, and 2 and 9 when it is fast.
Scenario FourTasks(const std::string& of_unit, const std::string& of_scenario = "") {
  const JsonScenario json{
      R"("memories": [{"name": "dram"}], "units": [{"name": "u0", "kind": "npu", "memory": "dram", )" +
          of_unit + R"("idle_w": 1, "busy_w": 5, "states": [{"name": "fast", "idle_w": 2, "busy_w": 9}]}])",
      R"("entries": [{"model": "m0.json", "unit": "u0", "layers": "*", "median_us": 10}])",
      {R"([{"name": "in", "op": "input", "shape": [1, 1, 16, 16]}, {"name": "a", "op": "relu", "inputs": ["in"]}])"},
      R"("transfer": "none", "streams": [{"name": "s", "model": "m0.json", "count": 4,
          "arrival": {"type": "offline"}}])" +
          of_scenario};
  return json.Read();
}

// All units' joules by the plugin, which agree with the report's.
double CountedAlike(const Scenario& scenario, const SimGridOptions& simgrid, double most_error = 1e-9) {
  const PolicySpec spec = PolicyByName("fcfs", scenario, "test");
  const Prepared made = MakePolicy(spec, ProblemFor(spec, scenario));
  const Outcome outcome = RunInChild({}, [&](const RunOptions& within) {
    return RunOnSimGridHere(*made.problem, *made.policy, within, simgrid);
  });
  EXPECT_EQ(outcome.end, outcome.makespan());
  const Report report = MakeReport(scenario, spec, {}, outcome);
  double sum = 0;
  for (std::size_t u = 0; u < outcome.units.size(); ++u) {
    const double plugin = outcome.units[u].plugin_joules.value();
    EXPECT_GT(plugin, 0.0);
    EXPECT_NEAR(report.units[u].energy_j.value(), plugin, most_error * plugin) << report.units[u].name;
    sum += plugin;
  }
  EXPECT_NEAR(report.plugin_energy_j.value(), sum, 1e-12 * sum);
  return sum;
}

constexpr SimGridOptions kExact{.energy_plugin = true}, kFluid{.fluid = true};

TEST(Energy, AgreesWithSimGridsPluginOnConstantPower) {
  Scenario scenario = Study003WithWatts();
  const double exact = CountedAlike(scenario, kExact);
  EXPECT_GT(exact, 10.0);
  EXPECT_NEAR(CountedAlike(scenario, kFluid), exact, 1e-9 * exact);
}

TEST(Energy, AgreesWithSimGridsPluginInTheStateThatEachUnitIsIn) {
  Scenario scenario = Study003WithWatts();
  const double without = CountedAlike(scenario, kFluid);
  for (Unit& unit : scenario.platform->units) unit.state = "slow";
  EXPECT_LT(CountedAlike(scenario, kFluid), without);
  scenario.platform->units[0].state = "fast";
  scenario.platform->units[1].state = "as before";
  const double mixed = CountedAlike(scenario, kFluid);
  EXPECT_NEAR(CountedAlike(scenario, kExact), mixed, 1e-9 * mixed);
}

// Only a state has watts.
TEST(Energy, AgreesWithSimGridsPluginWhereTheUnitItselfHasNoWatts) {
  Scenario scenario = FourTasks("");
  Unit& unit = scenario.platform->units[0];
  unit.idle_w.reset();
  unit.busy_w.reset();
  unit.state = "fast";
  EXPECT_DOUBLE_EQ(CountedAlike(scenario, kFluid), 9 * 40e-6);
}

TEST(Energy, AgreesWithSimGridsPluginOnSlotsOfTheirOwnAndOnSharedOnes) {
  EXPECT_DOUBLE_EQ(CountedAlike(FourTasks(R"("slots": 2, )"), kFluid), (1 + 2 * 4) * 20e-6);
  EXPECT_DOUBLE_EQ(CountedAlike(FourTasks(R"("slots": 4, "time_shared": true, )"), kFluid), 5 * 40e-6);
  Scenario scenario = FourTasks(R"("slots": 3, )");
  scenario.platform->units[0].state = "fast";
  EXPECT_DOUBLE_EQ(CountedAlike(scenario, kFluid), 2 * 20e-6 + 4 * 7 * 10e-6);
}

// A unit that heat holds back draws what it drew, for longer. Its tasks end at whole nanoseconds.
TEST(Energy, AgreesWithSimGridsPluginWhereHeatHoldsAUnitBack) {
  Scenario scenario =
      FourTasks("", R"(, "heat": [{"unit": "u0", "time_constant_ms": 1, "hot": 0.01, "speed": 0.5}])");
  scenario.platform->units[0].state = "fast";
  for (const SimGridOptions& engine : {kExact, kFluid})
    EXPECT_GT(CountedAlike(scenario, engine, 1e-4), 1.5 * 9 * 40e-6);
}

// A task at half speed for 20 us, and three at twice the speed for 5 us each.
TEST(Energy, AgreesWithSimGridsPluginWhereAUnitsSpeedChanges) {
  const Scenario scenario = FourTasks("", R"(, "speeds": [{"unit": "u0", "at_us": 0, "speed": 0.5},
                                                          {"unit": "u0", "at_us": 20, "speed": 2}])");
  for (const SimGridOptions& engine : {kExact, kFluid})
    EXPECT_NEAR(CountedAlike(scenario, engine), 5 * 35e-6, 1e-12);
}

TEST(Energy, IsNotCountedByThePluginWhereAUnitHasNoWatts) {
  Scenario scenario = Study003WithWatts();
  scenario.platform->units[1].busy_w.reset();
  const PolicySpec spec = PolicyByName("fcfs", scenario, "test");
  const Prepared made = MakePolicy(spec, ProblemFor(spec, scenario));
  const Outcome outcome = RunFluidOnSimGrid(*made.problem, *made.policy);
  for (const UnitOutcome& unit : outcome.units) EXPECT_FALSE(unit.plugin_joules.has_value());
  EXPECT_FALSE(MakeReport(scenario, spec, {}, outcome).plugin_energy_j);
}

}  // namespace
}  // namespace tandem
