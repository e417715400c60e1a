// Do every figure of every report and its median over the draws lie in the interval that stands beside it,
// whatever the scenario?
#include <gtest/gtest.h>

#include <iterator>
#include <nlohmann/json.hpp>
#include <string>

#include "scenarios/report/json.h"
#include "sim/study/draws.h"
#include "tests/support/random_scenario.h"
#include "tests/support/scenario_in_place.h"

namespace tandem {
namespace {

using Json = nlohmann::json;

// [low, high] beside a number, or an object of these beside one of numbers.
void ExpectInside(const Json& figure, const Json& interval, const std::string& name) {
  if (interval.is_null() || figure.is_null()) return;
  if (interval.is_object()) {
    for (const auto& [key, ends] : interval.items()) ExpectInside(figure.at(key), ends, name + "." + key);
    return;
  }
  EXPECT_LE(interval.at(0).get<double>(), figure.get<double>()) << name;
  EXPECT_GE(interval.at(1).get<double>(), figure.get<double>()) << name;
}

// "busy_interval_ns" is of "busy_ns", and so on.
void ExpectAllInside(const Json& report, const std::string& name) {
  const std::string word = "_interval";
  if (report.is_object() && report.contains("value") && report.contains("interval")) {
    ExpectInside(report.at("value"), report.at("interval"), name);
  }
  for (const auto& [key, value] : report.items()) {
    const std::string place = name + "/" + key;
    if (const std::size_t at = key.find(word); at != std::string::npos) {
      ExpectInside(report.at(std::string(key).erase(at, word.size())), value, place);
      const std::string median = std::string(key).replace(at, word.size(), "_median");
      ASSERT_TRUE(report.contains(median)) << place;
      EXPECT_EQ(report.at(median).is_null(), value.is_null()) << place;
      ExpectInside(report.at(median), value, place + " and its median");
    } else if (value.is_structured()) {
      ExpectAllInside(value, place);
    }
  }
}

std::vector<Report> Drawn(const Scenario& scenario, const std::vector<std::string>& policies, Wanted wanted) {
  LongRun watch;
  std::vector<PolicySpec> specs;
  std::vector<Report> reports;
  const std::vector<PolicySpec> chosen = ChoosePolicies(scenario, policies);
  for (const PolicySpec& spec : chosen) {
    const PreparedRun run = Prepare(scenario, spec);
    reports.push_back(ReportOf(run, Engine::kVirtual, {}, RunOn(Engine::kVirtual, run)));
    specs.push_back(Decided(run));
  }
  AddDraws(scenario, specs, kUsualInterval, wanted, reports, watch);
  return reports;
}

// How many of the policies' reports have draws.
int Check(const Scenario& scenario, const std::vector<std::string>& policies, Wanted wanted) {
  int drawn = 0;
  for (const Report& report : Drawn(scenario, policies, wanted)) {
    drawn += report.draws ? 1 : 0;
    ExpectAllInside(Json::parse(ReportJson(report)), scenario.name + ", " + report.label);
  }
  return drawn;
}

TEST(Figures, OfRandomScenariosLieInTheirIntervals) {
  const Objective objectives[] = {Objective::kMakespan, Objective::kThroughput, Objective::kMeanLatency,
                                  Objective::kP99Latency, Objective::kMisses};
  int drawn = 0;
  for (std::uint64_t seed = 1; seed <= 60; ++seed) {
    Scenario scenario = RandomScenario(seed);
    scenario.objective = objectives[seed % std::size(objectives)];
    for (Profile& profile : scenario.profiles) profile.origin.error = 0.3;
    for (const Wanted wanted : {Wanted::kIntervals, Wanted::kMediansToo}) {
      drawn += Check(scenario, {"fcfs", "eft"}, wanted);
    }
  }
  EXPECT_GT(drawn, 60);
}

// Most of the time at their median and now and then much longer: nearly no draw is as short as the medians.
TEST(Figures, OfSkewedSamplesLieInTheirIntervals) {
  InPlace board;
  board.units =
      R"({"name": "cpu", "kind": "cpu", "memory": "m", "idle_w": 1, "busy_w": 3},
         {"name": "gpu", "kind": "gpu", "memory": "n", "idle_w": 1, "busy_w": 9})";
  std::vector<double> samples;
  for (int i = 0; i < 100; ++i) samples.push_back(i % 10 < 3 ? 250 : 100);
  board.profile = R"("entries": [)" + EntryOf("cpu", SamplesText(samples)) + ", " +
                  EntryOf("gpu", SamplesText(samples)) + "]";
  board.streams = R"({"name": "a", "model": "alexnet", "count": 40, "arrival": {"type": "offline"}},
      {"name": "b", "model": "alexnet", "count": 40, "deadline_us": 150,
       "arrival": {"type": "periodic", "period_us": 120}})";
  for (const Wanted wanted : {Wanted::kIntervals, Wanted::kMediansToo}) {
    EXPECT_EQ(Check(board.Read(), {"fcfs", "sjf", "round_robin"}, wanted), 3);
  }
}

// A frame that comes late is dropped, and what follows it with it: of a third of the frames takes the first
// longer.
TEST(Figures, OfStagesDropsAndScoresLieInTheirIntervals) {
  InPlace board;
  board.units = R"({"name": "cpu", "kind": "cpu", "memory": "m", "idle_w": 1, "busy_w": 3})";
  std::vector<double> samples;
  for (int i = 0; i < 100; ++i) samples.push_back(i % 10 < 3 ? 250 : 100);
  board.profile = R"("entries": [)" + EntryOf("cpu", SamplesText(samples)) + "]";
  board.streams = R"({"name": "eye", "model": "alexnet", "count": 40, "deadline_us": 200, "drop_late": true,
       "arrival": {"type": "periodic", "period_us": 210}},
      {"name": "hand", "model": "alexnet", "depends_on": {"stream": "eye"}})";
  board.members = R"(, "rules": "xrbench")";
  const Scenario scenario = board.Read();
  for (const Wanted wanted : {Wanted::kIntervals, Wanted::kMediansToo}) {
    EXPECT_EQ(Check(scenario, {"fcfs"}, wanted), 1);
  }
  const Json report = Json::parse(ReportJson(Drawn(scenario, {"fcfs"}, Wanted::kIntervals)[0]));
  EXPECT_TRUE(report.contains("dropped_interval"));
  EXPECT_TRUE(report.contains("xrbench_interval"));
  EXPECT_TRUE(report.at("streams").at(0).contains("dropped_share_interval"));
  EXPECT_TRUE(report.at("streams").at(0).contains("xrbench_interval"));
  EXPECT_TRUE(report.at("streams").at(0).contains("energy_above_idle_interval_j"));
  EXPECT_TRUE(report.at("streams").at(1).at("stages").at(0).contains("waiting_interval_ns"));
}

}  // namespace
}  // namespace tandem
