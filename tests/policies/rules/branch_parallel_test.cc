// Do branches run side by side where that gains, in the best assignment, and only there?
#include <gtest/gtest.h>

#include "profiles/base/input_error.h"
#include "profiles/model/zoo.h"
#include "tests/support/cut_run.h"
#include "tests/support/json_scenario.h"

namespace tandem {
namespace {

using std::chrono::microseconds;
using Lines = std::vector<std::string>;
using Times = std::vector<std::pair<std::string, std::vector<int>>>;  // per layer and unit

Scenario BoardOfUnits(const std::string& model, const std::string& layers, const Times& times,
                      std::size_t units, const std::string& more = "") {
  JsonScenario json;
  std::string list, entries;
  for (std::size_t u = 0; u < units; ++u) {
    list += (u ? ", " : "") + std::string(R"({"name": "u)") + std::to_string(u) +
            R"(", "kind": "cpu", "memory": "dram"})";
    for (const auto& [layer, us] : times) {
      entries += (entries.empty() ? "" : ", ") + std::string(R"({"model": ")") + model + R"(", "unit": "u)" +
                 std::to_string(u) + R"(", "layers": [")" + layer + R"("], "median_us": )" +
                 std::to_string(us[u]) + "}";
    }
  }
  json.platform = R"("memories": [{"name": "dram"}], "units": [)" + list + "]";
  json.profile = R"("entries": [)" + entries + more + "]";
  if (!layers.empty()) json.models = {layers};
  json.scenario = R"("streams": [{"name": "s", "model": ")" + model +
                  R"(", "count": 1, "arrival": {"type": "offline"}}])";
  return json.Read();
}

// in -> a -> as many branches -> d.
std::string Fork(const std::vector<std::string>& branches) {
  std::string layers =
      R"([{"name": "in", "op": "input", "shape": [1, 2, 2, 2]}, {"name": "a", "op": "relu", "inputs": ["in"]})";
  std::string all;
  for (const std::string& branch : branches) {
    layers += R"(, {"name": ")" + branch + R"(", "op": "relu", "inputs": ["a"]})";
    all += (all.empty() ? "\"" : ", \"") + branch + "\"";
  }
  return layers + R"(, {"name": "d", "op": "concat", "inputs": [)" + all + "]}]";
}

TEST(BranchParallel, RunsTwoBranchesSideBySide) {
  const Scenario scenario = BoardOfUnits(
      "m0.json", Fork({"b", "c"}), {{"a", {10, 99}}, {"b", {10, 99}}, {"c", {10, 12}}, {"d", {10, 99}}}, 2);
  const CutRun run = RunCut(scenario, R"("branch_parallel")");
  EXPECT_EQ(run.tasks, (Lines{"u0: a", "u0: b", "u1: c", "u0: d"}));
  EXPECT_EQ(run.outcome.makespan(), microseconds{32});
}

TEST(BranchParallel, StaysInSequenceWhereThatIsNotSlower) {
  const Scenario scenario = BoardOfUnits(
      "m0.json", Fork({"b", "c"}), {{"a", {10, 99}}, {"b", {10, 99}}, {"c", {10, 20}}, {"d", {10, 99}}}, 2);
  const CutRun run = RunCut(scenario, R"("branch_parallel")");
  EXPECT_EQ(run.tasks, Lines{"u0: all"});
  EXPECT_EQ(run.outcome.makespan(), microseconds{40});
}

TEST(BranchParallel, OfMoreBranchesThanUnitsOneGoesAloneAndTheRestTogether) {
  const Scenario scenario = BoardOfUnits(
      "m0.json", Fork({"b", "c", "d1", "e"}),
      {{"a", {1, 1}}, {"b", {10, 10}}, {"c", {20, 20}}, {"d1", {60, 55}}, {"e", {25, 30}}, {"d", {1, 1}}}, 2);
  const CutRun run = RunCut(scenario, R"("branch_parallel")");
  // u1 has d1, u0 the rest: 10 + 20 + 25.
  EXPECT_EQ(run.outcome.makespan(), microseconds{1 + 55 + 1});
  EXPECT_EQ(run.outcome.units[0].tasks + run.outcome.units[1].tasks, 6);
}

TEST(BranchParallel, GivesEachBranchAUnitWhereThereAreEnough) {
  const Scenario scenario = BoardOfUnits(
      "m0.json", Fork({"b", "c", "e"}),
      {{"a", {1, 9, 9}}, {"b", {30, 10, 90}}, {"c", {30, 90, 11}}, {"e", {12, 90, 90}}, {"d", {1, 9, 9}}}, 3);
  EXPECT_EQ(RunCut(scenario, R"("branch_parallel")").outcome.makespan(), microseconds{1 + 12 + 1});
}

TEST(BranchParallel, KeepsTheTrunkOnTheUnitNamed) {
  const Times times = {{"a", {10, 5}}, {"b", {10, 10}}, {"c", {10, 10}}, {"d", {10, 5}}};
  const Scenario scenario = BoardOfUnits("m0.json", Fork({"b", "c"}), times, 2);
  EXPECT_EQ(RunCut(scenario, R"("branch_parallel")").outcome.makespan(), microseconds{20});
  const CutRun named = RunCut(scenario, R"({"name": "branch_parallel", "trunk": "u0"})");
  EXPECT_EQ(named.tasks.front(), "u0: a");
  EXPECT_EQ(named.tasks.back(), "u0: d");
  EXPECT_EQ(named.outcome.makespan(), microseconds{30});
  EXPECT_EQ(RunCut(scenario, R"({"name": "branch_parallel", "units": ["u0"]})").tasks, Lines{"u0: all"});
  EXPECT_THROW(RunCut(scenario, R"({"name": "branch_parallel", "units": ["u0"], "trunk": "u1"})"),
               InputError);
}

// Of SqueezeNet's eight groups those in parallel for which the second unit is fast enough.
TEST(BranchParallel, FindsTheGroupsOfSqueezeNetThatGain) {
  const Model model = FindInZoo("squeezenet_1_1")->build();
  for (const int winning : {0, 4, 8}) {
    Times times;
    for (const Layer& layer : model.layers()) {
      if (IsFree(layer.op)) continue;
      const auto has = [&](const char* part) { return layer.name.find(part) != std::string::npos; };
      const bool fast = layer.name[4] - '2' < winning;
      std::vector<int> us = {5, 1000};
      if (has("/relu_expand")) us = {1, 1};
      if (has("/expand1x1")) us = {10, fast ? 19 : 31};
      if (has("/expand3x3")) us = {20, 1000};
      times.push_back({layer.name, us});
    }
    const Scenario scenario = BoardOfUnits("squeezenet_1_1", "", times, 2);
    const CutRun run = RunCut(scenario, R"("branch_parallel")");
    EXPECT_EQ(run.outcome.units[1].tasks, winning);
    Nanos alone{0};
    for (const auto& [layer, us] : times) alone += microseconds{us[0]};
    EXPECT_EQ(run.outcome.makespan(), alone - microseconds{11} * winning);
  }
}

}  // namespace
}  // namespace tandem
