// What do two traces tell of a prediction: which work was off, which latencies, and where the makespan went?
#include "scenarios/calibration/trace.h"

#include <gtest/gtest.h>

#include "tests/support/error_of.h"
#include "tests/support/read_scenario.h"
#include "tests/support/trace_maker.h"

namespace tandem {
namespace {

using std::chrono::microseconds;

class Traces : public testing::Test {
 protected:
  Traces()
      : scenario_(ReadMini(R"("streams": [
            {"name": "a", "model": "mobilenet_v2", "count": 9, "arrival": {"type": "offline"}},
            {"name": "b", "model": "resnet50", "count": 9, "arrival": {"type": "offline"}}])")) {}

  // Two tasks on the cpu and one on the gpu, whose first task starts `gap` later and lasts so long.
  TracedRun Run(double gap, double first, const std::string& policy = "fcfs") const {
    TraceMaker made(scenario_, policy);
    made.Task("cpu", "a", 0, 0, gap, gap + first);
    made.Task("gpu", "b", 0, 0, 0, 40);
    made.Task("cpu", "a", 1, 0, gap + first, gap + first + 100);
    return made.run;
  }

  static Trace TraceOf(std::vector<TracedRun> runs) { return {"mini", "mini", std::move(runs)}; }

  Scenario scenario_;
};

TEST_F(Traces, AreMatchedByPolicy) {
  const Trace predicted = TraceOf({Run(0, 100), Run(0, 100, "eft")});
  TracedRun cut = Run(0, 90);
  cut.complete = false;
  const Trace measured = TraceOf({Run(0, 110), Run(5, 100, "sjf"), cut, Run(0, 120)});
  const auto runs = MatchRuns(predicted, measured, "p");
  ASSERT_EQ(runs.size(), 2U);
  EXPECT_EQ(runs[0].measured.size(), 2U);
  EXPECT_EQ(runs[0].cut_short, 1);
  EXPECT_EQ(runs[0].rounds, (std::vector<std::int64_t>{0, 2})) << "the run that was cut short had one, too";
  EXPECT_TRUE(runs[1].measured.empty());
}

TEST_F(Traces, OfOtherPoliciesAreRefused) {
  const Trace predicted = TraceOf({Run(0, 100)}), other = TraceOf({Run(0, 110, "sjf")});
  EXPECT_EQ(ErrorOf([&] { MatchRuns(predicted, other, "p"); }),
            "p: none of its policies is in the other trace");
  const Trace twice = TraceOf({Run(0, 100), Run(0, 101)});
  EXPECT_EQ(ErrorOf([&] { MatchRuns(twice, predicted, "p"); }), "p: policy \"fcfs\" is predicted twice");
}

TEST_F(Traces, TellWhichWorkWasOff) {
  const Trace predicted = TraceOf({Run(0, 100)}), measured = TraceOf({Run(0, 130), Run(0, 130), Run(0, 130)});
  const auto spans = CompareSpans(MatchRuns(predicted, measured, "p"));
  ASSERT_EQ(spans.size(), 2U);
  EXPECT_EQ(spans[0].segment.model, "mobilenet_v2");
  EXPECT_EQ(spans[0].unit, "cpu");
  EXPECT_EQ(spans[0].predicted_count, 2);
  EXPECT_EQ(spans[0].measured_count, 6);
  EXPECT_EQ(spans[0].time.measured, microseconds(100)) << "the lower median of three of 130 and three of 100";
  EXPECT_EQ(spans[1].segment.model, "resnet50");
  EXPECT_EQ(spans[1].time.error, 0.0);
}

TEST_F(Traces, CompareTransfersByTensorAndWay) {
  const auto with_copy = [&](double took) {
    TraceMaker made(scenario_, "fcfs");
    made.Copy("npu", "a", 0, "data", "dram", "npu_memory", 0, took, {});
    made.Task("npu", "a", 0, 0, took, took + 100);
    return made.run;
  };
  const Trace predicted = TraceOf({with_copy(10)}), measured = TraceOf({with_copy(20)});
  const auto runs = MatchRuns(predicted, measured, "p");
  const auto spans = CompareSpans(runs);
  ASSERT_EQ(spans.size(), 2U);
  EXPECT_EQ(spans[0].kind, SpanKind::kTransfer);
  EXPECT_EQ(spans[0].tensor, "data");
  EXPECT_EQ(spans[0].time.error, -0.5);
  const auto differences = ExplainMakespans(runs);
  for (const UnitDifference& unit : differences[0].units) {
    if (unit.unit != "npu") continue;
    EXPECT_EQ(unit.transfer, microseconds(-10));
    EXPECT_EQ(unit.compute, microseconds(0));
  }
}

TEST_F(Traces, CompareLatenciesRunByRun) {
  const Trace predicted = TraceOf({Run(0, 100)}), measured = TraceOf({Run(0, 130), Run(0, 110), Run(0, 150)});
  const auto latencies = CompareLatencies(MatchRuns(predicted, measured, "p"));
  ASSERT_EQ(latencies.size(), 1U);
  const TimeError& p99 = latencies[0].figures.back();  // 200 against 230, 210, 250
  EXPECT_EQ(p99.predicted, microseconds(200));
  EXPECT_EQ(p99.measured, microseconds(230));
  EXPECT_DOUBLE_EQ(*p99.spread, 40.0 / 230);
}

TEST_F(Traces, PartsOfADifferenceAddUpToIt) {
  // Measured: 7 us late, 30 us longer.
  const Trace predicted = TraceOf({Run(0, 100)}), measured = TraceOf({Run(7, 130), Run(7, 130), Run(9, 200)});
  const auto differences = ExplainMakespans(MatchRuns(predicted, measured, "p"));
  ASSERT_EQ(differences.size(), 1U);
  EXPECT_EQ(differences[0].makespan, microseconds(-37)) << "of the median run";
  bool cpu_seen = false;
  for (const UnitDifference& unit : differences[0].units) {
    EXPECT_EQ(unit.compute + unit.transfer + unit.load + unit.waiting + unit.idle,
              differences[0].makespan * unit.slots)
        << unit.unit;
    if (unit.unit != "cpu") continue;
    cpu_seen = true;
    EXPECT_EQ(unit.compute, microseconds(-30));
    EXPECT_EQ(unit.waiting, microseconds(-7));
    EXPECT_EQ(unit.idle, microseconds(0));
  }
  EXPECT_TRUE(cpu_seen);
}

TEST_F(Traces, TellObjectives) {
  const TracedRun run = Run(0, 100);
  EXPECT_EQ(ObjectiveOf(run, Objective::kMakespan), 200e3);
  EXPECT_EQ(ObjectiveOf(run, Objective::kP99Latency), 200e3);
  EXPECT_EQ(ObjectiveOf(run, Objective::kThroughput), 3e9 / 200e3);
  EXPECT_FALSE(ObjectiveOf(run, Objective::kEnergy).has_value());
}

}  // namespace
}  // namespace tandem
