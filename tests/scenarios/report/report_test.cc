// Does a report say of an outcome what docs/semantics.md defines?
#include "scenarios/report/report.h"

#include <gtest/gtest.h>

#include "scenarios/report/objective.h"
#include "tests/support/error_of.h"
#include "tests/support/hand_made_run.h"

namespace tandem {
namespace {

using std::chrono::milliseconds;

void AddPower(HandMadeRun& run) {
  for (Unit& unit : run.scenario.platform->units) {
    unit.idle_w = 1;
    unit.busy_w = 3;
  }
}

TEST(Report, CountsInferencesNotRequestsInThroughput) {
  const Report report = MakeRun().MakeReport();
  EXPECT_EQ(report.makespan, milliseconds{21});
  EXPECT_EQ(report.inferences, 42);
  EXPECT_EQ(report.throughput_per_s, 2000);
  EXPECT_DOUBLE_EQ(report.streams[0].throughput_per_s, 40 / 0.021);
  EXPECT_EQ(report.completed, 12);
  EXPECT_EQ(report.released, 13);
  EXPECT_EQ(report.dropped, 1);
  EXPECT_EQ(report.missed, 2);
}

TEST(Report, LatenciesAreThoseOfTheStreamAndOfAll) {
  const Report report = MakeRun().MakeReport();
  EXPECT_EQ(report.streams[0].latency->p90, milliseconds{9});
  EXPECT_EQ(report.streams[1].latency->mean, milliseconds{2});
  EXPECT_EQ(report.latency->max, milliseconds{10});
  EXPECT_EQ(report.latency->mean, Nanos{4916667});  // 59 ms / 12
  EXPECT_EQ(report.streams[1].first_release, milliseconds{1});
  EXPECT_EQ(report.streams[1].last_completion, milliseconds{21});
}

TEST(Report, UtilizationIsOfAllSlots) {
  HandMadeRun run = MakeRun();
  run.scenario.platform->units[1].slots = 2;
  const Report report = run.MakeReport();
  EXPECT_DOUBLE_EQ(report.units[0].utilization, 10.0 / 21);
  EXPECT_DOUBLE_EQ(report.units[1].utilization, 5.0 / 42);
  EXPECT_EQ(report.units[2].utilization, 0);
}

TEST(Report, GapIsTheMakespanBesideTheBound) {
  HandMadeRun run = MakeRun();
  EXPECT_DOUBLE_EQ(*run.MakeReport().gap, 0.4);
  run.facts.bound.reset();
  EXPECT_FALSE(run.MakeReport().gap);
}

TEST(Report, EnergyIsIdlePowerPlusWhatTasksTookAboveIt) {
  HandMadeRun run = MakeRun();
  AddPower(run);
  const Report report = run.MakeReport();
  EXPECT_DOUBLE_EQ(*report.units[0].energy_j, 0.021 + 2 * 0.010);
  EXPECT_DOUBLE_EQ(*report.units[1].energy_j, 0.021 + 0.25);
  EXPECT_DOUBLE_EQ(*report.units[2].energy_j, 0.021);
  EXPECT_DOUBLE_EQ(*report.energy_j, 3 * 0.021 + 0.020 + 0.25);
  EXPECT_DOUBLE_EQ(*report.energy_per_inference_j, *report.energy_j / 42);
  EXPECT_EQ(report.energy_why, "");
}

TEST(Report, EnergyIsUnknownNotZeroWherePowerIs) {
  const Report unknown = MakeRun().MakeReport();
  EXPECT_FALSE(unknown.energy_j);
  EXPECT_EQ(unknown.energy_why, "unit \"cpu\" has no idle_w");
  HandMadeRun run = MakeRun();
  AddPower(run);
  run.scenario.platform->units[1].busy_w.reset();  // its tasks have joules of their own
  EXPECT_TRUE(run.MakeReport().energy_j);
  run.scenario.platform->units[0].busy_w.reset();
  EXPECT_EQ(run.MakeReport().energy_why,
            "unit \"cpu\" has no busy_w, and ran tasks without energy_j of their own");
}

TEST(Objective, EnergyThatNobodyKnowsHasNoCost) {
  HandMadeRun run = MakeRun();
  run.scenario.objective = Objective::kEnergy;
  const auto problem = [&] { return ErrorOf([&] { (void)CostOf(run.scenario, run.outcome); }); };
  EXPECT_TRUE(
      problem().ends_with(R"(:/objective: energy is not known: unit "cpu" has no idle_w in platform "mini")"))
      << problem();
  AddPower(run);
  run.scenario.platform->units[0].busy_w.reset();
  EXPECT_NE(problem().find(R"(unit "cpu" has no busy_w)"), std::string::npos) << problem();
  run.scenario.platform->units[0].busy_w = 3;
  EXPECT_DOUBLE_EQ(CostOf(run.scenario, run.outcome).value, *run.MakeReport().energy_j);
  run.scenario.platform->units[2].busy_w.reset();
  EXPECT_NO_THROW(CheckPower(run.scenario, run.outcome)) << "it ran nothing";
}

TEST(Objective, ASearchForLittleEnergyNeedsItOfAllThatMayRun) {
  Scenario scenario = MakeRun().scenario;
  EXPECT_NO_THROW(CheckPowerOfAll(scenario)) << "the objective is another";
  scenario.objective = Objective::kEnergy;
  for (Unit& unit : scenario.platform->units) unit.idle_w = 1;
  EXPECT_NE(ErrorOf([&] { CheckPowerOfAll(scenario); }).find(R"(unit "cpu" has no busy_w)"),
            std::string::npos);
  for (Unit& unit : scenario.platform->units) unit.busy_w = 3;
  EXPECT_NO_THROW(CheckPowerOfAll(scenario));
}

TEST(Report, ObjectivesAreWhatTheyAreCalled) {
  HandMadeRun run = MakeRun();
  AddPower(run);
  const Report report = run.MakeReport();
  EXPECT_EQ(ObjectiveValue(report, Objective::kMakespan), 21e6);
  EXPECT_EQ(ObjectiveValue(report, Objective::kThroughput), 2000);
  EXPECT_EQ(ObjectiveValue(report, Objective::kMeanLatency), 4916667);
  EXPECT_EQ(ObjectiveValue(report, Objective::kP99Latency), 10e6);
  EXPECT_EQ(ObjectiveValue(report, Objective::kMisses), 2);
  EXPECT_EQ(ObjectiveValue(report, Objective::kEnergy), report.energy_j);
}

TEST(Report, NothingCompletedIsNoLatencyAndNoDivisionByZero) {
  HandMadeRun run = MakeRun();
  for (StreamOutcome& stream : run.outcome.streams) stream = {};
  run.outcome.last_completion = Nanos{0};
  const Report report = run.MakeReport();
  EXPECT_FALSE(report.latency);
  EXPECT_EQ(report.throughput_per_s, 0);
  EXPECT_EQ(report.units[0].utilization, 0);
  EXPECT_FALSE(ObjectiveValue(report, Objective::kP99Latency));
}

Report WithMakespan(Nanos makespan) {
  Report report = MakeRun().MakeReport();
  report.makespan = makespan;
  report.throughput_per_s = 1e9 / static_cast<double>(makespan.count());
  return report;
}

TEST(BestReports, AreAllThatAreEqualAndRespectTheDirection) {
  const std::vector<Report> reports = {WithMakespan(Nanos{30}), WithMakespan(Nanos{20}),
                                       WithMakespan(Nanos{20})};
  EXPECT_EQ(BestReports(reports, Objective::kMakespan), (std::vector<std::size_t>{1, 2}));
  EXPECT_EQ(BestReports(reports, Objective::kThroughput), (std::vector<std::size_t>{1, 2}));
  EXPECT_TRUE(BestReports(reports, Objective::kEnergy).empty());
}

TEST(BestReports, LeaveOutWhatWasCutShortOrSeesTheFuture) {
  std::vector<Report> reports = {WithMakespan(Nanos{10}), WithMakespan(Nanos{20}), WithMakespan(Nanos{30})};
  reports[0].complete = false;
  reports[1].beside = true;
  EXPECT_EQ(BestReports(reports, Objective::kMakespan), std::vector<std::size_t>{2});
}

TEST(Report, ClairvoyantIsBesideOnlyWhereArrivalsAreStillToCome) {
  HandMadeRun run = MakeRun();
  const PolicyDeclaration seer{.name = "seer", .summary = "sees all", .clairvoyant = true};
  EXPECT_FALSE(run.MakeReport().beside);
  run.policy.declaration = &seer;
  EXPECT_TRUE(run.MakeReport().beside);
  run.scenario.streams[1].arrival = OfflineArrival{};
  EXPECT_FALSE(run.MakeReport().beside);
}

}  // namespace
}  // namespace tandem
