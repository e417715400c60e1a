// Does a stream under LoadGen's rules get the verdict and the figures that LoadGen would give it?
#include <gtest/gtest.h>

#include "scenarios/report/loadgen_verdict.h"

namespace tandem {
namespace {

using std::chrono::milliseconds;
using std::chrono::seconds;

Stream MakeStream(LoadgenScenario scenario, std::int64_t queries, Nanos duration) {
  Stream stream;
  Loadgen rules;
  rules.scenario = scenario;
  rules.min_query_count = queries;
  rules.min_duration = duration;
  rules.percentile = 9000;
  stream.arrival = ClosedArrival{};
  stream.loadgen = rules;
  return stream;
}

Stream MakeServer() {
  Stream stream = MakeStream(LoadgenScenario::kServer, 10, seconds{1});
  stream.arrival = PoissonArrival{20};
  stream.loadgen->target_qps = 20;
  stream.loadgen->target_latency = milliseconds{10};
  return stream;
}

// So many completed queries of each latency.
StreamOutcome MakeOutcome(std::vector<std::pair<std::int64_t, Nanos>> groups, Nanos last) {
  StreamOutcome outcome;
  for (const auto& [count, latency] : groups) {
    outcome.latencies.insert(outcome.latencies.end(), static_cast<std::size_t>(count), latency);
  }
  outcome.released = outcome.completed();
  outcome.last_completion = last;
  return outcome;
}

TEST(LoadgenVerdict, PercentilesNeedWhatMlperfPublishes) {
  EXPECT_EQ(SamplesForPercentile(9000), 24576);
  EXPECT_EQ(SamplesForPercentile(9900), 270336);
  EXPECT_EQ(SamplesForPercentile(9500), 57344);
}

TEST(LoadgenVerdict, SingleStreamIsValidWhereBothLimitsAreMet) {
  const Stream stream = MakeStream(LoadgenScenario::kSingleStream, 10, seconds{1});
  const auto verdict =
      JudgeLoadgen(stream, MakeOutcome({{9, milliseconds{100}}, {1, milliseconds{300}}}, seconds{2}), true);
  EXPECT_TRUE(verdict.valid());
  EXPECT_TRUE(verdict.min_duration_met && verdict.min_queries_met && verdict.perf_constraints_met);
  EXPECT_EQ(verdict.latency->percentile, milliseconds{100});
  EXPECT_EQ(verdict.latency->min, milliseconds{100});
  EXPECT_EQ(verdict.latency->mean, milliseconds{120});
  EXPECT_EQ(verdict.latency->max, milliseconds{300});
  EXPECT_EQ(verdict.query_count, 10);
  EXPECT_EQ(verdict.qps, 5);
}

TEST(LoadgenVerdict, TooFewQueriesAreInvalid) {
  const Stream stream = MakeStream(LoadgenScenario::kSingleStream, 10, seconds{1});
  const auto verdict = JudgeLoadgen(stream, MakeOutcome({{9, milliseconds{100}}}, seconds{2}), true);
  EXPECT_FALSE(verdict.valid());
  EXPECT_FALSE(verdict.min_queries_met);
  EXPECT_EQ(verdict.invalid_reasons, std::vector<std::string>{"9 queries completed, min_query_count is 10"});
}

TEST(LoadgenVerdict, ACutRunIsInvalidHoweverGoodItsFigures) {
  const Stream stream = MakeStream(LoadgenScenario::kSingleStream, 1, seconds{1});
  const auto outcome = MakeOutcome({{10, milliseconds{100}}}, seconds{2});
  EXPECT_TRUE(JudgeLoadgen(stream, outcome, true).valid());
  const auto cut = JudgeLoadgen(stream, outcome, false);
  EXPECT_FALSE(cut.valid());
  EXPECT_TRUE(cut.min_duration_met);
}

TEST(LoadgenVerdict, ServerNeedsItsPercentileWithinTheTarget) {
  const Nanos good = milliseconds{10}, late = milliseconds{11};
  const auto passed = JudgeLoadgen(MakeServer(), MakeOutcome({{9, good}, {1, late}}, seconds{1}), true);
  EXPECT_TRUE(passed.valid());
  EXPECT_EQ(passed.overlatency_query_count, 1);
  EXPECT_EQ(passed.scheduled_samples_per_s, 20);
  EXPECT_EQ(passed.completed_samples_per_s, 10);
  const auto failed = JudgeLoadgen(MakeServer(), MakeOutcome({{8, good}, {2, late}}, seconds{1}), true);
  EXPECT_FALSE(failed.perf_constraints_met);
  EXPECT_EQ(failed.invalid_reasons,
            std::vector<std::string>{
                "the 90th percentile of the latency, 11 ms, is above target_latency_us, 10 ms"});
}

TEST(LoadgenVerdict, DroppedQueriesCountAsLateAndAreInvalid) {
  StreamOutcome outcome = MakeOutcome({{18, milliseconds{1}}}, seconds{1});
  outcome.dropped = 3;
  const auto verdict = JudgeLoadgen(MakeServer(), outcome, true);
  EXPECT_EQ(verdict.overlatency_query_count, 3);
  EXPECT_FALSE(verdict.perf_constraints_met);  // 18 of 21 are below 90 %
  EXPECT_FALSE(verdict.valid());
}

TEST(LoadgenVerdict, OfflineMustLastAsLongAsItWasSizedFor) {
  Stream stream = MakeStream(LoadgenScenario::kOffline, 4, seconds{10});
  stream.arrival = OfflineArrival{};
  stream.batch = 8;
  const auto brief = JudgeLoadgen(stream, MakeOutcome({{4, seconds{1}}}, seconds{8}), true);
  EXPECT_FALSE(brief.min_duration_met);
  EXPECT_EQ(brief.completed_samples_per_s, 4);
  EXPECT_TRUE(JudgeLoadgen(stream, MakeOutcome({{4, seconds{1}}}, seconds{10}), true).valid());
}

TEST(LoadgenVerdict, AMultiStreamQueryTakesAsLongAsItsLastSample) {
  Stream stream = MakeStream(LoadgenScenario::kMultiStream, 2, seconds{1});
  stream.arrival = ClosedArrival{1, 3};
  StreamOutcome outcome = MakeOutcome({{2, milliseconds{1}}, {1, milliseconds{7}}}, seconds{2});
  for (const int ms : {2, 4, 3}) outcome.latencies.push_back(milliseconds{ms});
  outcome.latencies.push_back(milliseconds{9});  // of a query that was cut short
  const auto verdict = JudgeLoadgen(stream, outcome, true);
  EXPECT_EQ(verdict.query_count, 2);
  EXPECT_EQ(verdict.latency->min, milliseconds{4});
  EXPECT_EQ(verdict.latency->max, milliseconds{7});
}

TEST(LoadgenVerdict, WithoutAnyCompletedQueryThereAreNoLatencies) {
  const auto verdict = JudgeLoadgen(MakeServer(), StreamOutcome{}, true);
  EXPECT_FALSE(verdict.latency);
  EXPECT_FALSE(verdict.valid());
  EXPECT_EQ(verdict.qps, 0);
}

}  // namespace
}  // namespace tandem
