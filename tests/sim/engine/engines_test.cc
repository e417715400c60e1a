// Do the two engines give the same, byte for byte, whatever they are asked?
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <map>

#include "policies/engine/virtual_runner.h"
#include "profiles/base/input_error.h"
#include "sim/engine/simgrid_runner.h"
#include "tests/support/random_cuts.h"
#include "tests/support/random_scenario.h"
#include "tests/support/recorded_run.h"

namespace tandem {
namespace {

constexpr std::uint64_t kScenarios = 1000;

// Policies and granularities in turn.
std::string PolicyText(std::uint64_t seed, const Scenario& scenario) {
  const std::uint64_t policies = Policies().size();
  const PolicyDeclaration& policy = Policies()[seed % policies];
  std::string text = R"({"name": ")" + std::string(policy.name) + "\"";
  if (policy.takes_granularity) {
    text += R"(, "granularity": ")" + std::string(kGranularityNames[seed / policies % 3].name) + "\"";
  }
  const auto keys = policy.keys.fields ? policy.keys.fields().Keys() : std::vector<std::string_view>();
  if (std::find(keys.begin(), keys.end(), "evaluations") != keys.end()) text += R"(, "evaluations": 10)";
  if (policy.name == "single") text += R"(, "unit": "u0")";  // which runs everything
  if (policy.name == "dmda" && seed % 2 == 0) text += R"(, "sorted": true)";
  if (policy.name == "layer_type") {
    text += R"(, "map": {"*": )" + JsonStrings(scenario.platform->UnitNames()) + "}, \"queue\": \"" +
            std::array{"fifo", "task_order", "sjf"}[seed / policies % 3] + '"';
  }
  return text + "}";
}

// What the engine says, an error included.
template <class Engine>
std::string Told(const Problem& problem, Policy& policy, Engine engine, std::size_t& spans) {
  RecordedRun run;
  RunOptions options;
  options.spans = &run;
  try {
    run.Add(engine(problem, policy, options));
  } catch (const InputError& error) {
    return run.text() + error.what();
  }
  spans += run.spans();
  return run.text();
}

std::string FirstDifference(const std::string& a, const std::string& b) {
  const auto at = std::mismatch(a.begin(), a.end(), b.begin(), b.end()).first;
  const auto line = static_cast<std::size_t>(at - a.begin());
  const std::size_t start = a.rfind('\n', line == 0 ? 0 : line - 1) + 1;
  return "virtual:\n" + a.substr(start, 200) + "\nSimGrid:\n" + b.substr(std::min(start, b.size()), 200);
}

TEST(Engines, AgreeOnAThousandRandomScenarios) {
  std::map<std::string_view, int> ran;
  std::size_t spans = 0;
  for (std::uint64_t seed = 0; seed < kScenarios; ++seed) {
    const Scenario scenario = RandomScenario(seed);
    const JsonDocument text = JsonDocument::Parse(PolicyText(seed, scenario), "policy");
    std::string in_virtual_time, on_simgrid;
    try {
      const PolicySpec spec = ReadPolicy(text.root(), scenario);
      const Prepared made = MakePolicy(spec, ProblemFor(spec, scenario));
      on_simgrid = Told(*made.problem, *made.policy, &RunOnSimGrid, spans);  // leaves the policy as it is
      in_virtual_time = Told(*made.problem, *made.policy, &RunVirtual, spans);
      ++ran[spec.declaration->name];
    } catch (const InputError& error) {
      continue;  // a policy that wants parameters, or nowhere to run at this granularity
    }
    ASSERT_EQ(in_virtual_time == on_simgrid, true)
        << "seed " << seed << ", " << PolicyText(seed, scenario) << "\n"
        << FirstDifference(in_virtual_time, on_simgrid);
  }
  int all = 0;
  for (const auto& [name, count] : ran) {
    all += count;
    RecordProperty(std::string(name), count);
  }
  EXPECT_GT(all, 600);
  EXPECT_GT(spans, 20000U);
}

TEST(Engines, AgreeOnPlansThatCutModelsAtRandom) {
  std::size_t ran = 0, spans = 0, parts = 0;
  for (std::uint64_t seed = 0; seed < kScenarios / 2; ++seed) {
    const Scenario scenario = RandomScenario(seed);
    const char* rule = std::array{"fcfs", "eft", "random"}[seed % 3];
    std::string in_virtual_time, on_simgrid;
    try {
      const Decisions plan = RandomPlan(scenario, seed, rule, seed % 2 == 0);
      const Problem problem(scenario, plan.granularity, plan.cuts);
      const Prepared one = MakeDecided(plan, problem), other = MakeDecided(plan, problem);
      on_simgrid = Told(*one.problem, *one.policy, &RunOnSimGrid, spans);
      in_virtual_time = Told(*other.problem, *other.policy, &RunVirtual, spans);
      parts += CountParts(problem);
      ++ran;
    } catch (const InputError&) {
      continue;  // nowhere to run, as things are cut
    }
    ASSERT_EQ(in_virtual_time == on_simgrid, true) << "seed " << seed << ", " << rule << "\n"
                                                   << FirstDifference(in_virtual_time, on_simgrid);
  }
  EXPECT_GT(ran, kScenarios / 4);
  EXPECT_GT(parts, 300U);
  EXPECT_GT(spans, 10000U);
}

TEST(Engines, AgreeWhereMemoryIsShort) {
  std::size_t ran = 0, spans = 0;
  for (std::uint64_t seed = 0; seed < kScenarios / 4; ++seed) {
    const Scenario scenario = TightScenario(seed);
    const JsonDocument text = JsonDocument::Parse(PolicyText(seed, scenario), "policy");
    std::string in_virtual_time, on_simgrid;
    try {
      const PolicySpec spec = ReadPolicy(text.root(), scenario);
      const Prepared made = MakePolicy(spec, ProblemFor(spec, scenario));
      on_simgrid = Told(*made.problem, *made.policy, &RunOnSimGrid, spans);  // leaves the policy as it is
      in_virtual_time = Told(*made.problem, *made.policy, &RunVirtual, spans);
      ++ran;
    } catch (const InputError&) {
      continue;  // nowhere to run
    }
    EXPECT_EQ(in_virtual_time.find("wait for ever"), std::string::npos) << "seed " << seed;
    ASSERT_EQ(in_virtual_time == on_simgrid, true)
        << "seed " << seed << ", " << PolicyText(seed, scenario) << "\n"
        << FirstDifference(in_virtual_time, on_simgrid);
  }
  EXPECT_GT(ran, kScenarios / 10);
  EXPECT_GT(spans, 1000U);
}

}  // namespace
}  // namespace tandem
