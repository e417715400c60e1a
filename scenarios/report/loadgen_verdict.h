// What MLPerf's LoadGen would say of a stream's run: its figures, and whether the result counts.
#pragma once

#include <cstdint>
#include <deque>
#include <optional>
#include <string>
#include <vector>

#include "scenarios/arrivals/stream.h"
#include "scenarios/trace/outcome.h"

namespace tandem {

struct LoadgenVerdict {
  LoadgenScenario scenario = LoadgenScenario::kSingleStream;
  std::vector<std::string> invalid_reasons;  // none: VALID
  bool min_duration_met = false;
  bool min_queries_met = false;
  bool perf_constraints_met = false;
  std::int64_t query_count = 0;              // completed; offline: samples of the one query
  std::int64_t overlatency_query_count = 0;  // beyond target_latency, dropped ones too
  std::int64_t percentile = 0;               // in hundredths of a percent
  // Of completed queries; nothing where none completed, or where drops leave queries without an end.
  struct Latency {
    Nanos min{0}, mean{0}, max{0}, percentile{0};
  };
  std::optional<Latency> latency;
  double scheduled_samples_per_s = 0;  // server alone: its rate as asked for
  double completed_samples_per_s = 0;
  double qps = 0;  // completed queries over the time to the last completion
  // How many queries the percentile needs to be sure of it; see SamplesForPercentile.
  std::int64_t percentile_samples_needed = 0;

  bool valid() const { return invalid_reasons.empty(); }
};

// `stream` has Loadgen rules. Latencies in order of completion. `complete`: the run came to its end.
LoadgenVerdict JudgeLoadgen(const Stream& stream, const StreamOutcome& outcome, bool complete);

// MLPerf's rule: z^2 p (1 - p) / margin^2 queries for 99 % confidence (z = 2.576) and a margin of (1 - p) /
// 20, rounded up to multiples of 2^13. `percentile` in hundredths of a percent, 1..9999.
std::int64_t SamplesForPercentile(std::int64_t percentile);

}  // namespace tandem
