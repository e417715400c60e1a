// What traces add to a calibration: which times were off, and how the units spent the difference.
#pragma once

#include <array>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "scenarios/calibration/calibration.h"
#include "scenarios/report/latency_summary.h"
#include "scenarios/trace/read.h"

namespace tandem {

// The runs of one policy in the two traces: one predicted, the measured ones that are complete.
struct MatchedRuns {
  std::string label;
  const TracedRun* predicted = nullptr;
  std::vector<const TracedRun*> measured;  // may be empty
  std::int64_t cut_short = 0;              // measured runs that are not complete
  // Of each measured one: how many of the policy's runs came before it, those that were cut short, too.
  std::vector<std::int64_t> rounds = {};
};

// In the predicted trace's order. Throws InputError, opened by `place`, where a policy was predicted twice or
// a prediction was cut short, or where no policy is in both.
std::vector<MatchedRuns> MatchRuns(const Trace& predicted, const Trace& measured, const std::string& place);

// Medians of all spans of one kind of work, all policies and runs together.
struct SpanCalibration {
  SpanKind kind = SpanKind::kCompute;
  TraceSegment segment;
  std::string unit;              // a copy engine's is empty
  std::string tensor, from, to;  // transfers
  std::int64_t predicted_count = 0, measured_count = 0;
  TimeError time;
};

// Only what is in both, in order of first appearance.
std::vector<SpanCalibration> CompareSpans(const std::vector<MatchedRuns>& runs);

inline constexpr std::array<Named<Nanos LatencySummary::*>, 5> kLatencyFigures = {
    {{"mean", &LatencySummary::mean},
     {"p50", &LatencySummary::p50},
     {"p90", &LatencySummary::p90},
     {"p95", &LatencySummary::p95},
     {"p99", &LatencySummary::p99}}};

// Of the latencies of all requests of a run.
struct LatencyCalibration {
  std::string label;
  std::array<TimeError, kLatencyFigures.size()> figures;
  std::array<std::vector<Nanos>, kLatencyFigures.size()> runs;  // measured
  std::array<Judgement, kLatencyFigures.size()> judged = {};    // as PolicyCalibration's
  std::array<std::optional<PlannedTime>, kLatencyFigures.size()> planned = {};
};
std::vector<LatencyCalibration> CompareLatencies(const std::vector<MatchedRuns>& runs);

// How predicted and measured makespan come to differ: what a unit's slots spent more (or less) in the
// prediction. The parts add up to `makespan` times the slots.
struct UnitDifference {
  std::string unit;
  std::int64_t slots = 1;
  Nanos compute{0}, transfer{0}, load{0};
  Nanos waiting{0};   // idle while requests were there: kept back, blocked, or waiting for inputs
  Nanos idle{0};      // nothing was there to do
  Nanos last_end{0};  // measured
};
struct MakespanDifference {
  std::string label;
  Nanos makespan{0};  // predicted - measured, of the run with the median makespan
  std::vector<UnitDifference> units;
};
std::vector<MakespanDifference> ExplainMakespans(const std::vector<MatchedRuns>& runs);

// Of a run alone.
Nanos MakespanOf(const TracedRun& run);
// Makespan, mean or p99 latency, or completed requests per second; nothing for what a trace does not tell.
std::optional<double> ObjectiveOf(const TracedRun& run, Objective objective);

}  // namespace tandem
