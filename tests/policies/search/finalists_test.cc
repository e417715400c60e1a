// Is `best` judged by draws where times vary, does the simplest rule win that cannot be told from it, and is
// the story of the search told?
#include "policies/search/finalists.h"

#include <gtest/gtest.h>

#include "policies/engine/draws/sampled_times.h"
#include "policies/engine/virtual_runner.h"
#include "policies/search/search.h"
#include "profiles/base/input_error.h"
#include "tests/support/json_scenario.h"
#include "tests/support/run_policy.h"
#include "tests/support/small_scenario.h"

namespace tandem {
namespace {

// Two units, two models of one task each; times as members of an entry: "\"median_us\": 10".
Scenario TwoModels(const std::array<std::string, 4>& times, int a, int b, const std::string& more = "") {
  JsonScenario json;
  json.platform = R"("memories": [{"name": "dram"}],
      "units": [{"name": "u0", "kind": "cpu", "memory": "dram"}, {"name": "u1", "kind": "gpu", "memory": "dram"}])";
  json.profile = R"("entries": [)";
  for (std::size_t i = 0; i < 4; ++i) {
    json.profile += std::string(i == 0 ? "" : ", ") + R"({"model": "m)" + std::to_string(i / 2) +
                    R"(.json", "unit": "u)" + std::to_string(i % 2) + R"(", "layers": "*", )" + times[i] +
                    "}";
  }
  json.profile += "]";
  const std::string layers =
      R"([{"name": "in", "op": "input", "shape": [1, 4]}, {"name": "a", "op": "relu", "inputs": ["in"]}])";
  json.models = {layers, layers};
  const auto stream = [](const std::string& name, const std::string& model, int count) {
    return R"({"name": ")" + name + R"(", "model": ")" + model + R"(", "count": )" + std::to_string(count) +
           R"(, "arrival": {"type": "offline"}})";
  };
  json.scenario =
      R"("streams": [)" + stream("a", "m0.json", a) + ", " + stream("b", "m1.json", b) + "]" + more;
  return json.Read();
}

std::string Median(int us) { return "\"median_us\": " + std::to_string(us); }
// Three times in four the base, else so much more.
std::string Noisy(int us, int more) {
  const std::string base = std::to_string(us);
  return "\"samples_us\": [" + base + ", " + base + ", " + base + ", " + std::to_string(us + more) + "]";
}

double MeanOverDraws(const Scenario& scenario, const Decisions& decisions) {
  double sum = 0;
  const Problem problem(scenario, decisions.granularity, decisions.cuts);
  for (std::uint64_t draw = 1; draw <= 21; ++draw) {
    const Prepared made = MakeDecided(decisions, problem);
    const SampledTimes times(*made.problem, draw);
    RunOptions options;
    options.work_time = [&](const Task& task, UnitId unit, bool mapped, Nanos) {
      return times.Work(task, unit, mapped);
    };
    sum += CostOf(scenario, RunVirtual(*made.problem, *made.policy, options)).value;
  }
  return sum / 21;
}

Decisions Rule(const Scenario& scenario, const char* name) {
  Decisions decisions;
  decisions.rule = std::make_shared<PolicySpec>(PolicyByName(name, scenario, "test"));
  decisions.residents.resize(scenario.units.size());
  return decisions;
}

TEST(Finalists, WithoutSamplesTheMediansDecide) {
  const Scenario scenario = TwoModels({Median(10), Median(20), Median(30), Median(15)}, 5, 4);
  const Decisions best = FindBest(scenario, 200).front();
  ASSERT_TRUE(best.search);
  EXPECT_EQ(best.search->draws, 0);
  EXPECT_EQ(best.search->simplest, "");
  EXPECT_EQ(best.search->stopped, "nothing can be better");
  EXPECT_GT(best.search->tried, 10);
  EXPECT_FALSE(best.schedule && best.schedule->slack);
}

TEST(Finalists, TheStorySaysThatEvaluationsHaveRunOut) {
  SmallScenario board({1, 1, 1});
  for (const int us : {7, 11, 13, 17}) {
    board.AddStream(board.AddModel({{us, us + 4, us + 9}, {us + 3, us, us + 1}}), 9);
  }
  const Scenario scenario = board.Build();
  const Decisions best = FindBest(scenario, 150).front();
  EXPECT_EQ(best.search->stopped, "as many were tried as it may");
  EXPECT_GE(best.search->tried, 140);
}

// The search puts the long ones where the medians say; the noise is far larger than what that gains.
TEST(Finalists, TheSimplestRuleThatCannotBeToldApartIsTaken) {
  const Scenario scenario =
      TwoModels({Noisy(100, 90), Noisy(101, 90), Noisy(102, 90), Noisy(103, 90)}, 10, 9);
  const Decisions best = FindBest(scenario, 300).front();
  EXPECT_GT(best.search->draws, 0);
  ASSERT_TRUE(best.rule) << "a rule does as well as any schedule";
  EXPECT_EQ(best.granularity, Granularity::kModel);
}

// Each model on its own unit is ten times faster: no draw makes fcfs as good.
TEST(Finalists, ARuleThatLosesInEveryDrawIsNotTaken) {
  const Scenario scenario =
      TwoModels({Noisy(100, 20), Noisy(1000, 200), Noisy(1000, 200), Noisy(100, 20)}, 10, 10);
  const Decisions best = FindBest(scenario, 300).front();
  EXPECT_LT(MeanOverDraws(scenario, best), 0.7 * MeanOverDraws(scenario, Rule(scenario, "fcfs")));
}

TEST(Finalists, NoRuleIsBetterThanTheNoise) {
  StreamRandom random("finalists", 3);
  for (int round = 0; round < 6; ++round) {
    std::array<std::string, 4> times;
    for (std::string& time : times) {
      const int base = static_cast<int>(20 + random.UniformUpTo(100));
      time = Noisy(base, static_cast<int>(random.UniformUpTo(base)));
    }
    const Scenario scenario =
        TwoModels(times, static_cast<int>(3 + random.UniformUpTo(10)), 7, R"(, "objective": "makespan")");
    const Decisions best = FindBest(scenario, 150).front();
    const double of_best = MeanOverDraws(scenario, best);
    for (const char* rule : {"fcfs", "sjf", "eft", "fastest_unit"}) {
      const double of_rule = MeanOverDraws(scenario, Rule(scenario, rule));
      EXPECT_LE(of_best, of_rule * (best.search->simplest.empty() ? 1 : 1.1)) << rule << round;
    }
  }
}

TEST(Finalists, AreTheSameEveryTimeAndOnAnyNumberOfCores) {
  const Scenario scenario = TwoModels({Noisy(50, 40), Noisy(90, 60), Noisy(80, 70), Noisy(40, 90)}, 9, 8);
  const auto once = FindBest(scenario, 200), again = FindBest(scenario, 200, 3);
  ASSERT_EQ(once.size(), again.size());
  for (std::size_t i = 0; i < once.size(); ++i) {
    EXPECT_EQ(MeanOverDraws(scenario, once[i]), MeanOverDraws(scenario, again[i]));
    EXPECT_EQ(once[i].rule == nullptr, again[i].rule == nullptr);
  }
}

}  // namespace
}  // namespace tandem
