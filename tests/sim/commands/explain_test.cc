// Does `tandem explain` say where the time goes, what would change it, and how two policies differ?
#include <gtest/gtest.h>

#include <fstream>
#include <nlohmann/json.hpp>
#include <sstream>

#include "tests/support/program.h"
#include "tests/support/temp_folder.h"

namespace tandem {
namespace {

using Json = nlohmann::json;

Json Explained(const std::string& arguments) {
  const ProgramResult result = RunTandem("explain " + arguments + " --json");
  EXPECT_EQ(result.status, 0) << result.errors;
  return Json::parse(result.output);
}

void ExpectWhole(const Json& run) {
  std::int64_t at = run["path"].at(0)["from_ns"], sum = 0;
  const std::int64_t begin = at;
  for (const Json& piece : run["path"]) {
    EXPECT_EQ(piece["from_ns"], at);
    at = piece["to_ns"];
  }
  EXPECT_EQ(at - begin, run["makespan_ns"]);
  for (const auto& [cause, time] : run["causes"].items()) sum += time.get<std::int64_t>();
  EXPECT_EQ(sum, run["makespan_ns"]);
}

TEST(ExplainCommand, ThePathAddsUpForBothPolicies) {
  const Json json = Explained("study-003 --engine virtual --policy eft --versus fcfs");
  EXPECT_EQ(json["tandem"], "explanation/1");
  EXPECT_EQ(json["run"]["label"], "eft");
  EXPECT_EQ(json["versus"]["label"], "fcfs");
  ExpectWhole(json["run"]);
  ExpectWhole(json["versus"]);
  EXPECT_GT(json["decisions"]["tried"], 10);
  EXPECT_LE(json["decisions"]["tried"], 200);
  EXPECT_EQ(json["decisions"]["best"].size(), 5U);
  EXPECT_EQ(json["decisions"]["unchanged"]["makespan_ns"], json["run"]["makespan_ns"]);
  EXPECT_EQ(json["faster"].size(), 4U);
}

TEST(ExplainCommand, BothEnginesSayTheSame) {
  Json simgrid = Explained("study-003 --policy sjf"),
       fast = Explained("study-003 --policy sjf --engine virtual");
  EXPECT_EQ(simgrid["run"]["engine"], "simgrid");
  simgrid["run"]["engine"] = fast["run"]["engine"] = "";
  EXPECT_EQ(simgrid, fast);
}

// With so many requests of the brake the last one of the log waits while they go before it, again and again.
TEST(ExplainCommand, WhereUrgencyDecidedItSaysSo) {
  const std::string arguments =
      "critical-brake --policy fcfs --engine virtual --what-if streams.brake.count=500";
  const Json run = Explained(arguments)["run"];
  EXPECT_EQ(run["follows"]["stream"], "log");
  EXPECT_GT(run["causes"]["critical_ns"], run["causes"]["compute_ns"]);
  for (const Json& piece : run["path"]) {
    if (piece["cause"] != "critical") continue;
    ASSERT_EQ(piece["behind"].size(), 1U);
    EXPECT_EQ(piece["behind"].at(0)["model"], "mobilenet_v2");
  }
  EXPECT_NE(RunTandem("explain " + arguments).output.find("behind critical streams"), std::string::npos);
  EXPECT_EQ(Explained("study-003 --engine virtual --policy fcfs")["run"]["causes"]["critical_ns"], 0);
}

TEST(ExplainCommand, WithoutAPolicyItExplainsTheWinner) {
  const std::string engine = " --engine virtual --json";
  const ProgramResult plan = RunTandem("plan study-002" + engine);
  EXPECT_EQ(Explained("study-002 --engine virtual")["run"]["label"], Json::parse(plan.output)["winner"]);
}

TEST(ExplainCommand, ATableFitsATerminal) {
  const ProgramResult result = RunTandem("explain study-003 --engine virtual --policy eft --versus sjf");
  EXPECT_EQ(result.status, 0) << result.errors;
  for (const char* part :
       {"critical path", "waiting for a unit", "Decisions", "twice as fast", "Both paths"}) {
    EXPECT_NE(result.output.find(part), std::string::npos) << part << "\n" << result.output;
  }
  std::istringstream lines(result.output);
  for (std::string line; std::getline(lines, line);) EXPECT_LE(line.size(), 80U) << line;
}

// 10 ms on the one unit, then 5 ms on the other: 3 ms later than is asked from end to end, and the second one
// comes when its deadline is already near, or past.
std::string Chain(int deadline_ms) {
  return R"({"tandem": "scenario/1", "name": "chain", "transfer": "none",
    "platform": {"name": "b", "memories": [{"name": "m"}], "units": [{"name": "npu", "kind": "npu", "memory": "m"},
                                                                   {"name": "cpu", "kind": "cpu", "memory": "m"}]},
    "profiles": [{"tandem": "profile/1", "platform": "b", "origin": {"kind": "estimated", "method": "m"},
      "entries": [{"model": "resnet50", "unit": "npu", "layers": "*", "median_ms": 10},
                  {"model": "mobilenet_v2", "unit": "cpu", "layers": "*", "median_ms": 5}]}],
    "streams": [{"name": "cam", "model": "resnet50", "count": 20, "arrival": {"type": "periodic", "period_ms": 20}},
                {"name": "post", "model": "mobilenet_v2", "depends_on": {"stream": "cam"}, "end_to_end_deadline_ms": )" +
         std::to_string(deadline_ms) + R"(}], "policies": ["fcfs"]})";
}

TEST(ExplainCommand, ADeadlineFromEndToEndIsFollowedFromTheFrameOn) {
  const TempFolder folder;
  for (const int deadline : {12, 8}) {  // of 8 ms nothing is left when the second one comes
    const std::string file = (folder / "chain.scenario.json").string();
    std::ofstream(file) << Chain(deadline);
    const Json run = Explained(file)["run"];
    EXPECT_EQ(run["follows"]["stream"], "post");
    EXPECT_EQ(run["follows"]["since"], "cam");
    EXPECT_EQ(run["follows"]["release_ns"], 0);
    EXPECT_EQ(run["follows"]["latency_ns"], 15'000'000);
    EXPECT_EQ(run["follows"]["deadline_ns"], deadline * 1'000'000);
    ASSERT_EQ(run["path"].size(), 2U);
    EXPECT_EQ(run["path"][0]["stream"], "cam");
    EXPECT_EQ(run["path"][1]["stream"], "post");
    EXPECT_EQ(run["causes"]["compute_ns"], 15'000'000);
    const ProgramResult text = RunTandem("explain " + file);
    EXPECT_EQ(text.status, 0) << text.errors;
    for (const std::string& part : {std::string("latency 15.000 since the release of cam #0, deadline ") +
                                        std::to_string(deadline) + ".000",
                                    std::string("cam #0 on npu"), std::string("post #0 on cpu")}) {
      EXPECT_NE(text.output.find(part), std::string::npos) << part << "\n" << text.output;
    }
  }
}

// Ten requests at once, 1 ms each on the one unit and 2 ms on the other; nobody knows of anything that would
// vary.
std::string TwoUnits() {
  return R"({"tandem": "scenario/1", "name": "two", "transfer": "none",
    "platform": {"name": "b", "memories": [{"name": "m"}, {"name": "n"}],
      "units": [{"name": "a", "kind": "npu", "memory": "m"}, {"name": "b", "kind": "npu", "memory": "n"}]},
    "profiles": [{"tandem": "profile/1", "platform": "b",
      "origin": {"kind": "estimated", "method": "m", "error": 0},
      "entries": [{"model": "mobilenet_v2", "unit": "a", "layers": "*", "samples_ms": [1, 1, 1, 1, 1]},
                  {"model": "mobilenet_v2", "unit": "b", "layers": "*", "samples_ms": [2, 2, 2, 2, 2]}]}],
    "streams": [{"name": "s", "model": "mobilenet_v2", "count": 10, "arrival": {"type": "offline"}}],
    "policies": [{"name": "single", "unit": "a", "label": "A"}, {"name": "single", "unit": "b", "label": "B"}]})";
}

TEST(ExplainCommand, EveryFigureHasItsIntervalAndItsMedian) {
  const TempFolder folder;
  const std::string file = (folder / "two.scenario.json").string();
  std::ofstream(file) << TwoUnits();
  // 1, 2, ... 10 ms: the 99th percentile is the last one's, as the makespan.
  const Json json = Explained(file + " --policy A --versus B --engine virtual --objective p99_latency");
  EXPECT_EQ(json["run"]["objective"], 10e6);
  EXPECT_EQ(json["run"]["objective_interval"], (Json{10e6, 10e6}));
  EXPECT_EQ(json["run"]["objective_median"], 10e6);
  EXPECT_EQ(json["run"]["makespan_interval_ns"], (Json{10'000'000, 10'000'000}));
  EXPECT_EQ(json["run"]["makespan_median_ns"], 10'000'000);
  EXPECT_EQ(json["versus"]["objective_median"], 20e6);
  ASSERT_EQ(json["faster"].size(), 2U);
  EXPECT_EQ(json["faster"][0]["makespan_interval_ns"], (Json{5'000'000, 5'000'000}));
  EXPECT_EQ(json["faster"][0]["objective_median"], 5e6);
  EXPECT_EQ(json["faster"][0]["objective_change_interval"], (Json{-0.5, -0.5}));
  EXPECT_EQ(json["faster"][1]["objective_change_interval"], (Json{0.0, 0.0})) << "A does not use it";
  EXPECT_EQ(json["decisions"]["unchanged"]["makespan_interval_ns"], (Json{10'000'000, 10'000'000}));
  const Json& best = json["decisions"]["best"].at(0);  // the last one to b: 9 ms
  EXPECT_EQ(best["makespan_interval_ns"], (Json{9'000'000, 9'000'000}));
  EXPECT_EQ(best["makespan_median_ns"], 9'000'000);
  EXPECT_EQ(best["objective_interval"], (Json{9e6, 9e6}));
  EXPECT_EQ(best["objective_median"], 9e6);
  EXPECT_NEAR(best["objective_change_interval"][0], -0.1, 1e-12);
  EXPECT_NEAR(best["objective_change_interval"][1], -0.1, 1e-12);
}

// Two requests on a are 2 ms, one on each unit 1.99: b takes 1.5 ms as often as 2.5.
TEST(ExplainCommand, ADecisionWhoseGainIsNoMoreThanLuckIsNoneThatHelps) {
  Json scenario = Json::parse(TwoUnits());
  scenario["streams"][0]["count"] = 2;
  Json samples = {1.99};
  for (int i = 0; i < 20; ++i) samples.push_back(i * 7 % 20 < 10 ? 1.5 : 2.5);
  scenario["profiles"][0]["entries"][1]["samples_ms"] = samples;
  const TempFolder folder;
  const std::string file = (folder / "luck.scenario.json").string();
  std::ofstream(file) << scenario;
  const std::string asked = file + " --policy A --engine virtual";
  const Json best = Explained(asked)["decisions"]["best"].at(0);
  EXPECT_EQ(best["makespan_ns"], 1'990'000);
  EXPECT_LT(best["objective_change_interval"][0], -0.2);
  EXPECT_GT(best["objective_change_interval"][1], 0.2);
  const std::string text = RunTandem("explain " + asked).output;
  EXPECT_NE(text.find("Of none of these do the draws tell that it makes the schedule better."),
            std::string::npos)
      << text;
}

TEST(ExplainCommand, SaysInHowManyDrawsWhichOfTwoIsBest) {
  const TempFolder folder;
  const std::string file = (folder / "two.scenario.json").string();
  std::ofstream(file) << TwoUnits();
  const std::string text =
      RunShell("COLUMNS=200 " TANDEM_PROGRAM " explain " + file + " --policy B --versus A --engine virtual")
          .output;
  EXPECT_NE(text.find("A is best in 100.0% of 101 draws"), std::string::npos) << text;
  EXPECT_NE(text.find("in 20.000..20.000, their median 20.000"), std::string::npos) << text;
  EXPECT_NE(text.find("in the draws"), std::string::npos) << text;
}

TEST(ExplainCommand, WhatIsWrongIsSaid) {
  EXPECT_EQ(RunTandem("explain study-003 --policy fcsf").status, 2);
  EXPECT_EQ(RunTandem("explain nothing-like-it").status, 2);
  const ProgramResult versus = RunTandem("explain study-003 --versus fcsf");
  EXPECT_EQ(versus.status, 2);
  EXPECT_EQ(versus.errors, "--versus: unknown policy \"fcsf\"; did you mean \"fcfs\"?\n");
  EXPECT_EQ(RunTandem("explain study-003 --engine none").status, 2);
  EXPECT_EQ(RunTandem("explain --help").status, 0);
}

}  // namespace
}  // namespace tandem
