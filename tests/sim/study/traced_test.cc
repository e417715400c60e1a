// What is kept of runs for a page: is it what their trace says, and is a run that is too long left out whole
// and by name?
#include "sim/study/traced.h"

#include <gtest/gtest.h>

#include "policies/engine/trace_run.h"
#include "profiles/base/json_reader.h"
#include "scenarios/trace/trace.h"
#include "sim/page/timeline.h"

namespace tandem {
namespace {

class RunsKeptForPages : public testing::Test {
 protected:
  void RunInto(RunsForPage& runs, const std::string& policy) { RunOne(policy, &runs, nullptr); }

  // The same run for the page and, where there is one, as a trace.
  void RunOne(const std::string& policy, RunsForPage* runs, TraceWriter* writer) {
    const std::vector<PolicySpec> policies = ChoosePolicies(scenario_, {policy});
    const PreparedRun run = Prepare(scenario_, policies.front());
    RunOptions options;
    const TraceRun facts = TraceRunOf(run, *run.spec, "virtual");
    std::vector<SpanSink*> sinks = {&runs->BeginRun(facts)};
    if (writer != nullptr) sinks.push_back(&writer->BeginRun(++process_, facts));
    SpanTee both(sinks);
    options.spans = &both;
    const Outcome outcome = RunOn(Engine::kVirtual, run, options);
    runs->EndRun(outcome);
    if (writer != nullptr) writer->EndRun(outcome.end, outcome.complete);
  }

  const Scenario scenario_ = LoadScenario(TANDEM_TEST_DIR "/../scenarios/policies/slow-link.scenario.json");
  int process_ = 0;
};

TEST_F(RunsKeptForPages, SayWhatTheirTraceSays) {
  std::string text;
  TraceWriter writer(&text, scenario_);
  RunsForPage runs(scenario_);
  for (const char* policy : {"fcfs", "eft"}) RunOne(policy, &runs, &writer);
  writer.Close();
  Page page;
  runs.MoveTo(page);
  const Trace trace = ReadTrace(JsonDocument::Parse(text, "trace").root());
  ASSERT_EQ(page.trace->runs.size(), 2U);
  EXPECT_EQ(page.trace->scenario, scenario_.name);
  for (std::size_t run = 0; run < 2; ++run) {
    const TracedRun &kept = page.trace->runs[run], &read = trace.runs[run];
    EXPECT_EQ(kept.name, read.name);
    EXPECT_EQ(kept.end, read.end);
    ASSERT_EQ(kept.tracks.size(), read.tracks.size());
    ASSERT_EQ(kept.spans.size(), read.spans.size());
    for (std::size_t s = 0; s < kept.spans.size(); ++s) {
      const TracedSpan &a = kept.spans[s], &b = read.spans[s];
      EXPECT_EQ(kept.tracks[static_cast<std::size_t>(a.track)].name,
                read.tracks[static_cast<std::size_t>(b.track)].name);
      EXPECT_EQ(kept.streams[static_cast<std::size_t>(a.stream)],
                read.streams[static_cast<std::size_t>(b.stream)]);
      EXPECT_EQ(kept.segments[static_cast<std::size_t>(a.segment)].model,
                read.segments[static_cast<std::size_t>(b.segment)].model);
      EXPECT_EQ(kept.segments[static_cast<std::size_t>(a.segment)].layers,
                read.segments[static_cast<std::size_t>(b.segment)].layers);
      EXPECT_EQ(a.kind, b.kind);
      EXPECT_EQ(a.index, b.index);
      EXPECT_EQ(a.release, b.release);
      EXPECT_EQ(a.ready, b.ready);
      EXPECT_EQ(a.start, b.start);
      EXPECT_EQ(a.end, b.end);
    }
  }
  EXPECT_TRUE(page.taken.empty());
}

TEST_F(RunsKeptForPages, LeaveOutWholeRunsThatDoNotFitAndSayWhose) {
  RunsForPage all(scenario_);
  RunInto(all, "fcfs");
  Page whole;
  all.MoveTo(whole);
  const std::size_t spans = whole.trace->runs[0].spans.size();
  RunsForPage runs(scenario_, spans);
  for (const char* policy : {"fcfs", "eft", "sjf"}) RunInto(runs, policy);
  Page page;
  runs.MoveTo(page);
  ASSERT_EQ(page.trace->runs.size(), 1U);
  EXPECT_EQ(page.trace->runs[0].policy, "fcfs");
  ASSERT_EQ(page.taken.size(), 1U);
  EXPECT_EQ(page.taken[0], "timeline and latencies are not shown of eft, sjf: a page keeps " +
                               std::to_string(spans) + " spans");
}

}  // namespace
}  // namespace tandem
