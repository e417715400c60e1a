// Does every policy end every run in little memory, and does the independent checker find nothing in it?
#include <gtest/gtest.h>

#include <array>
#include <map>
#include <string>

#include "policies/engine/trace_run.h"
#include "policies/engine/virtual_runner.h"
#include "profiles/base/input_error.h"
#include "scenarios/check/trace_check.h"
#include "scenarios/trace/read.h"
#include "tests/support/checked_policy.h"
#include "tests/support/random_cuts.h"
#include "tests/support/random_scenario.h"

namespace tandem {
namespace {

constexpr std::uint64_t kTight = 150;
constexpr const char* kTightPolicies[] = {"fcfs",   "sjf",  "edf",  "eft",  "fastest_unit", "round_robin",
                                          "random", "dmda", "heft", "cpop", "peft",         "affinity"};

struct Judged {
  bool ran = false;
  std::string wrong;
};

PolicySpec SpecOf(const Scenario& scenario, const char* policy, Granularity granularity) {
  PolicySpec spec = PolicyByName(policy, scenario, "test");
  spec.granularity = granularity;
  return spec;
}

Judged RunAndJudge(const Scenario& scenario, const PolicySpec& spec) {
  Judged judged;
  std::string text;
  try {
    const Prepared made = MakePolicy(spec, ProblemFor(spec, scenario));
    CheckedPolicy checked(*made.problem, *made.policy);
    TraceWriter trace(&text, scenario);
    RunOptions options;
    options.spans = &trace.BeginRun(1, TraceRunOf(made, spec, "virtual"));
    const Outcome outcome = RunVirtual(*made.problem, checked, options);
    EXPECT_EQ(checked.waiting(), 0U);
    trace.EndRun(outcome.end, outcome.complete);
    trace.Close();
    judged.ran = true;
  } catch (const InputError& error) {
    const std::string what = error.what();
    if (what.find("wait for ever") != std::string::npos) judged.wrong = what;
    return judged;
  }
  const JsonDocument document = JsonDocument::Parse(text, "trace");
  const TraceJudgement judgement = CheckTrace(scenario, ReadTrace(document.root()));
  if (!judgement.violations.empty()) {
    const TraceFinding& first = judgement.violations.front();
    judged.wrong =
        first.rule + ", " + first.request + " at " + std::to_string(first.time.count()) + ": " + first.what;
  }
  return judged;
}

TEST(TightMemory, DelaysEveryPolicyAndStopsNone) {
  std::map<Granularity, int> runs;
  for (std::uint64_t seed = 0; seed < kTight; ++seed) {
    const Scenario scenario = RandomScenario(seed, Drawn::kTight);
    for (std::size_t p = 0; p < std::size(kTightPolicies); ++p) {
      const Granularity granularity = kGranularityNames[(seed + p) % 3].value;
      const Judged judged = RunAndJudge(scenario, SpecOf(scenario, kTightPolicies[p], granularity));
      runs[granularity] += judged.ran ? 1 : 0;
      EXPECT_EQ(judged.wrong, "") << "seed " << seed << ", " << kTightPolicies[p] << " at granularity "
                                  << NameOf(kGranularityNames, granularity);
    }
  }
  for (const auto& [granularity, count] : runs) {
    EXPECT_GT(count, 100) << NameOf(kGranularityNames, granularity);
  }
}

// Orders that were fixed where memory was plentiful: what waits for room makes no unit wait for it.
TEST(TightMemory, DelaysPlansThatKnewNothingOfIt) {
  int runs = 0;
  for (std::uint64_t seed = 0; seed < 2 * kTight; ++seed) {
    Scenario scenario = RandomScenario(seed);
    PolicySpec spec = SpecOf(scenario, "best", Granularity::kModel);
    try {
      const char* rule = std::array{"fcfs", "eft", "sjf", "random"}[seed % 4];
      spec.decided = std::make_shared<Decisions>(RandomPlan(scenario, seed, rule, true));
    } catch (const InputError&) {
      continue;  // nowhere to run, as things are cut
    }
    const Scenario tight = RandomScenario(seed, Drawn::kTight);
    for (std::size_t m = 0; m < scenario.platform->memories.size(); ++m) {
      scenario.platform->memories[m].capacity_bytes = tight.platform->memories[m].capacity_bytes;
    }
    const Judged judged = RunAndJudge(scenario, spec);
    runs += judged.ran ? 1 : 0;
    EXPECT_EQ(judged.wrong, "") << "seed " << seed;
  }
  EXPECT_GT(runs, 30);
}

}  // namespace
}  // namespace tandem
