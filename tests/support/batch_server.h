// A unit whose requests go together, for tests of who goes with whom and when.
#pragma once

#include <string>
#include <vector>

#include "policies/kinds/make_plan.h"
#include "tests/support/json_scenario.h"
#include "tests/support/judged_run.h"
#include "tests/support/run_policy.h"
#include "tests/support/span_lines.h"

namespace tandem {

// One inference takes 10 us, two at once 12, four 16.
struct BatchServer {
  std::string arrival = R"({"type": "offline"})";
  std::string batching = R"({"most": 4})";
  int count = 4;
  std::string policy = R"("fcfs")";
  std::string units = R"({"name": "u0", "kind": "gpu", "memory": "dram"})";
  std::string memories = R"({"name": "dram"})", links = "[]", more_of_stream;
  std::string sizes = R"({"model": "m0.json", "unit": "u0", "layers": "*", "batch": 2, "median_us": 12},
                         {"model": "m0.json", "unit": "u0", "layers": "*", "batch": 4, "median_us": 16})";

  Scenario Read() const {
    const JsonScenario json{
        R"("memories": [)" + memories + R"(], "links": )" + links + R"(, "units": [)" + units + "]",
        R"("entries": [{"model": "m0.json", "unit": "u0", "layers": "*", "median_us": 10}, )" + sizes + "]",
        {R"([{"name": "in", "op": "input", "shape": [1, 1, 16, 16]}, {"name": "a", "op": "relu", "inputs": ["in"]}])"},
        R"("streams": [{"name": "s", "model": "m0.json", "count": )" + std::to_string(count) +
            R"(, "arrival": )" + arrival + R"(, "batching": )" + batching + more_of_stream + "}]"};
    return json.Read();
  }
  Outcome Run(SpanSink* sink = nullptr) const {
    RunOptions options;
    options.spans = sink;
    return RunPolicy(Read(), policy, options);
  }
  std::vector<std::string> Spans() const {
    SpanLines seen;
    Run(&seen);
    return seen.lines();
  }
  // "#2 at 9000": who was dropped when.
  std::vector<std::string> Drops() const {
    SpanLines seen;
    Run(&seen);
    std::vector<std::string> drops;
    for (const auto& [index, at] : seen.drops)
      drops.push_back("#" + std::to_string(index) + " at " + std::to_string(at.count()));
    return drops;
  }
  // What the judge of traces finds first, by the rules of `judged`; empty: nothing.
  std::string JudgedBy(const BatchServer& judged) const {
    const Scenario scenario = Read();
    const PolicySpec spec = ReadPolicy(JsonDocument::Parse(policy, "policy").root(), scenario);
    const TraceJudgement judgement =
        JudgeRun(MakePolicy(spec, ProblemFor(spec, scenario)), spec, scenario, judged.Read());
    if (judgement.violations.empty()) return {};
    return judgement.violations[0].request + ": " + judgement.violations[0].what;
  }
};

inline constexpr const char* kEightAtOnce =
    R"(, {"model": "m0.json", "unit": "u0", "layers": "*", "batch": 8, "median_us": 24})";

}  // namespace tandem
