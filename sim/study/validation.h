// A scenario held against the device: every policy simulated, then run, then compared.
#pragma once

#include <array>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "profiles/program/long_run.h"
#include "scenarios/calibration/report.h"
#include "scenarios/exchange/run_answer.h"
#include "scenarios/exchange/run_order.h"
#include "scenarios/scenario/plan.h"
#include "sim/study/one_run.h"
#include "sim/study/played.h"

namespace tandem {

using LatencyFigures = std::array<Nanos, kLatencyFigures.size()>;

// One policy as predicted, and the plan that makes a device do the same.
struct Prediction {
  Report report;
  std::optional<LatencyFigures> latencies;  // drawn from samples, where profiles have them
  std::string plan;                         // plan/1 with everything in place
  PolicySpec decided;                       // what it decided stays decided
  bool named = false;                       // it is the winner that `tandem plan` names, of all of them
  std::string named_as = {};  // how surely, and from whom it cannot be told; of one alone nothing
  // As it was before the runs, where this is of another state of the machine (PredictAgain); else null.
  std::shared_ptr<const Prediction> planned = {};
  // Nothing: nothing is known of how uncertain it is.
  std::optional<Interval> makespan_interval = {}, objective_interval = {};
  std::array<std::optional<Interval>, kLatencyFigures.size()> latency_intervals = {};
  std::optional<double> win_probability = {};
};

struct Predictions {
  std::vector<Prediction> policies;
  std::string trace;  // trace/1 of all of them
};

// Those that were done before `watch` was interrupted. What profiles have samples of is predicted by medians
// over draws. `interval`: the probability of the intervals.
Predictions Predict(const Scenario& scenario, const std::vector<PolicySpec>& policies, Engine engine,
                    LongRun& watch, double interval = kUsualInterval);

// The same plans again in another state of the machine: policies decide as they did, by the profile, since
// none of them knows of it. Who was likely to win, whom that named, and what was planned, stay.
Predictions PredictAgain(const Played& played, const std::vector<Prediction>& before, Engine engine,
                         LongRun& watch, double interval = kUsualInterval);

// The one that is named, alone; nothing where none is.
std::vector<Prediction> WinnerAlone(const std::vector<Prediction>& all);

// For these plans, in turn.
RunOrderToWrite OrderFor(const std::vector<Prediction>& predictions, std::int64_t repeats, std::int64_t tries,
                         std::uint64_t seed);

// `run` is what the device made of that request.
CalibrationReport Calibrate(const Scenario& scenario, const std::vector<Prediction>& predictions,
                            const Trace& predicted, const RunAnswer& run, const ErrorBars& bars = {});

// Both as one trace/1, the predicted processes first.
std::string JoinedTrace(const std::string& predicted, const std::string& measured);

}  // namespace tandem
