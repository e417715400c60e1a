// Do the two engines give the same, byte for byte, of plans that cut models and where memory is short? Of
// every policy: tests/laws.
#include <gtest/gtest.h>

#include <algorithm>
#include <array>

#include "profiles/base/input_error.h"
#include "tests/laws/two_engines.h"
#include "tests/support/json_scenario.h"
#include "tests/support/judged_run.h"
#include "tests/support/random_cuts.h"
#include "tests/support/random_scenario.h"
#include "tests/support/sanitized.h"

namespace tandem {
namespace {

constexpr std::uint64_t kScenarios = kSanitized ? 100 : 1000;

TEST(Engines, AgreeOnPlansThatCutModelsAtRandom) {
  std::size_t ran = 0, spans = 0, parts = 0;
  for (std::uint64_t seed = 0; seed < kScenarios / 2; ++seed) {
    const Scenario scenario = RandomScenario(seed);
    const char* rule = std::array{"fcfs", "eft", "random"}[seed % 3];
    TwoRuns runs;
    try {
      const Decisions plan = RandomPlan(scenario, seed, rule, seed % 2 == 0);
      const Problem problem(scenario, plan.granularity, plan.cuts);
      const Prepared one = MakeDecided(plan, problem), other = MakeDecided(plan, problem);
      runs = OnBoth(one, other);
      parts += CountParts(problem);
      ++ran;
    } catch (const InputError&) {
      continue;  // nowhere to run, as things are cut
    }
    spans += runs.spans;
    ASSERT_TRUE(runs.Agree()) << "seed " << seed << ", " << rule << "\n" << runs.FirstDifference();
  }
  EXPECT_GT(ran, kScenarios / 4);
  EXPECT_GT(parts, 3 * kScenarios / 10);
  EXPECT_GT(spans, 10 * kScenarios);
}

TEST(Engines, AgreeOnBatchesThatFormAndSoDoesTheJudge) {
  std::size_t ran = 0, spans = 0, with_drops = 0;
  for (std::uint64_t seed = 0; seed < kScenarios / 4; ++seed) {
    const Scenario scenario = RandomScenario(seed, Drawn::kBatching);
    if (FirstBatching(scenario) == nullptr) continue;
    const JsonDocument text = JsonDocument::Parse(PolicyInTurn(seed, scenario), "policy");
    try {
      const PolicySpec spec = ReadPolicy(text.root(), scenario);
      const Prepared made = MakePolicy(spec, ProblemFor(spec, scenario)),
                     other = MakePolicy(spec, ProblemFor(spec, scenario));
      const TwoRuns runs = OnBoth(made, made);
      if (runs.in_virtual_time.find("/batching: ") != std::string::npos) continue;
      ASSERT_TRUE(runs.Agree()) << "seed " << seed << ", " << PolicyInTurn(seed, scenario) << "\n"
                                << runs.FirstDifference();
      const TraceJudgement judgement = JudgeRun(other, spec, scenario, scenario);
      ASSERT_TRUE(judgement.violations.empty())
          << "seed " << seed << ", " << PolicyInTurn(seed, scenario) << ": " << judgement.violations[0].rule
          << ", " << judgement.violations[0].request << " at " << judgement.violations[0].time.count()
          << " ns: " << judgement.violations[0].what;
      spans += runs.spans;
      ++ran;
      with_drops += std::any_of(scenario.streams.begin(), scenario.streams.end(),
                                [](const Stream& stream) { return stream.batching && stream.Drops(); });
    } catch (const InputError&) {
      continue;  // nowhere to run, or not together
    }
  }
  EXPECT_GT(ran, kScenarios / 25);
  EXPECT_GT(spans, kScenarios / 10);
  EXPECT_GT(with_drops, ran / 10);
}

TEST(Engines, AgreeWhereMemoryIsShort) {
  std::size_t ran = 0, spans = 0;
  for (std::uint64_t seed = 0; seed < kScenarios / 4; ++seed) {
    const Scenario scenario = RandomScenario(seed, Drawn::kTight);
    const JsonDocument text = JsonDocument::Parse(PolicyInTurn(seed, scenario), "policy");
    TwoRuns runs;
    try {
      const PolicySpec spec = ReadPolicy(text.root(), scenario);
      const Prepared made = MakePolicy(spec, ProblemFor(spec, scenario));
      runs = OnBoth(made, made);
      ++ran;
    } catch (const InputError&) {
      continue;  // nowhere to run
    }
    EXPECT_EQ(runs.in_virtual_time.find("wait for ever"), std::string::npos) << "seed " << seed;
    spans += runs.spans;
    ASSERT_TRUE(runs.Agree()) << "seed " << seed << ", " << PolicyInTurn(seed, scenario) << "\n"
                              << runs.FirstDifference();
  }
  EXPECT_GT(ran, kScenarios / 10);
  EXPECT_GT(spans, kScenarios);
}

// Whatever runs on all of them, and what waits for the last two.
Scenario OnTenThousandUnits() {
  std::string units, entries;
  const auto entry = [&](int unit, int model, int us) {
    entries += (entries.empty() ? "" : ", ") + (R"({"model": "m)" + std::to_string(model)) +
               R"(.json", "unit": "u)" + std::to_string(unit) + R"(", "layers": "*", "median_us": )" +
               std::to_string(us) + "}";
  };
  for (int u = 0; u < 10000; ++u) {
    units += (u ? ", " : "") + (R"({"name": "u)" + std::to_string(u)) + R"(", "kind": "cpu", "memory": "m"})";
    entry(u, 0, 100 + u % 7);
    if (u >= 9998) entry(u, 1, 10 + u % 3);
  }
  const std::string layers = R"([{"name": "in", "op": "input", "shape": [1, 1, 1, 1]},
                                 {"name": "a", "op": "relu", "inputs": ["in"]}])";
  return JsonScenario{R"("memories": [{"name": "m"}], "units": [)" + units + "]",
                      R"("entries": [)" + entries + "]",
                      {layers, layers},
                      R"("streams": [{"name": "anywhere", "model": "m0.json", "count": 100,
                                      "arrival": {"type": "poisson", "rate_per_s": 100000}},
                                     {"name": "last", "model": "m1.json", "count": 40,
                                      "arrival": {"type": "offline"}}])"}
      .Read();
}

TEST(Engines, AgreeOnTenThousandUnitsAndSoDoesTheJudge) {
  const Scenario scenario = OnTenThousandUnits();
  ASSERT_EQ(scenario.units.size(), 10000u);
  for (const std::string_view name : {"fcfs", "eft"}) {
    const PolicySpec spec = PolicyByName(name, scenario, "test");
    const Prepared one = MakePolicy(spec, ProblemFor(spec, scenario)),
                   other = MakePolicy(spec, ProblemFor(spec, scenario));
    const TwoRuns runs = OnBoth(one, one);
    EXPECT_TRUE(runs.Agree()) << name << "\n" << runs.FirstDifference();
    EXPECT_EQ(runs.spans, 280u);
    EXPECT_EQ(JudgeRun(other, spec, scenario, scenario).violations.size(), 0u) << name;
  }
}

}  // namespace
}  // namespace tandem
