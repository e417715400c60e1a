// Are runs judged by the figures that a condition names, and do limits come before the objective?
#include "scenarios/report/limits.h"

#include <gtest/gtest.h>

#include "profiles/base/input_error.h"
#include "scenarios/report/json.h"
#include "scenarios/report/objective.h"
#include "scenarios/report/table.h"
#include "tests/support/error_of.h"
#include "tests/support/hand_made_run.h"
#include "tests/support/one_unit.h"
#include "tests/support/run_policy.h"

namespace tandem {
namespace {

using Positions = std::vector<std::size_t>;

Scenario Overloaded(const std::string& limits = "") {  // 10 ms of work every 5 ms: the k-th takes 10 + 5 k
  OneUnit one;
  one.streams =
      R"({"name": "a", "model": "alexnet", "count": 10, "arrival": {"type": "periodic", "period_ms": 5},
                    "deadline_ms": 30})";
  one.of_unit = R"(, "idle_w": 1, "busy_w": 3)";
  if (!limits.empty()) one.members = R"(, "limits": [")" + limits + R"("])";
  return ReadScenario(JsonDocument::Parse(one.Text(), "s.json").root());
}

bool Kept(const std::string& text) {
  const Scenario scenario = Overloaded();
  const Report report = FiguresOf(scenario, RunPolicy(scenario, R"("fcfs")"));
  const std::vector<ConditionTerm> terms = ReadCondition(text, scenario);
  return std::all_of(terms.begin(), terms.end(), [&](const ConditionTerm& term) {
    return term.Keeps(FarthestOf(term, {&report, 1}));
  });
}

TEST(Limits, EachFigureIsJudgedAtItsBound) {
  // Latencies 10, 15, ..., 55 ms; those of 35 and more miss: 5 of 10.
  for (const char* kept :
       {"misses <= 50 %", "misses <= 5", "drops <= 0", "max <= 55 ms", "mean <= 32.5ms", "p50 <= 0.03 s",
        "p99 <= 55000 us", "streams.a.p90 <= 50 ms", "streams.*.p99 <= 55 ms", "makespan <= 100 ms",
        "throughput >= 100/s", "utilization >= 100 %", "units.cpu.utilization <= 1", "energy <= 0.3 J",
        "power <= 3 W", "max >= 55 ms", "max < 56 ms and misses < 6", "max \xe2\x89\xa4 55 ms"}) {
    EXPECT_TRUE(Kept(kept)) << kept;
  }
  for (const char* broken :
       {"misses <= 49 %", "misses < 5", "misses <= 4", "max < 55 ms", "mean <= 32.4 ms", "makespan < 100 ms",
        "throughput > 100/s", "utilization < 100 %", "energy <= 0.29 J", "max <= 55 ms and misses <= 4",
        "max <= 55 ms, misses <= 4"}) {
    EXPECT_FALSE(Kept(broken)) << broken;
  }
}

TEST(Limits, AreASearchsFirstCost) {
  const Scenario kept = Overloaded("max <= 55 ms"), broken = Overloaded("max <= 44 ms");
  const Outcome outcome = RunPolicy(kept, R"("fcfs")");
  EXPECT_EQ(CostOf(kept, outcome).excess, 0);
  EXPECT_DOUBLE_EQ(CostOf(broken, outcome).excess, 0.25);
  EXPECT_LT(CostOf(kept, outcome), CostOf(broken, outcome));
}

TEST(Limits, OfEnergyNeedWatts) {
  Scenario scenario = Overloaded("energy <= 1 J");
  scenario.platform->units[0].idle_w.reset();
  const Outcome outcome = RunPolicy(Overloaded(), R"("fcfs")");
  EXPECT_NE(
      ErrorOf([&] { CheckPower(scenario, outcome); }).find(R"(:/limits: energy is not known: unit "cpu")"),
      std::string::npos);
  const Report report = FiguresOf(scenario, outcome);
  ASSERT_EQ(report.limits.size(), 1U);
  EXPECT_FALSE(report.limits[0].value);
  EXPECT_FALSE(report.limits[0].kept());
}

// Of this policy, with so much p99 latency, which may be 5 ms, and that makespan.
Report With(const std::string& label, std::int64_t p99, std::int64_t makespan) {
  Report report = MakeRun().MakeReport();
  report.label = label;
  report.makespan = Nanos{makespan};
  report.latency->p99 = std::chrono::milliseconds{p99};
  ConditionTerm term;
  term.text = "p99 <= 5 ms";
  term.figure = ConditionFigure::kP99;
  term.bound = 5e6;
  report.limits = JudgeLimits({term}, report);
  return report;
}

TEST(Limits, ComeBeforeTheObjective) {
  const std::vector<Report> reports = {With("fast", 6, 10), With("slow", 5, 30), With("kept", 4, 20)};
  EXPECT_EQ(BestReports(reports, Objective::kMakespan), Positions{2});
  EXPECT_EQ(Contenders(reports, Objective::kMakespan), (Positions{1, 2}));
  const std::string table = ReportTable(reports, 200);
  EXPECT_NE(table.find("limit p99 <= 5 ms: kept by slow ("), std::string::npos) << table;
  EXPECT_NE(table.find("; broken by fast ("), std::string::npos) << table;
  EXPECT_EQ(table.find("no policy keeps"), std::string::npos) << table;
  EXPECT_NE(
      ReportJson(reports[0])
          .find(R"("limits": [{"limit": "p99 <= 5 ms", "value": 6000000, "bound": 5000000, "kept": false)"),
      std::string::npos)
      << ReportJson(reports[0]);
}

TEST(Limits, ThatNobodyKeepsAreWonByWhoComesClosest) {
  const std::vector<Report> reports = {With("far", 10, 10), With("near", 7, 30), With("nearest", 6, 20)};
  EXPECT_EQ(BestReports(reports, Objective::kMakespan), Positions{2});
  EXPECT_EQ(LimitTexts(reports).back(),
            "no policy keeps all limits; nearest comes closest: p99 6.000 ms would have to be allowed");
}

TEST(Limits, SayInHowManyDrawsTheyAreKept) {
  Report report = With("drawn", 5, 10);
  std::vector<Report> drawn;
  for (std::int64_t p99 = 1; p99 <= 20; ++p99) drawn.push_back(With("drawn", p99, 10));
  SetDraws(drawn, kUsualInterval, report);
  EXPECT_DOUBLE_EQ(*report.limits[0].kept_share, 0.25);
  EXPECT_EQ(LimitTexts({report})[0], "limit p99 <= 5 ms: kept by drawn (5.000 ms, in 25.0% of the draws)");
  ForgetDraws("none", report);
  EXPECT_FALSE(report.limits[0].kept_share);
}

}  // namespace
}  // namespace tandem
