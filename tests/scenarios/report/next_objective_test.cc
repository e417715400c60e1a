// Does the stream that is worst off count, and what comes next where the objective is equal?
#include <gtest/gtest.h>

#include <cmath>

#include "profiles/base/input_error.h"
#include "profiles/model/zoo.h"
#include "scenarios/report/json.h"
#include "scenarios/report/objective.h"
#include "scenarios/report/table.h"
#include "tests/support/error_of.h"
#include "tests/support/run_policy.h"

namespace tandem {
namespace {

// A unit that takes 10 and 2 ms, with a dispatch of half a millisecond, and one that takes 40 and 4.
std::string Text(const std::string& more, const std::string& dsp_watts = "2") {
  return R"({"tandem": "scenario/1", "name": "two", "platform": {"name": "b", "memories": [{"name": "m"}], "units": [
    {"name": "npu", "kind": "npu", "memory": "m", "dispatch_us": 500, "idle_w": 0, "busy_w": 4},
    {"name": "dsp", "kind": "dsp", "memory": "m", "idle_w": 0, "busy_w": )" +
         dsp_watts + R"(}]}, "profiles": [{"tandem": "profile/1", "platform": "b",
    "origin": {"kind": "estimated", "method": "made up"}, "entries": [
    {"model": "resnet50", "unit": "npu", "layers": "*", "median_ms": 10},
    {"model": "resnet50", "unit": "dsp", "layers": "*", "median_ms": 40},
    {"model": "alexnet", "unit": "npu", "layers": "*", "median_ms": 2},
    {"model": "alexnet", "unit": "dsp", "layers": "*", "median_ms": 4}]}], "transfer": "none",
    "streams": [{"name": "large", "model": "resnet50", "count": 1, "arrival": {"type": "offline"}},
                {"name": "small", "model": "alexnet", "count": 1, "arrival": {"type": "offline"}}], "policies": ["fcfs"])" +
         more + "}";
}

Scenario Read(const std::string& text) { return ReadScenario(JsonDocument::Parse(text, "s.json").root()); }

const std::string kOnOne = R"({"name": "priority", "rank": {"npu": ["resnet50", "alexnet"], "dsp": []}})";
const std::string kApart = R"({"name": "affinity", "map": {"resnet50": "npu", "alexnet": "dsp"}})";

TEST(Slowdown, IsThatOfTheStreamWhichIsWorstOff) {
  const Scenario scenario = Read(Text(R"(, "objective": "slowdown")"));
  const Report on_one = FiguresOf(scenario, RunPolicy(scenario, kOnOne));
  EXPECT_DOUBLE_EQ(on_one.streams[0].slowdown.value(), 1);
  EXPECT_DOUBLE_EQ(on_one.streams[1].slowdown.value(), 13 / 2.5);  // behind the large one
  EXPECT_DOUBLE_EQ(ObjectiveValue(on_one, Objective::kSlowdown).value(), 13 / 2.5);
  EXPECT_DOUBLE_EQ(CostOf(scenario, RunPolicy(scenario, kOnOne)).value, 13 / 2.5);
  EXPECT_DOUBLE_EQ(CostOf(scenario, RunPolicy(scenario, kApart)).value, 4 / 2.5);
  EXPECT_NE(ReportJson(on_one).find("\"slowdown\": 5.2"), std::string::npos) << ReportJson(on_one);
}

TEST(BalancedGain, IsTheGeometricMeanOfWhatStreamsHaveOfTheirSpeedAlone) {
  const Scenario scenario = Read(Text(R"(, "objective": "balanced_gain")"));
  const Report on_one = FiguresOf(scenario, RunPolicy(scenario, kOnOne));
  EXPECT_NEAR(ObjectiveValue(on_one, Objective::kBalancedGain).value(), std::sqrt(1 / 5.2), 1e-12);
  EXPECT_NEAR(CostOf(scenario, RunPolicy(scenario, kOnOne)).value, -std::sqrt(1 / 5.2), 1e-12);
  EXPECT_NEAR(CostOf(scenario, RunPolicy(scenario, kApart)).value, -std::sqrt(1 / 1.6), 1e-12);
  const Report found = FiguresOf(scenario, RunPolicy(scenario, R"({"name": "best", "evaluations": 50})"));
  // The small one first: the large one waits 2.5 ms, and has 10.5 of 13.
  EXPECT_NEAR(ObjectiveValue(found, Objective::kBalancedGain).value(), std::sqrt(10.5 / 13), 1e-12);
}

TEST(BalancedGain, LetsOneStreamWaitWhereOthersGainMore) {
  const Scenario scenario = Read(Text(""));
  std::vector<Report> reports(2, FiguresOf(scenario, RunPolicy(scenario, kApart)));
  reports[0].streams[0].slowdown = reports[0].streams[1].slowdown = 2;
  reports[1].streams[0].slowdown = 1;
  reports[1].streams[1].slowdown = 3;
  EXPECT_EQ(BestReports(reports, Objective::kSlowdown), std::vector<std::size_t>{0});
  EXPECT_EQ(BestReports(reports, Objective::kBalancedGain), std::vector<std::size_t>{1});
}

