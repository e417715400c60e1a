// Does a plan say all that was decided: does it read back, and simulate again, to the same?
#include "scenarios/scenario/plan.h"

#include <gtest/gtest.h>
#include "policies/kinds/make_plan.h"
#include "profiles/base/files.h"
#include "profiles/program/shipped.h"
#include "tests/support/error_of.h"
#include "tests/support/run_policy.h"
#include "tests/support/temp_folder.h"

namespace tandem {
namespace {

namespace fs = std::filesystem;

// In a folder of this test's own.
class Plans : public testing::Test {
 protected:
  fs::path Write(const std::string& name, const std::string& text) const {
    WriteFile(folder_ / name, text);
    return folder_ / name;
  }

  TempFolder folder_;
};

struct Made {
  std::string json;
  Outcome outcome;
};

Made MakeAndRun(const fs::path& file, const std::string& policy, const fs::path& plan) {
  const Scenario scenario = ReadScenarioOrPlan(file);
  const JsonDocument document = JsonDocument::Parse(policy.empty() ? "null" : policy, "policy");
  const PolicySpec spec = policy.empty() ? scenario.policies.at(0) : ReadPolicy(document.root(), scenario);
  const Prepared made = MakePolicy(spec, ProblemFor(spec, scenario));
  Made result;
  result.outcome = RunVirtual(*made.problem, *made.policy);
  const PlanPrediction predicted{"virtual", std::nullopt, result.outcome.makespan(), std::nullopt};
  result.json = PlanJson(MakePlan(*made.problem, spec, *made.policy, predicted), scenario, file, plan);
  return result;
}

void ExpectSame(const Outcome& a, const Outcome& b) {
  ASSERT_EQ(a.streams.size(), b.streams.size());
  for (std::size_t s = 0; s < a.streams.size(); ++s)
    EXPECT_EQ(a.streams[s].latencies, b.streams[s].latencies);
  for (std::size_t u = 0; u < a.units.size(); ++u) {
    EXPECT_EQ(a.units[u].busy, b.units[u].busy);
    EXPECT_EQ(a.units[u].tasks, b.units[u].tasks);
  }
}

const fs::path kStudy = FindFile("study-003", "", "scenarios", ".scenario.json");

TEST_F(Plans, SimulateAgainToTheSame) {
  for (const char* policy :
       {R"({"name": "best", "evaluations": 1})", R"("sjf")", R"({"name": "eft", "label": "mine"})"}) {
    const fs::path plan = folder_ / "x.plan.json";
    const Made first = MakeAndRun(kStudy, policy, plan);
    Write("x.plan.json", first.json);
    const Made again = MakeAndRun(plan, policy[0] == '"' ? policy : "", plan);
    ExpectSame(first.outcome, again.outcome);
    EXPECT_EQ(first.json, again.json) << "a plan made from a plan is the same file";
  }
}

TEST_F(Plans, WhatASearchFoundIsWrittenInRuns) {
  const std::string json =
      MakeAndRun(kStudy, R"({"name": "best", "evaluations": 1})", folder_ / "x.plan.json").json;
  EXPECT_NE(json.find("\"schedule\""), std::string::npos);
  EXPECT_LT(json.size(), 6000U);
}

TEST_F(Plans, KeepWhatUnitsHoldAndHowModelsAreCut) {
  const fs::path scenario = Write("one.scenario.json", R"({
      "tandem": "scenario/1", "name": "one", "profiles": ["tinker-edge-r"], "transfer": "none",
      "platform": {"name": "tinker-edge-r", "memories": [{"name": "dram"}], "units": [
          {"name": "cpu", "kind": "cpu", "memory": "dram"},
          {"name": "ncs2", "kind": "vpu", "memory": "dram", "resident_models": 1},
          {"name": "coral", "kind": "tpu", "memory": "dram"}, {"name": "rknpu", "kind": "npu", "memory": "dram"}]},
      "streams": [{"name": "a", "model": "resnet50", "count": 9, "arrival": {"type": "offline"}},
                  {"name": "b", "model": "resnet101", "count": 9, "arrival": {"type": "closed"}}]})");
  const fs::path plan = folder_ / "one.plan.json";
  const Made made = MakeAndRun(scenario, R"({"name": "best", "evaluations": 30})", plan);
  Write("one.plan.json", made.json);
  const JsonDocument document = JsonDocument::ReadFile(plan);
  const Plan read = ReadPlan(document.root()).plan;
  ASSERT_TRUE(read.decisions.residents[1].has_value());
  EXPECT_EQ(read.decisions.residents[1]->size(), 1U);
  EXPECT_FALSE(read.decisions.residents[3].has_value());
  EXPECT_EQ(read.segments.size(), 2U);
  EXPECT_EQ(read.predicted.makespan, made.outcome.makespan());
  ExpectSame(made.outcome, MakeAndRun(plan, "", plan).outcome);
}

TEST_F(Plans, SayLoadsOfTheirRun) {
  const Scenario scenario = ReadScenarioFile(kStudy);
  const JsonDocument document = JsonDocument::Parse(R"("fcfs")", "policy");
  const PolicySpec spec = ReadPolicy(document.root(), scenario);
  const Prepared made = MakePolicy(spec, ProblemFor(spec, scenario));
  PlanPrediction predicted{"virtual", {}, Nanos{5}, {}};
  const fs::path plan = folder_ / "x.plan.json";
  const auto text = [&] {
    return PlanJson(MakePlan(*made.problem, spec, *made.policy, predicted), scenario, kStudy, plan);
  };
  EXPECT_EQ(text().find("\"loads\""), std::string::npos) << "there are none";
  predicted.loads = {{"ncs2", "resnet50", 3, 2}};
  const JsonDocument written = JsonDocument::Parse(text(), plan.string());
  const std::vector<PlanLoads> read = ReadPlan(written.root()).plan.predicted.loads;
  ASSERT_EQ(read.size(), 1U);
  EXPECT_EQ(read[0].model, "resnet50");
  EXPECT_EQ(read[0].loads, 3);
  EXPECT_EQ(read[0].evictions, 2);
}

TEST_F(Plans, NameFilesFromWhereTheyStand) {
  fs::create_directories(folder_ / "boards");
  const fs::path profile = fs::path(TANDEM_TEST_DIR) / "bad/parts/mini.profile.json";
  fs::copy(profile, folder_ / "boards/mini.profile.json");
  fs::copy(profile.parent_path() / "mini.platform.json", folder_ / "boards/mini.platform.json");
  const fs::path scenario = Write("s.scenario.json", R"({
      "tandem": "scenario/1", "name": "mini", "platform": "boards/mini.platform.json",
      "profiles": ["boards/mini.profile.json"], "transfer": "none",
      "streams": [{"name": "a", "model": "mobilenet_v2", "count": 4, "arrival": {"type": "offline"}}]})");
  fs::create_directories(folder_ / "plans");
  const fs::path plan = folder_ / "plans/s.plan.json";
  const Made made = MakeAndRun(scenario, R"("fcfs")", plan);
  WriteFile(plan, made.json);
  EXPECT_NE(made.json.find("\"../boards/mini.profile.json\""), std::string::npos);
  ExpectSame(made.outcome, MakeAndRun(plan, "", plan).outcome);
}

