// Do runs of scenarios drawn at random obey every rule that the independent checker knows, and does it notice
// where units that share cores did not exclude each other?
#include <gtest/gtest.h>

#include <array>
#include <functional>

#include "policies/engine/exclusion.h"
#include "profiles/base/input_error.h"
#include "tests/support/judged_run.h"
#include "tests/support/random_cuts.h"
#include "tests/support/random_scenario.h"

namespace tandem {
namespace {

constexpr std::uint64_t kTraces = 100;
constexpr std::size_t kAlways = 4;  // so many of these on every scenario, the others on every second one
constexpr std::array kPolicies = {"fcfs", "sjf",  "eft",  "affinity", "single:u0",
                                  "heft", "cpop", "peft", "dmda"};

std::size_t split_parts = 0;  // tasks of all runs that were parts of split layers

bool Shares(const Scenario& scenario) {
  for (const auto& others : ExcludedUnits(*scenario.platform)) {
    if (!others.empty()) return true;
  }
  return false;
}

// Nothing where the policy cannot run the scenario.
std::optional<TraceJudgement> Judge(const Scenario& judged, const Scenario& run, const char* policy,
                                    const std::function<Decisions(const Scenario&)>& plan = {}) {
  try {
    PolicySpec spec = PolicyByName(policy, run, "test");
    spec.granularity = kGranularityNames[run.seed % 3].value;
    if (plan) spec.decided = std::make_shared<Decisions>(plan(run));
    const Prepared made = MakePolicy(spec, ProblemFor(spec, run));
    split_parts += CountParts(*made.problem);
    return JudgeRun(made, spec, run, judged);
  } catch (const InputError&) {
    return std::nullopt;
  }
}

TEST(RandomTraces, ObeyEveryRule) {
  std::int64_t runs = 0, sharing = 0;
  for (std::uint64_t seed = 0; seed < kTraces; ++seed) {
    const Scenario scenario = RandomScenario(seed);
    for (std::size_t p = 0; p < kPolicies.size(); ++p) {
      if (p >= kAlways && (seed + p) % 2 == 0) continue;
      const char* policy = kPolicies[p];
      const auto judgement = Judge(scenario, scenario, policy);
      if (!judgement) continue;
      ++runs;
      sharing += Shares(scenario) ? 1 : 0;
      if (judgement->violations.empty()) continue;
      const TraceFinding& first = judgement->violations.front();
      ADD_FAILURE() << "seed " << seed << ", " << policy << ": " << first.rule << ", " << first.request
                    << " at " << first.time.count() << ": " << first.what;
    }
  }
  EXPECT_GT(runs, 300);
  EXPECT_GT(sharing, 80);
}

// It counts where all units have one slot.
TEST(RandomTraces, OfSchedulesWithSlackObeyEveryRule) {
  std::int64_t runs = 0;
  for (std::uint64_t seed = 0; seed < 4 * kTraces; ++seed) {
    const Scenario scenario = RandomScenario(seed);
    const auto& units = scenario.platform->units;
    if (std::any_of(units.begin(), units.end(), [](const Unit& unit) { return unit.slots > 1; })) continue;
    const auto judgement = Judge(scenario, scenario, "best", [&](const Scenario& run) {
      Decisions plan = RandomPlan(run, seed, std::array{"fcfs", "eft", "random"}[seed % 3], true);
      FixedSchedule loose = *plan.schedule;
      loose.slack = std::chrono::microseconds{seed % 5};
      plan.schedule = std::make_shared<FixedSchedule>(std::move(loose));
      return plan;
    });
    if (!judgement) continue;
    ++runs;
    if (judgement->violations.empty()) continue;
    const TraceFinding& first = judgement->violations.front();
    ADD_FAILURE() << "seed " << seed << ": " << first.rule << ", " << first.request << " at "
                  << first.time.count() << ": " << first.what;
  }
  EXPECT_GT(runs, 50);
}

TEST(RandomTraces, OfPlansThatCutModelsThemselvesObeyEveryRule) {
  split_parts = 0;
  std::int64_t runs = 0;
  for (std::uint64_t seed = 0; seed < 2 * kTraces; ++seed) {
    const Scenario scenario = RandomScenario(seed);
    const bool schedule = seed % 2 == 1;
    const char* rule = std::array{"fcfs", "sjf", "eft", "random"}[seed / 2 % 4];
    const auto plan = [&](const Scenario& of) { return RandomPlan(of, seed, rule, schedule); };
    const auto judgement = Judge(scenario, scenario, schedule ? "best" : rule, plan);
    if (!judgement) continue;
    ++runs;
    if (judgement->violations.empty()) continue;
    const TraceFinding& first = judgement->violations.front();
    ADD_FAILURE() << "seed " << seed << ", " << rule << (schedule ? " fixed: " : ": ") << first.rule << ", "
                  << first.request << " at " << first.time.count() << ": " << first.what;
  }
  EXPECT_GT(runs, 100);
  EXPECT_GT(split_parts, 100U);
}

// What the checker is told of the cuts, it holds the run to: another mode of an edge, another time of a part.
TEST(RandomTraces, OfOtherEdgesOrPartsThanTheyTellAreNoticed) {
  std::int64_t copies = 0, times = 0;
  for (std::uint64_t seed = 0; seed < kTraces; ++seed) {
    const auto plan = [&](const Scenario& of) { return RandomPlan(of, seed, "fcfs", false); };
    const Scenario scenario = RandomScenario(seed);
    Scenario other = RandomScenario(seed);
    other.transfer = other.transfer == TransferMode::kCopy ? TransferMode::kNone : TransferMode::kCopy;
    if (const auto judgement = Judge(other, scenario, "fcfs", plan)) {
      for (const TraceFinding& finding : judgement->violations) copies += finding.rule == "copies" ? 1 : 0;
    }
    Scenario slower = RandomScenario(seed);
    for (Profile& profile : slower.profiles) {
      for (PartEntry& entry : profile.parts) entry.time.median += Nanos{1};
    }
    if (const auto judgement = Judge(slower, scenario, "fcfs", plan)) {
      for (const TraceFinding& finding : judgement->violations) times += finding.rule == "occupation" ? 1 : 0;
    }
  }
  EXPECT_GT(copies, 20);
  EXPECT_GT(times, 20);
}

TEST(RandomTraces, OfUnitsThatDidNotExcludeEachOtherAreNoticed) {
  std::int64_t noticed = 0;
  for (std::uint64_t seed = 0; seed < kTraces; ++seed) {
    const Scenario scenario = RandomScenario(seed);
    if (!Shares(scenario)) continue;
    Scenario apart = RandomScenario(seed);
    for (Unit& unit : apart.platform->units) {
      unit.cores.clear();
      unit.device.reset();
    }
    const auto judgement = Judge(scenario, apart, "fcfs");
    if (!judgement) continue;
    for (const TraceFinding& finding : judgement->violations) noticed += finding.rule == "exclusion" ? 1 : 0;
  }
  EXPECT_GT(noticed, 20);
}

}  // namespace
}  // namespace tandem
