// Is it said what policies are compared by, and does --objective change it wherever policies are compared?
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "profiles/base/files.h"
#include "tests/support/program.h"
#include "tests/support/temp_folder.h"

namespace tandem {
namespace {

using Json = nlohmann::json;

// All three end with the last frame of "front"; "slow" misses every deadline of "rear".
class TwoCameras : public testing::Test {
 protected:
  TwoCameras() {
    WriteFile(folder_ / "s.scenario.json", R"({
      "tandem": "scenario/1", "name": "two cameras", "platform": "tinker-edge-r", "profiles": ["tinker-edge-r"],
      "transfer": "none", "streams": [
        {"name": "front", "model": "mobilenet_v2", "count": 100, "deadline_us": 12000,
         "arrival": {"type": "periodic", "period_us": 20000}},
        {"name": "rear", "model": "resnet50", "count": 33, "deadline_us": 33000,
         "arrival": {"type": "periodic", "period_us": 60000}}],
      "policies": [{"name": "given", "label": "slow", "map": {"resnet50": "ncs2", "*": "coral"}},
                   {"name": "given", "label": "quick", "map": {"resnet50": "rknpu", "*": "coral"}}]})");
  }

  std::string File() const { return (folder_ / "s.scenario.json").string(); }
  ProgramResult Run(const std::string& command, const std::string& options) const {
    return RunShell("COLUMNS=300 " TANDEM_PROGRAM " " + command + " " + File() + " --engine virtual " +
                    options);
  }
  Json JsonOf(const std::string& command, const std::string& options = "") const {
    const ProgramResult result = Run(command, options + " --json");
    EXPECT_EQ(result.status, 0) << result.errors;
    return Json::parse(result.output);
  }

