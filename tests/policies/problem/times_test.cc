// Does a tensor count the bytes that it has where it lies, whatever precision made it?
#include "policies/problem/times.h"

#include <gtest/gtest.h>

#include "policies/engine/trace_run.h"
#include "policies/engine/virtual_runner.h"
#include "scenarios/check/trace_check.h"
#include "scenarios/trace/read.h"
#include "tests/support/error_of.h"
#include "tests/support/json_scenario.h"
#include "tests/support/small_scenario.h"

namespace tandem {
namespace {

// Layer "a" runs on unit "bytes" alone, in int8 and in a memory of its own, and "b" on unit "numbers" alone.
// A byte takes a nanosecond to copy. `backend`: of "bytes".
Scenario AcrossMemories(const std::string& backend) {
  return JsonScenario{
      R"("memories": [{"name": "dram"}, {"name": "far"}],
         "links": [{"from": "dram", "to": "far", "bandwidth_bytes_per_s": 1000000000}],
         "units": [{"name": "numbers", "kind": "cpu", "memory": "dram"},
                   {"name": "bytes", "kind": "cpu", "memory": "far")" +
          backend + "}]",
      R"("entries": [{"model": "m0.json", "unit": "bytes", "precision": "int8", "layers": ["a"], "median_us": 1},
                     {"model": "m0.json", "unit": "numbers", "layers": ["b"], "median_us": 1}])",
      {R"([{"name": "in", "op": "input", "shape": [1, 1, 4, 4]},
           {"name": "a", "op": "fc", "inputs": ["in"], "out_features": 100},
           {"name": "b", "op": "relu", "inputs": ["a"]}])"},
      R"("variants": {"bytes": "int8"},
         "streams": [{"name": "s", "model": "m0.json", "count": 1, "arrival": {"type": "offline"}}])"}
      .Read();
}

struct JudgedRun {
  Nanos makespan{0};
  std::vector<std::string> wrong;
};

JudgedRun RunByLayers(const Scenario& scenario) {
  const JsonDocument policy = JsonDocument::Parse(R"({"name": "fcfs", "granularity": "layer"})", "policy");
  const PolicySpec spec = ReadPolicy(policy.root(), scenario);
  const Prepared made = MakePolicy(spec, ProblemFor(spec, scenario));
  std::string text;
  TraceWriter trace(&text, scenario);
  RunOptions options;
  options.spans = &trace.BeginRun(1, TraceRunOf(made, spec, "virtual"));
  const Outcome outcome = RunVirtual(*made.problem, *made.policy, options);
  trace.EndRun(outcome.end, outcome.complete);
  trace.Close();
  JudgedRun run{outcome.makespan(), {}};
  const JsonDocument document = JsonDocument::Parse(text, "trace");
  for (const TraceFinding& found : CheckTrace(scenario, ReadTrace(document.root())).violations) {
    run.wrong.push_back(found.rule + ": " + found.what);
  }
  return run;
}

// In: 16 numbers of fp32. Both layers: 1 us each.
constexpr Nanos kBesideTheCopy{16 * 4 + 2000};

TEST(Times, WhatAUnitOfThisProgramsMakesIsFloatsInAnyPrecision) {
  const Scenario scenario = AcrossMemories(R"(, "backend": "cpu", "cores": [0])");
  const Problem problem(scenario, Granularity::kLayer);
  const UnitId bytes = scenario.platform->FindUnit("bytes");
  EXPECT_EQ(problem.ElementBytes(bytes), 4);
  EXPECT_EQ(problem.WeightBytes(ModelId(0), bytes), 1700) << "what it holds inside is bytes";
  const JudgedRun run = RunByLayers(scenario);
  EXPECT_EQ(run.makespan, kBesideTheCopy + Nanos{100 * 4});
  EXPECT_EQ(run.wrong, std::vector<std::string>{}) << "the judge counts them by itself";
}

TEST(Times, WhatAnotherBoardsUnitMakesIsOfItsPrecision) {
  for (const char* backend : {"", R"(, "backend": "emulated")"}) {
    const Scenario scenario = AcrossMemories(backend);
    const Problem problem(scenario, Granularity::kLayer);
    const UnitId bytes = scenario.platform->FindUnit("bytes");
    EXPECT_EQ(problem.ElementBytes(bytes), 1);
    EXPECT_EQ(problem.WeightBytes(ModelId(0), bytes), 1700);
    const JudgedRun run = RunByLayers(scenario);
    EXPECT_EQ(run.makespan, kBesideTheCopy + Nanos{100}) << backend;
    EXPECT_EQ(run.wrong, std::vector<std::string>{}) << backend;
  }
}

// 4097 layers that one of 16384 units runs.
TEST(Times, OfMoreTasksAndUnitsThanATableHoldsAreRefused) {
  SmallScenario small(std::vector<std::int64_t>(16384, 1));
  small.AddStream(small.AddModel(std::vector<std::vector<std::int64_t>>(4097, {5}), {1, 1, 1, 1}), 1);
  const Scenario scenario = small.Build();
  EXPECT_EQ(
      ErrorOf([&] { Problem(scenario, Granularity::kLayer); }),
      "small: 4097 tasks of all models on 16384 units are more than 67108864 times, which is as many as "
      "are kept; coarser tasks (\"granularity\") are fewer");
  EXPECT_EQ(ErrorOf([&] { Problem(scenario, Granularity::kModel); }), "no error");
}

}  // namespace
}  // namespace tandem
