// Do the traces and tables that real runs write hold what happened in them?
#include "policies/engine/trace_run.h"

#include <gtest/gtest.h>
#include <unistd.h>

#include <map>
#include <set>

#include "profiles/base/files.h"
#include "profiles/base/input_error.h"
#include "profiles/program/shipped.h"
#include "scenarios/check/trace_check.h"
#include "scenarios/trace/read.h"
#include "scenarios/trace/request_csv.h"
#include "tests/support/json_scenario.h"
#include "tests/support/run_policy.h"

namespace tandem {
namespace {

namespace fs = std::filesystem;

struct Files {
  fs::path trace = fs::path(testing::TempDir()) / ("trace_run." + std::to_string(::getpid()) + ".json");
  fs::path csv = fs::path(testing::TempDir()) / ("trace_run." + std::to_string(::getpid()) + ".csv");
  ~Files() {
    fs::remove(trace);
    fs::remove(csv);
  }
};

Outcome RunInto(const Files& files, const Scenario& scenario, const PolicySpec& spec) {
  const Prepared made = MakePolicy(spec, ProblemFor(spec, scenario));
  const Problem& problem = *made.problem;
  TraceWriter trace(files.trace, scenario);
  RequestCsv csv(files.csv, scenario);
  SpanTee tee({&trace.BeginRun(1, TraceRunOf(made, spec, "virtual")),
               &csv.BeginRun(spec.label, [&](const Span& span) { return JoulesOf(problem, span); })});
  RunOptions options;
  options.spans = &tee;
  Outcome outcome = RunVirtual(problem, *made.policy, options);
  trace.EndRun(outcome.end, outcome.complete);
  csv.EndRun();
  trace.Close();
  csv.Close();
  return outcome;
}

TEST(TraceOfARun, HoldsEveryTaskOnceAndNothingOverlaps) {
  const Files files;
  const Scenario scenario = ReadScenarioFile(FindFile("study-003", "", "scenarios", ".scenario.json"));
  RunInto(files, scenario, PolicyByName("fcfs", scenario, "test"));
  const Trace trace = ReadTraceFile(files.trace);
  ASSERT_EQ(trace.runs.size(), 1U);
  const TracedRun& run = trace.runs[0];
  EXPECT_EQ(run.name, "predicted: fcfs");
  EXPECT_EQ(run.tracks.size(), 4U);
  EXPECT_EQ(run.residents.at("ncs2").size(), 3U);
  ASSERT_EQ(run.spans.size(), 300U);
  std::set<std::pair<std::int32_t, std::int64_t>> requests;
  std::vector<Nanos> busy_until(run.tracks.size());
  Nanos last{0};
  for (const TracedSpan& span : run.spans) {
    requests.emplace(span.stream, span.index);
    EXPECT_GE(span.start, busy_until[static_cast<std::size_t>(span.track)]);
    busy_until[static_cast<std::size_t>(span.track)] = span.end;
    EXPECT_EQ(span.shown_start, span.start);
    EXPECT_EQ(span.shown_duration, span.end - span.start);
    last = std::max(last, span.end);
  }
  EXPECT_EQ(requests.size(), 300U);
  EXPECT_EQ(last, run.end);
}

struct CheckedCase {
  const char *scenario, *policy;
  Granularity granularity = Granularity::kModel;
};

class ShippedScenario : public testing::TestWithParam<CheckedCase> {};

TEST_P(ShippedScenario, ObeysEveryRule) {
  const Files files;
  Scenario scenario = ReadScenarioFile(FindFile(GetParam().scenario, "", "scenarios", ".scenario.json"));
  PolicySpec spec = PolicyByName(GetParam().policy, scenario, "test");
  spec.granularity = GetParam().granularity;
  scenario.policies = {spec};
  RunInto(files, scenario, spec);
  const TraceJudgement judgement = CheckTrace(scenario, ReadTraceFile(files.trace));
  EXPECT_GT(judgement.spans, 0);
  ASSERT_EQ(judgement.violations_total, 0)
      << judgement.violations.at(0).rule << ", " << judgement.violations.at(0).request << " at "
      << judgement.violations.at(0).time.count() << ": " << judgement.violations.at(0).what;
}
INSTANTIATE_TEST_SUITE_P(
    Some, ShippedScenario,
    testing::Values(CheckedCase{"study-003", "fcfs"}, CheckedCase{"study-003", "sjf"},
                    CheckedCase{"study-003-one-model", "eft"}, CheckedCase{"study-003", "round_robin"},
                    CheckedCase{"study-002", "fcfs"}, CheckedCase{"study-002-zero-copy", "sjf"},
                    CheckedCase{"xrbench-ar-gaming", "fcfs"}, CheckedCase{"overload", "fcfs"}));

// Counters as others add them up: the energy of the run, and no memory above its capacity.
TEST(TraceOfARun, HasCountersThatAgreeWithItsReport) {
  const Files files;
  Scenario scenario = ReadScenarioFile(FindFile("study-002", "", "scenarios", ".scenario.json"));
  for (Unit& unit : scenario.platform->units) {
    unit.idle_w = 2;
    unit.busy_w = 5;
  }
  const Outcome outcome = RunInto(files, scenario, scenario.policies.front());
  const JsonDocument document = JsonDocument::ReadFile(files.trace);
  double joules = 0, idle = 0;
  std::map<std::string, std::pair<double, double>> last;  // of each unit's power: since when, and how much
  std::map<std::string, double> most;
  std::map<std::int64_t, int> ends;
  for (const JsonReader event : document.root().Get("traceEvents").Elements()) {
    const std::string_view phase = event.Get("ph").String();
    if (phase == "s" || phase == "f") ends[event.Get("id").Integer(1)] += phase == "s" ? 1 : 2;
    if (phase != "C") continue;
    const std::string name(event.Get("name").String());
    const double at = event.Get("ts").Number(0) * 1e-6;
    if (const auto watts = event.Get("args").Find("watts")) {
      auto& [since, value] = last[name];
      joules += (at - since) * value;
      since = at;
      value = watts->Number(0);
    }
    if (const auto bytes = event.Get("args").Find("bytes"))
      most[name] = std::max(most[name], bytes->Number(0));
  }
  for (const UnitOutcome& unit : outcome.units)
    joules -= unit.task_joules + (5 - 2) * static_cast<double>(unit.unprofiled_busy.count()) * 1e-9;
  for (const auto& [name, power] : last) {
    joules += (static_cast<double>(outcome.end.count()) * 1e-9 - power.first) * power.second;
    idle += static_cast<double>(outcome.end.count()) * 1e-9 * 2;
  }
  EXPECT_EQ(last.size(), 2U);
  EXPECT_NEAR(joules, idle, 1e-6 * idle);
  ASSERT_FALSE(ends.empty());
  for (const auto& [id, both] : ends) EXPECT_EQ(both, 3) << "arrow " << id;
  EXPECT_GT(most["memory: device"], 0);
  for (const Memory& memory : scenario.platform->memories) {
    if (!memory.capacity_bytes) continue;
    EXPECT_LE(most["memory: " + memory.name], static_cast<double>(*memory.capacity_bytes)) << memory.name;
  }
}

// Two of 1 us share the unit for 2 us, at 1 W idle: one draws its own 1 uJ in that time, 0.5 W, and the other
// for its half 4.5 W of 9 above idle.
TEST(TraceOfARun, HasThePowerOfSlotsThatShareAUnit) {
  const Files files;
  const std::string relu =
      R"([{"name": "in", "op": "input", "shape": [1, 1, 4, 4]}, {"name": "a", "op": "relu", "inputs": ["in"]}])";
  const auto stream = [](const std::string& model) {
    return R"({"name": ")" + model + R"(", "model": ")" + model +
           R"(.json", "count": 1, "arrival": {"type": "offline"}})";
  };
  const Scenario scenario =
      JsonScenario{
          R"("memories": [{"name": "dram"}], "units": [{"name": "u0", "kind": "gpu", "memory": "dram",
             "slots": 2, "time_shared": true, "idle_w": 1, "busy_w": 10}])",
          R"("entries": [{"model": "m0.json", "unit": "u0", "layers": "*", "median_us": 1, "energy_j": 1e-6},
                         {"model": "m1.json", "unit": "u0", "layers": "*", "median_us": 1}])",
          {relu, relu},
          R"("streams": [)" + stream("m0") + ", " + stream("m1") + "]"}
          .Read();
  RunInto(files, scenario, PolicyByName("fcfs", scenario, "test"));
  std::vector<double> watts;
  const JsonDocument document = JsonDocument::ReadFile(files.trace);
  for (const JsonReader event : document.root().Get("traceEvents").Elements()) {
    if (event.Get("ph").String() != "C") continue;
    if (const auto value = event.Get("args").Find("watts")) watts.push_back(value->Number(0));
  }
  EXPECT_EQ(watts, (std::vector<double>{6, 1}));
}

TEST(TableOfARun, HasALinePerRequest) {
  const Files files;
  const Scenario scenario = ReadScenarioFile(FindFile("study-003", "", "scenarios", ".scenario.json"));
  const Outcome outcome = RunInto(files, scenario, PolicyByName("sjf", scenario, "test"));
  const std::string text = ReadTextFile(files.csv);
  EXPECT_EQ(std::count(text.begin(), text.end(), '\n'), 301);
  EXPECT_NE(text.find("," + std::to_string(outcome.last_completion.count()) + ","), std::string::npos);
}

}  // namespace
}  // namespace tandem