  TempFolder folder_;
};

TEST_F(TwoCameras, AreComparedByMissesAndItIsSaidWhy) {
  const ProgramResult table = Run("simulate", "");
  EXPECT_NE(table.output.find("* best by misses, since streams have deadlines"), std::string::npos)
      << table.output;
  EXPECT_NE(table.output.find("\n  slow "), std::string::npos) << table.output;
  EXPECT_NE(table.output.find("\n* quick "), std::string::npos) << table.output;
  EXPECT_NE(table.output.find("the arrivals set the makespan: the last request comes after 99.8% of it\n"),
            std::string::npos)
      << table.output;
  const Json report = JsonOf("simulate")[0];
  EXPECT_EQ(report["objective"]["name"], "misses");
  EXPECT_EQ(report["objective"]["why"], "streams have deadlines");
  EXPECT_EQ(report["set_by_arrivals"], true);
  const ProgramResult check = RunShell("COLUMNS=1000 " TANDEM_PROGRAM " check " + File());
  EXPECT_NE(check.output.find(", compared by misses, since streams have deadlines\n"), std::string::npos)
      << check.output;
}

TEST_F(TwoCameras, TiedByMakespanAreToldApartByMisses) {
  const ProgramResult table = Run("simulate", "--objective makespan");
  EXPECT_NE(table.output.find("* best by makespan, "), std::string::npos) << table.output;
  EXPECT_NE(table.output.find("tied by makespan: slow, quick; quick has the least missed requests"),
            std::string::npos)
      << table.output;
  EXPECT_NE(table.output.find("what policies change is compared by --objective misses"), std::string::npos)
      << table.output;
  const Json plan = JsonOf("plan", "--objective makespan");
  EXPECT_EQ(plan["winner"], "quick");
  EXPECT_EQ(plan["tied"], Json::array({"slow"}));
  EXPECT_EQ(plan["tie_broken_by"], "missed requests");
  EXPECT_EQ(plan["runner_up"], "slow");
  const ProgramResult words = Run("plan", "--objective makespan");
  EXPECT_NE(
      words.output.find("quick wins by makespan, tied with slow and ahead by the least missed requests"),
      std::string::npos)
      << words.output;
  EXPECT_EQ(JsonOf("explain", "--objective makespan")["run"]["label"], "quick");
  EXPECT_EQ(JsonOf("explain")["objective"], "misses");
}

TEST_F(TwoCameras, AreExplainedByTheWorstRequestAndNotByWaitingForTheLast) {
  const Json slow = JsonOf("explain", "--policy slow")["run"];
  EXPECT_EQ(slow["follows"]["stream"], "rear");
  EXPECT_EQ(slow["follows"]["index"], 0) << "all are as late, this is the first";
  EXPECT_EQ(slow["follows"]["latency_ns"], 50743000);
  EXPECT_EQ(slow["follows"]["deadline_ns"], 33000000);
  EXPECT_EQ(slow["causes"]["compute_ns"], 50743000);
  EXPECT_EQ(slow["causes"]["arrival_ns"], 0);
  const ProgramResult text = Run("explain", "--policy slow --versus quick");
  EXPECT_NE(
      text.output.find("The path of the request that is furthest past its deadline under slow, rear #0, "
                       "latency 50.743, deadline 33.000, the longest pieces in order of time:"),
      std::string::npos)
      << text.output;
  EXPECT_EQ(text.output.find("waiting for release"), std::string::npos) << text.output;
  EXPECT_NE(text.output.find("The path of the request that is longest on its way under quick"),
            std::string::npos)
      << text.output;
}

TEST_F(TwoCameras, APlanKeepsTheObjectiveThatItWasMadeBy) {
  const std::string plan = (folder_ / "x.plan.json").string();
  ASSERT_EQ(Run("plan", "--objective mean_latency -o " + plan).status, 0);
  EXPECT_EQ(Json::parse(ReadTextFile(plan))["scenario"]["objective"], "mean_latency");
  const ProgramResult again = RunTandem("simulate --engine virtual --json " + plan);
  EXPECT_EQ(Json::parse(again.output)[0]["objective"]["name"], "mean_latency");
  ASSERT_EQ(Run("plan", "-o " + plan).status, 0);
  EXPECT_FALSE(Json::parse(ReadTextFile(plan))["scenario"].contains("objective")) << "it follows as before";
}

// The board has no watts.
TEST_F(TwoCameras, EnergyThatNobodyKnowsIsNotCompared) {
  const std::string missing =
      R"(:/objective: energy is not known: unit "cpu" has no idle_w in platform "tinker-edge-r")";
  for (const char* command : {"simulate", "plan", "explain", "simulate --replications 2"}) {
    for (const char* policy : {"", "--policy best", "--policy fcfs"}) {
      const ProgramResult result = Run(command, std::string("--objective energy ") + policy);
      EXPECT_EQ(result.status, 2) << command << policy;
      EXPECT_NE(result.errors.find(missing), std::string::npos) << command << policy << result.errors;
    }
  }
  const std::string plan = (folder_ / "x.plan.json").string();
  EXPECT_EQ(Run("plan", "--objective energy -o " + plan).status, 2);
  EXPECT_FALSE(std::filesystem::exists(plan));
}

TEST_F(TwoCameras, PlansAndReportsSayWhereTheirTimesComeFrom) {
  const std::string plan = (folder_ / "x.plan.json").string();
  ASSERT_EQ(Run("plan", "-o " + plan).status, 0);
  for (const Json& used :
       {Json::parse(ReadTextFile(plan))["profiles"][0], JsonOf("simulate")[0]["profiles"][0]}) {
    EXPECT_EQ(used["origin"], "published");
    EXPECT_EQ(used["source"], "study 003 (ETRI), throughput scheduling over K units: table of latencies");
  }
}

TEST_F(TwoCameras, AnUnknownObjectiveIsAUsageError) {
  for (const char* command : {"simulate", "plan", "explain", "validate"}) {
    const ProgramResult result = Run(command, "--objective mispan");
    EXPECT_EQ(result.status, 2) << command;
    EXPECT_NE(result.errors.find("--objective"), std::string::npos) << result.errors;
  }
}

}  // namespace
}  // namespace tandem
