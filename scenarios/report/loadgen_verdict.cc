#include "scenarios/report/loadgen_verdict.h"

#include <algorithm>
#include <cmath>

#include "profiles/base/decimal.h"
#include "profiles/base/figures.h"
#include "profiles/base/statistics.h"
#include "scenarios/report/latency_summary.h"

namespace tandem {
namespace {

constexpr std::int64_t kWholePercent = 10000;  // percentiles are in hundredths of a percent

std::string Millis(Nanos time) { return ExactMillis(time) + " ms"; }
std::string PercentileText(std::int64_t percentile) { return DecimalText(percentile, 2) + "th percentile"; }

// How many requests make a query.
std::int64_t PerQuery(const Stream& stream) {
  const auto* closed = std::get_if<ClosedArrival>(&stream.arrival);
  return closed ? closed->per_query : 1;
}

// A query's latency is that of its last sample. LoadGen has one closed query in flight, so that the samples
// of one end before those of the next begin; a query that a cut left unfinished does not count.
std::deque<Nanos> QueryLatencies(const Stream& stream, const StreamOutcome& outcome) {
  const auto per_query = static_cast<std::size_t>(PerQuery(stream));
  if (per_query == 1) return outcome.latencies;
  std::deque<Nanos> queries;
  for (std::size_t end = per_query; end <= outcome.latencies.size(); end += per_query) {
    const auto last = outcome.latencies.begin() + static_cast<std::ptrdiff_t>(end);
    queries.push_back(*std::max_element(last - static_cast<std::ptrdiff_t>(per_query), last));
  }
  return queries;
}

LoadgenVerdict::Latency LatencyOf(const std::deque<Nanos>& sorted, std::int64_t percentile) {
  const std::int64_t rank = NearestRank(static_cast<std::int64_t>(sorted.size()), percentile);
  return {sorted.front(), Summarize(sorted)->mean, sorted.back(), sorted[static_cast<std::size_t>(rank - 1)]};
}

// Open and closed streams are released until the duration is over, so a complete run has lasted. Offline is
// one query, whose size was a guess of how much work that takes.
bool LastedLongEnough(const Loadgen& rules, Nanos last_completion, bool complete) {
  if (rules.scenario != LoadgenScenario::kOffline && complete) return true;
  return last_completion >= rules.min_duration;
}

void JudgeDuration(const Loadgen& rules, const StreamOutcome& outcome, bool complete,
                   LoadgenVerdict& verdict) {
  verdict.min_duration_met = LastedLongEnough(rules, outcome.last_completion, complete);
  if (verdict.min_duration_met) return;
  std::string reason = "it lasted " + Millis(outcome.last_completion) + ", less than min_duration_ms, " +
                       Millis(rules.min_duration);
  if (complete) reason += "; a larger target_qps makes the query larger";
  verdict.invalid_reasons.push_back(reason);
}

void JudgeQueries(const Loadgen& rules, LoadgenVerdict& verdict) {
  verdict.min_queries_met = verdict.query_count >= rules.min_query_count;
  if (verdict.min_queries_met) return;
  verdict.invalid_reasons.push_back(std::to_string(verdict.query_count) +
                                    " queries completed, min_query_count is " +
                                    std::to_string(rules.min_query_count));
}

// The percentile is within the target where at least its rank of all queries, dropped ones too, are.
void JudgePerformance(const Loadgen& rules, std::int64_t queries, LoadgenVerdict& verdict) {
  verdict.perf_constraints_met = true;
  if (rules.scenario != LoadgenScenario::kServer || !rules.target_latency || queries == 0) return;
  const std::int64_t within = queries - verdict.overlatency_query_count;
  verdict.perf_constraints_met = within >= NearestRank(queries, rules.percentile);
  if (verdict.perf_constraints_met) return;
  std::string reason = "the " + PercentileText(rules.percentile) + " of the latency";
  if (verdict.latency) reason += ", " + Millis(verdict.latency->percentile) + ",";
  verdict.invalid_reasons.push_back(reason + " is above target_latency_us, " + Millis(*rules.target_latency));
}

void ReadRates(const Stream& stream, const StreamOutcome& outcome, LoadgenVerdict& verdict) {
  if (stream.loadgen->scenario == LoadgenScenario::kServer) {
    verdict.scheduled_samples_per_s = *stream.loadgen->target_qps * static_cast<double>(stream.batch);
  }
  const auto until = static_cast<double>(outcome.last_completion.count());
  if (until <= 0) return;
  verdict.completed_samples_per_s = static_cast<double>(outcome.completed() * stream.batch) * 1e9 / until;
  verdict.qps = static_cast<double>(verdict.query_count) * 1e9 / until;
}

}  // namespace

LoadgenVerdict JudgeLoadgen(const Stream& stream, const StreamOutcome& outcome, bool complete) {
  const Loadgen& rules = *stream.loadgen;
  LoadgenVerdict verdict;
  verdict.scenario = rules.scenario;
  verdict.percentile = rules.percentile;
  verdict.percentile_samples_needed = SamplesForPercentile(rules.percentile);
  if (!complete) verdict.invalid_reasons.push_back("the run was cut short");
  if (outcome.dropped > 0) {
    verdict.invalid_reasons.push_back(std::to_string(outcome.dropped) + " requests were dropped");
  }
  std::deque<Nanos> latencies;
  // Drops in a query of several samples leave no telling which of the others belong together.
  if (outcome.dropped == 0 || PerQuery(stream) == 1) latencies = QueryLatencies(stream, outcome);
  std::sort(latencies.begin(), latencies.end());
  verdict.query_count = static_cast<std::int64_t>(latencies.size());
  if (!latencies.empty()) verdict.latency = LatencyOf(latencies, rules.percentile);
  if (rules.target_latency) {
    const auto late = std::upper_bound(latencies.begin(), latencies.end(), *rules.target_latency);
    verdict.overlatency_query_count = (latencies.end() - late) + outcome.dropped;
  }
  JudgeDuration(rules, outcome, complete, verdict);
  JudgeQueries(rules, verdict);
  JudgePerformance(rules, verdict.query_count + outcome.dropped, verdict);
  ReadRates(stream, outcome, verdict);
  return verdict;
}

std::int64_t SamplesForPercentile(std::int64_t percentile) {
  constexpr double kZ = 2.5758293035489004;  // of the normal distribution, 99 % within +- z
  constexpr double kMarginShare = 20;
  constexpr std::int64_t kMultiple = std::int64_t{1} << 13;
  // With margin (1 - p) / 20 the formula is (20 z)^2 p / (1 - p).
  const double odds = static_cast<double>(percentile) / static_cast<double>(kWholePercent - percentile);
  const auto needed = static_cast<std::int64_t>(std::ceil(kMarginShare * kMarginShare * kZ * kZ * odds));
  return (needed + kMultiple - 1) / kMultiple * kMultiple;
}

}  // namespace tandem
