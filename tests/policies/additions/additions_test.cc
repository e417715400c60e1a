// Is a policy added by its file alone? This folder has two, which nothing names but this test: the contract
// tests take them up with all others.
#include <gtest/gtest.h>
#include <unistd.h>

#include <algorithm>

#include "policies/engine/trace_run.h"
#include "policies/engine/virtual_runner.h"
#include "profiles/base/files.h"
#include "scenarios/check/trace_check.h"
#include "scenarios/trace/read.h"
#include "tests/support/run_policy.h"
#include "tests/support/small_scenario.h"
#include "tests/support/span_lines.h"

namespace tandem {
namespace {

namespace fs = std::filesystem;
using Lines = std::vector<std::string>;

// Two layers, then one: microseconds on two units.
Scenario TwoModels() {
  SmallScenario board({1, 1});
  board.AddStream(board.AddModel({{10, 20}, {10, 30}}), 2);
  board.AddStream(board.AddModel({{40, 30}}), 2);
  return board.Build();
}

Lines SpansByLayer(const Scenario& scenario, const std::string& policy) {
  return SpansOf(scenario, R"({"name": ")" + policy + R"(", "granularity": "layer"})");
}

// What a run says of itself, to be read by somebody else.
Trace TraceOf(const Scenario& scenario, const std::string& policy) {
  const fs::path file = fs::path(testing::TempDir()) / (policy + "." + std::to_string(::getpid()) + ".json");
  PolicySpec spec = PolicyByName(policy, scenario, "test");
  spec.granularity = Granularity::kLayer;
  const Prepared made = MakePolicy(spec, ProblemFor(spec, scenario));
  const Problem& problem = *made.problem;
  TraceWriter writer(file, scenario);
  RunOptions options;
  options.spans = &writer.BeginRun(1, TraceRunOf(made, spec, "virtual"));
  const Outcome outcome = RunVirtual(problem, *made.policy, options);
  writer.EndRun(outcome.end, outcome.complete);
  writer.Close();
  Trace trace = ReadTraceFile(file);
  fs::remove(file);
  return trace;
}

std::string FirstViolation(const Scenario& scenario, const Trace& trace) {
  const TraceJudgement judgement = CheckTrace(scenario, trace);
  if (judgement.violations.empty()) return {};
  return judgement.violations[0].rule + ": " + judgement.violations[0].what;
}

// The same with the last task a microsecond later, as if its unit had waited for nothing.
Trace Doctored(Trace trace) {
  TracedRun& run = trace.runs[0];
  const auto later = [](const TracedSpan& a, const TracedSpan& b) { return a.start < b.start; };
  TracedSpan& last = *std::max_element(run.spans.begin(), run.spans.end(), later);
  last.start += Nanos{1000};
  last.shown_start += Nanos{1000};
  last.end += Nanos{1000};
  run.end = std::max(run.end, last.end);
  return trace;
}

TEST(AddedPolicies, RankWhatWaits) {
  EXPECT_EQ(SpansByLayer(TwoModels(), "longest_first"),
            (Lines{"u1 compute #1 0-30000", "u0 compute #0 0-40000", "u0 compute #1 40000-50000",
                   "u1 compute #0 30000-50000", "u0 compute #0 50000-60000", "u1 compute #1 50000-80000"}));
}

// The last task waits for u0 though u1 is idle: that is what it declares.
TEST(AddedPolicies, PlanAhead) {
  EXPECT_EQ(SpansByLayer(TwoModels(), "hlfet"),
            (Lines{"u1 compute #0 0-30000", "u0 compute #1 0-40000", "u0 compute #0 40000-50000",
                   "u1 compute #1 30000-50000", "u0 compute #0 50000-60000", "u0 compute #1 60000-70000"}));
}

TEST(AddedPolicies, AreHeldToWhatTheyDeclareByTheJudge) {
  const Scenario scenario = TwoModels();
  Trace ranked = TraceOf(scenario, "longest_first"), planned = TraceOf(scenario, "hlfet");
  EXPECT_EQ(FirstViolation(scenario, ranked), "");
  EXPECT_EQ(FirstViolation(scenario, planned), "");
  EXPECT_EQ(FirstViolation(scenario, Doctored(ranked)), "idle: it waits, and u0 is idle until 51 us");
  EXPECT_EQ(FirstViolation(scenario, Doctored(planned)), "idle: it waits, and u0 is idle until 61 us");
  // Where any unit may take what waits, u1 should have taken the plan's last task.
  planned.runs[0].policy = "longest_first";
  EXPECT_EQ(FirstViolation(scenario, planned), "idle: it waits, and u1 is idle until 60 us");
}

TEST(AddedPolicies, StandInTheSchema) {
  SchemaDefs defs;
  const std::string schema = PolicySchema(defs).Text();
  for (const std::string policy : {"longest_first", "hlfet"}) {
    EXPECT_NE(schema.find(R"({"const": ")" + policy + R"("})"), std::string::npos) << policy;
  }
}

}  // namespace
}  // namespace tandem
