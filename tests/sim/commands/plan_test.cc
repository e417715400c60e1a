// Does `tandem plan` name the winner, say why, and write a plan that simulates again to the same bytes?
#include <gtest/gtest.h>
#include <filesystem>
#include <nlohmann/json.hpp>
#include <sstream>

#include "profiles/base/files.h"
#include "tests/support/program.h"
#include "tests/support/temp_folder.h"

namespace tandem {
namespace {

namespace fs = std::filesystem;
using Json = nlohmann::json;

class PlanCommand : public testing::Test {
 protected:
  std::string Path(const std::string& name) const { return (folder_ / name).string(); }

  TempFolder folder_;
};

Json PlanJsonOf(const std::string& arguments) {
  const ProgramResult result = RunTandem(arguments);
  EXPECT_EQ(result.status, 0) << result.errors;
  return Json::parse(result.output);
}

TEST_F(PlanCommand, NamesTheWinnerAndWhereTimeGoes) {
  const Json plan =
      PlanJsonOf("plan study-003 --engine virtual --policy fcfs --policy eft --policy sjf --json");
  EXPECT_EQ(plan["winner"], "eft");
  EXPECT_EQ(plan["runner_up"], "sjf");
  EXPECT_TRUE(plan["tied"].empty());
  for (std::size_t p = 0; p < 3; ++p) {
    for (const Json& unit : plan["why"][p]["units"]) {
      std::int64_t sum = 0, working = 0;
      for (const char* cause : {"working", "moving", "input", "held_back", "blocked", "nothing"}) {
        sum += unit[std::string(cause) + "_ns"].get<std::int64_t>();
      }
      for (const Json& model : unit["models"]) working += model["working_ns"].get<std::int64_t>();
      EXPECT_EQ(sum, plan["reports"][p]["makespan_ns"].get<std::int64_t>());
      EXPECT_EQ(working, unit["working_ns"].get<std::int64_t>());
    }
  }
}

TEST_F(PlanCommand, WritesWhatSimulatesAgainToTheSameBytes) {
  for (const char* engine : {"virtual", "simgrid"}) {
    for (const char* policy : {"eft", "priority", "best"}) {
      const std::string plan = Path("x.plan.json"), with = std::string(" --engine ") + engine + " --json";
      PlanJsonOf("plan study-003 --policy " + std::string(policy) + " -o " + plan + with);
      const ProgramResult first = RunTandem("simulate study-003 --policy " + std::string(policy) + with);
      const ProgramResult again = RunTandem("simulate " + plan + with);
      EXPECT_EQ(again.status, 0) << again.errors;
      EXPECT_EQ(first.output, again.output) << policy;
    }
  }
  EXPECT_EQ(RunTandem("check " + Path("x.plan.json")).status, 0);
}

TEST_F(PlanCommand, ATableFitsATerminal) {
  const ProgramResult result = RunTandem("plan study-003 --engine virtual --policy fcfs --policy eft");
  EXPECT_NE(result.output.find("eft wins by makespan"), std::string::npos) << result.output;
  std::istringstream lines(result.output);
  for (std::string line; std::getline(lines, line);) EXPECT_LE(line.size(), 80U) << line;
}

TEST_F(PlanCommand, WhatSeesTheFutureNeverWinsOverOpenArrivals) {
  WriteFile(Path("open.scenario.json"), R"({
      "tandem": "scenario/1", "name": "open", "platform": "tinker-edge-r", "profiles": ["tinker-edge-r"],
      "transfer": "none",
      "streams": [{"name": "a", "model": "mobilenet_v2", "count": 9, "arrival": {"type": "poisson", "rate_per_s": 99}}],
      "policies": [{"name": "best", "evaluations": 30}, "fcfs"], "objective": "mean_latency"})");
  EXPECT_EQ(PlanJsonOf("plan --engine virtual --json " + Path("open.scenario.json"))["winner"], "fcfs");
  EXPECT_EQ(RunTandem("plan --engine virtual --policy best " + Path("open.scenario.json")).status, 1);
}

// One request; the search finds the unit that is 3 % faster by its median. `samples` in percent of it.
std::string TwoUnits(const std::vector<int>& samples) {
  const auto entry = [&](const std::string& unit, int median) {
    std::string list;
    for (const int percent : samples) {
      list += (list.empty() ? "" : ", ") + std::to_string(median * percent / 100);
    }
    return R"({"model": "alexnet", "unit": ")" + unit + R"(", "layers": "*", "samples_us": [)" + list + "]}";
  };
  return R"({"tandem": "scenario/1", "name": "close", "transfer": "none",
      "platform": {"name": "b", "memories": [{"name": "m"}, {"name": "n"}],
                   "units": [{"name": "cpu", "kind": "cpu", "memory": "m"}, {"name": "gpu", "kind": "gpu", "memory": "n"}]},
      "profiles": [{"platform": "b", "origin": {"kind": "measured", "host": "h", "date": "2026-01-01", "clocks": {}, "libraries": {}, "threads": {}, "cache_mode": "warm"},
                    "entries": [)" +
         entry("cpu", 10000) + ", " + entry("gpu", 10300) +
         R"(]}],
      "streams": [{"name": "a", "model": "alexnet", "count": 1, "arrival": {"type": "offline"}}],
      "policies": ["best", {"name": "affinity", "label": "on gpu", "map": {"alexnet": "gpu"}}]})";
}

TEST_F(PlanCommand, TakesTheSimplestOfThoseThatCannotBeToldApart) {
  WriteFile(Path("close.scenario.json"), TwoUnits({100, 80, 120, 95, 110, 90, 105, 100}));
  const std::string scenario = "plan --engine virtual " + Path("close.scenario.json");
  const Json plan = PlanJsonOf(scenario + " --json -o " + Path("close.plan.json"));
  EXPECT_EQ(plan["winner"], "on gpu");
  EXPECT_EQ(plan["not_told_apart"], (Json{"best", "on gpu"}));
  EXPECT_EQ(plan["ranked_by"], "draws");
  const double probability = plan["win_probability"];
  EXPECT_GT(probability, 0.1);
  EXPECT_LT(probability, 0.6);
  const Json predicted = Json::parse(ReadTextFile(Path("close.plan.json")))["predicted"];
  EXPECT_EQ(predicted["interval"], 0.9);
  EXPECT_LT(predicted["makespan_interval_ns"][0], predicted["makespan_ns"]);
  EXPECT_GT(predicted["makespan_interval_ns"][1], predicted["makespan_ns"]);
  const std::string text = RunTandem(scenario).output;
  EXPECT_NE(text.find("on gpu is taken, the simplest of those that cannot be told apart"), std::string::npos)
      << text;
  const ProgramResult explained = RunTandem("explain --engine virtual --json " + Path("close.scenario.json"));
  EXPECT_EQ(Json::parse(explained.output)["run"]["label"], "on gpu") << explained.errors;
}

TEST_F(PlanCommand, SaysThatNobodyWinsWhomDrawsCannotTellFromOthers) {
  Json scenario = Json::parse(TwoUnits({100, 80, 120, 95, 110, 90, 105, 100}));
  scenario["policies"][0] = {{"name", "affinity"}, {"label", "on cpu"}, {"map", {{"alexnet", "cpu"}}}};
  WriteFile(Path("rules.scenario.json"), scenario.dump());
  const std::string text =
      RunShell("COLUMNS=1000 " TANDEM_PROGRAM " plan --engine virtual " + Path("rules.scenario.json")).output;
  EXPECT_NE(text.find("on cpu is taken, the best by makespan in the median over the draws; "),
            std::string::npos)
      << text;
  EXPECT_NE(text.find("; these cannot be told apart by makespan: on cpu, on gpu"), std::string::npos) << text;
  EXPECT_EQ(text.find(" wins "), std::string::npos) << text;
}

TEST_F(PlanCommand, SaysOfAFarBoundHowFarItIs) {
  const ProgramResult far = RunTandem("plan study-003 --engine virtual --policy round_robin");
  EXPECT_NE(far.output.find("round_robin wins by makespan; its makespan is 1475.10 % above the bound."),
            std::string::npos)
      << far.output;
  const ProgramResult near = RunTandem("plan study-003 --engine virtual --policy eft");
  EXPECT_NE(near.output.find("; its makespan is within 3.88 % of the bound."), std::string::npos)
      << near.output;
}

TEST_F(PlanCommand, NamesTheWinnerWithItsProbability) {
  WriteFile(Path("sure.scenario.json"), TwoUnits({100, 100, 100, 100, 100, 100, 100, 100}));
  const std::string scenario = "plan --engine virtual " + Path("sure.scenario.json");
  const Json plan = PlanJsonOf(scenario + " --json --interval 80");
  EXPECT_EQ(plan["winner"], "best");
  EXPECT_EQ(plan["win_probability"], 1.0);
  EXPECT_TRUE(plan["not_told_apart"].empty());
  EXPECT_EQ(plan["reports"][0]["interval"], 0.8);
}

// Race to idle, or slow and steady: what `tandem states` names is what the plan is in.
TEST_F(PlanCommand, ChoosesTheStatesOfUnitsWhereThatIsAsked) {
  const std::string plan = Path("states.plan.json"), how = "plan clock-states --engine virtual --json";
  const Json asked = PlanJsonOf(how), chosen = PlanJsonOf(how + " --states -o " + plan);
  EXPECT_FALSE(asked.contains("states"));
  const Json& states = chosen["states"];
  EXPECT_EQ(states, Json::parse(RunTandem("states clock-states --json").output));
  const Json written = Json::parse(ReadTextFile(plan));
  for (const Json& choice : states["choices"]) {
    if (!choice["winner"].get<bool>()) continue;
    EXPECT_EQ(written["scenario"]["variants"]["gpu"], choice["states"][0]);
    EXPECT_EQ(written["scenario"]["variants"]["cpu"], choice["states"][1]);
  }
  const auto energy = [](const Json& result) {
    double least = 1e9;
    for (const Json& report : result["reports"]) {
      if (report["label"] == result["winner"]) least = report["energy_j"];
    }
    return least;
  };
  EXPECT_LT(energy(chosen), energy(asked));
  EXPECT_GE(energy(chosen), states["bound"].get<double>());
  for (const char* engine : {"virtual", "simgrid"}) {
    const ProgramResult again = RunTandem("simulate " + plan + " --json --engine " + engine);
    EXPECT_EQ(Json::parse(again.output)[0]["energy_j"], energy(chosen)) << engine;
  }
  const std::string text = RunTandem("plan clock-states --engine virtual --states").output;
  EXPECT_NE(text.find("planned in the best of 6 choices of states: gpu "), std::string::npos) << text;
  EXPECT_NE(text.find("in no states does any of these policies reach less than"), std::string::npos) << text;
}

}  // namespace
}  // namespace tandem
