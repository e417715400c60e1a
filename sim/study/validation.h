// A scenario held against the device: every policy simulated, then run, then compared.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "profiles/program/long_run.h"
#include "scenarios/calibration/report.h"
#include "scenarios/exchange/run_answer.h"
#include "scenarios/exchange/run_order.h"
#include "scenarios/scenario/plan.h"
#include "sim/study/one_run.h"
#include "sim/study/sampled_latencies.h"

namespace tandem {

// One policy as predicted, and the plan that makes a device do the same.
struct Prediction {
  Report report;
  std::optional<LatencyFigures> latencies;  // drawn from samples, where profiles have them
  std::string plan;                         // plan/1 with everything in place
};

struct Predictions {
  std::vector<Prediction> policies;
  std::string trace;  // trace/1 of all of them
};

// Those that were done before `watch` was interrupted.
Predictions Predict(const Scenario& scenario, const std::vector<PolicySpec>& policies, Engine engine,
                    LongRun& watch);

// The prediction that wins by the objective, alone; nothing where none does.
std::vector<Prediction> WinnerAlone(const std::vector<Prediction>& all, Objective objective);

// For these plans, in turn.
RunOrderToWrite OrderFor(const std::vector<Prediction>& predictions, std::int64_t repeats,
                         std::uint64_t seed);

// `run` is what the device made of that request.
CalibrationReport Calibrate(const Scenario& scenario, const std::vector<Prediction>& predictions,
                            const Trace& predicted, const RunAnswer& run);

// Both as one trace/1, the predicted processes first.
std::string JoinedTrace(const std::string& predicted, const std::string& measured);

}  // namespace tandem
