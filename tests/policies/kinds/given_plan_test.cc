// Does a plan that simulates run under the policy `given` too, whatever policy made it and however little
// room there is?
#include <gtest/gtest.h>

#include <filesystem>
#include <nlohmann/json.hpp>
#include <random>

#include "policies/engine/virtual_runner.h"
#include "policies/kinds/make_plan.h"
#include "profiles/base/files.h"
#include "profiles/base/input_error.h"
#include "scenarios/scenario/plan.h"
#include "tests/support/random_scenario.h"
#include "tests/support/temp_folder.h"

namespace tandem {
namespace {

constexpr std::uint64_t kSeeds = 120;
constexpr const char* kPlanners[] = {"fcfs",     "eft",        "affinity", "heft",           "round_robin",
                                     "pipeline", "layer_type", "split",    "branch_parallel"};

// With room for some of the models' weights and tasks, not for all.
std::string WriteTight(std::uint64_t seed, const std::filesystem::path& folder) {
  const std::string path = WriteRandomScenario(seed, folder.string());
  const std::filesystem::path board = folder / "board.platform.json";
  auto platform = nlohmann::ordered_json::parse(ReadTextFile(board));
  std::mt19937_64 bits(seed);
  for (auto& memory : platform["memories"]) memory["capacity_bytes"] = 1024 * (3 + bits() % 12);
  WriteFile(board, platform.dump());
  return path;
}

void RunOf(const Scenario& scenario, const PolicySpec& spec, std::string* plan = nullptr,
           const std::filesystem::path& at = {}) {
  const Prepared made = MakePolicy(spec, ProblemFor(spec, scenario));
  const Outcome outcome = RunVirtual(*made.problem, *made.policy);
  if (plan == nullptr) return;
  const PlanPrediction predicted{"virtual", std::nullopt, outcome.makespan(), std::nullopt};
  *plan = PlanJson(MakePlan(*made.problem, spec, *made.policy, predicted), scenario, scenario.file, at);
}

TEST(GivenPlans, RunWhereThePlanRuns) {
  const TempFolder folder;
  int runs = 0;
  for (std::uint64_t seed = 0; seed < kSeeds; ++seed) {
    const Scenario scenario = ReadScenarioFile(WriteTight(seed, folder / std::to_string(seed)));
    const std::string name = kPlanners[seed % std::size(kPlanners)];
    const std::filesystem::path at = folder / std::to_string(seed) / "x.plan.json";
    std::string plan;
    try {
      RunOf(scenario, PolicyByName(name, scenario, "test"), &plan, at);
    } catch (const InputError&) {
      continue;  // it wants more to be said, or has no room
    }
    WriteFile(at, plan);
    const JsonDocument document =
        JsonDocument::Parse(R"({"name": "given", "plan": "x.plan.json"})", scenario.file);
    try {
      RunOf(scenario, ReadPolicy(document.root(), scenario));
      ++runs;
    } catch (const InputError& error) {
      ADD_FAILURE() << "seed " << seed << ", " << name << ": " << error.what();
    }
  }
  EXPECT_GT(runs, 25);
}

}  // namespace
}  // namespace tandem