TEST(BalancedGain, IsNoneWhereAStreamStarves) {
  const Scenario scenario = Read(Text(""));
  Report report = FiguresOf(scenario, RunPolicy(scenario, kApart));
  StreamReport& small = report.streams[1];
  small.latency.reset();
  small.slowdown.reset();
  EXPECT_EQ(ObjectiveValue(report, Objective::kBalancedGain), 0.0);
  small.released = 0;  // nobody asked for anything
  EXPECT_NEAR(ObjectiveValue(report, Objective::kBalancedGain).value(), 1, 1e-12);
}

TEST(Slowdown, NeedsAUnitThatRunsTheWholeModel) {
  std::string rest;  // of alexnet's layers, behind the first one that takes time
  const Model alexnet = FindInZoo("alexnet")->build();
  for (const Layer& layer : alexnet.layers()) {
    if (!IsFree(layer.op) && layer.name != "features.0")
      rest += (rest.empty() ? "\"" : ", \"") + layer.name + "\"";
  }
  std::string text = Text(R"(, "objective": "makespan", "then": ["energy", "slowdown"])");
  const auto only = [&](const std::string& unit, const std::string& layers) {
    const std::string entry = R"("alexnet", "unit": ")" + unit + R"(", "layers": )";
    text.replace(text.find(entry) + entry.size(), 3, "[" + layers + "]");
  };
  only("npu", "\"features.0\"");
  only("dsp", rest);
  text.replace(text.find(R"("policies": ["fcfs"])"), 20,
               R"("policies": [{"name": "fcfs", "granularity": "layer"}])");
  EXPECT_EQ(ErrorOf([&] { Read(text); }),
            "s.json:/then/1: slowdown compares with a request alone, and no unit has a time for the whole of "
            "model \"alexnet\"");
  text.replace(text.find(R"("slowdown"])"), 10, R"("balanced_gain")");
  EXPECT_EQ(
      ErrorOf([&] { Read(text); }),
      "s.json:/then/1: balanced gain compares with a request alone, and no unit has a time for the whole of "
      "model \"alexnet\"");
}

TEST(NextObjective, TellsApartWhomTheFirstCallsEqual) {
  const Scenario scenario = Read(Text(R"(, "objective": "misses", "then": ["energy"])"));
  std::vector<Report> reports;
  for (const std::string& policy : {kApart, kOnOne}) {
    reports.push_back(FiguresOf(scenario, RunPolicy(scenario, policy)));
    reports.back().label = policy == kApart ? "apart" : "on one";
    reports.back().objective = scenario.objective;
    reports.back().then = scenario.then;
  }
  const Ranking ranking = RankReports(reports, scenario.objective);
  EXPECT_EQ(ranking.equal.size(), 2U);
  EXPECT_EQ(ranking.winners, std::vector<std::size_t>{0});  // 8 mJ in place of 10
  EXPECT_EQ(TieText(reports, ranking, scenario.objective),
            "tied by misses: apart, on one; apart has the least energy");
  EXPECT_EQ(ObjectiveText(scenario.objective, scenario.then), "misses, then energy");
}

TEST(NextObjective, LeadsASearch) {
  const auto energy = [](const std::string& more, const std::string& dsp_watts) {
    const Scenario scenario = Read(Text(more, dsp_watts));
    return *FiguresOf(scenario, RunPolicy(scenario, R"({"name": "best", "evaluations": 200})")).energy_j;
  };
  const std::string then = R"(, "objective": "misses", "then": ["energy"])";
  EXPECT_NEAR(energy(then, "0.5"), 0.022, 1e-9);  // all on the slow one
  EXPECT_NEAR(energy(then, "2"), 0.05, 1e-9);
}

TEST(NextObjective, EnergyThatNobodyKnowsIsRefusedThereToo) {
  std::string text = Text(R"(, "objective": "makespan", "then": ["energy"])");
  text.replace(text.find(R"(, "idle_w": 0)"), 13, "");
  const Scenario scenario = Read(text);
  EXPECT_EQ(ErrorOf([&] { CostOf(scenario, RunPolicy(scenario, kOnOne)); }),
            "s.json:/then: energy is not known: unit \"npu\" has no idle_w in platform \"b\"");
}

TEST(NextObjective, TwoAreTheMost) {
  EXPECT_EQ(ErrorOf([] { Read(Text(R"(, "then": ["energy", "misses", "p99_latency"])")); }),
            "s.json:/then: an objective and two more are compared");
  EXPECT_EQ(ErrorOf([] { Read(Text(R"(, "then": ["energy", "energy"])")); }),
            "s.json:/then/1: the objective \"energy\" is given twice");
}

}  // namespace
}  // namespace tandem