// What is sent to a device is read there from standard input, with nothing of the file's folder around it.
TEST_F(Plans, WithAllInPlaceReadAnywhere) {
  const fs::path profile = fs::path(TANDEM_TEST_DIR) / "bad/parts/mini.profile.json";
  fs::copy(profile, folder_ / "mini.profile.json");
  fs::copy(profile.parent_path() / "mini.platform.json", folder_ / "mini.platform.json");
  const fs::path scenario_file = Write("s.scenario.json", R"({
      "tandem": "scenario/1", "name": "mini", "platform": "mini.platform.json", "seed": 3,
      "profiles": ["mini.profile.json"], "transfer": "none",
      "streams": [{"name": "a", "model": "mobilenet_v2", "count": 4, "arrival": {"type": "offline"}}],
      "policies": ["fcfs"]})");
  Scenario scenario = ReadScenarioFile(scenario_file);
  scenario.seed = 11;
  const PolicySpec& spec = scenario.policies[0];
  const Prepared made = MakePolicy(spec, ProblemFor(spec, scenario));
  const Outcome outcome = RunVirtual(*made.problem, *made.policy);
  const Plan plan = MakePlan(*made.problem, spec, *made.policy, {"virtual", {}, outcome.makespan(), {}});
  const std::string json = WholePlanJson(plan, scenario);
  EXPECT_EQ(json.find("mini.p"), std::string::npos) << "names a file: " << json;

  fs::remove(folder_ / "mini.profile.json");
  const JsonDocument document = JsonDocument::Parse(json, "standard input");
  const PlanFile read = ReadPlan(document.root());
  EXPECT_EQ(read.scenario.seed, 11U);
  EXPECT_EQ(read.plan.profiles[0].hash, plan.profiles[0].hash);
  const Prepared again = MakePolicy(read.plan.policy, ProblemFor(read.plan.policy, read.scenario));
  ExpectSame(outcome, RunVirtual(*again.problem, *again.policy));
}

TEST_F(Plans, AreRefusedWithAnotherProfile) {
  std::string json = MakeAndRun(kStudy, R"("fcfs")", folder_ / "x.plan.json").json;
  const std::size_t hash = json.find("\"hash\": \"") + 9;
  json[hash] = json[hash] == '0' ? '1' : '0';
  const fs::path plan = Write("x.plan.json", json);
  const std::string error = ErrorOf([&] { ReadScenarioOrPlan(plan); });
  EXPECT_NE(error.find("/profiles/0/hash: the plan was made from another version of"), std::string::npos)
      << error;
}

}  // namespace
}  // namespace tandem
