// Room scenarios/calibration: prediction against measurement, and the verdict.
//
// Prediction against measurement: how far off each policy's figures are, and whether the winner was named
// right. Pure functions; docs/semantics.md defines error, spread, regret and tau.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "profiles/base/time.h"
#include "scenarios/report/objective.h"
#include "scenarios/scenario/scenario.h"

namespace tandem {

// predicted / measured - 1; nothing where that cannot be told.
std::optional<double> RelativeError(double predicted, double measured);
// How much worse `value` is than `best` by the objective, as a fraction; nothing where that cannot be told.
std::optional<double> Behind(double value, double best, Objective objective);
// (max - min) / median; nothing of a single value, and where the median is 0.
std::optional<double> Spread(const std::vector<double>& values);

// A time that was predicted once and measured a few times.
struct TimeError {
  Nanos predicted{0};
  Nanos measured{0};                                                         // the lower median
  std::optional<double> error;                                               // of it
  std::optional<double> spread;                                              // of the measured ones
  static TimeError Of(Nanos predicted, const std::vector<Nanos>& measured);  // at least one
};

// One policy, as simulated and as run.
struct PolicyCalibration {
  struct Run {
    Nanos makespan{0};
    std::optional<double> objective;
    std::optional<double> joules = {};
  };
  std::string policy, label;
  bool beside = false;  // shown, never winner
  Nanos predicted{0};   // makespan
  std::optional<double> predicted_objective;
  TieFigures predicted_ties{};  // tell apart what is predicted to be equal
  std::optional<double> predicted_joules;
  std::vector<Run> runs;        // the complete ones
  std::int64_t cut_short = 0;   // runs that are not
  std::optional<bool> correct;  // are all outputs as those of one unit? nothing: none was looked at

  std::optional<TimeError> makespan() const;         // nothing without runs
  std::optional<double> measured_objective() const;  // the lower median
  std::optional<double> objective_spread() const;
  std::optional<double> measured_joules() const;  // the lower median; nothing unless every run has them
  std::optional<double> joules_error() const;
};

struct WinnerCalibration {
  std::optional<std::size_t> predicted, measured;  // positions among the policies
  std::optional<double> regret;
  std::optional<double> kendall_tau;  // among pairs that differ by more than the spread
  std::int64_t pairs = 0;             // that do
  std::optional<double> spread;       // of the two winners, the larger; nothing where one of them has none
  bool wrong = false;                 // the two differ by more than repeated runs of them do
  bool unknown = false;               // whether it is wrong: they differ, and one of them has run only once
};

// Do repeated runs tell the two apart by the objective: do they differ by more than the runs of either? What
// is equal is not told apart; nothing where one of them has a single run.
std::optional<bool> ToldApart(const PolicyCalibration& a, const PolicyCalibration& b);

WinnerCalibration CompareWinners(const std::vector<PolicyCalibration>& policies, Objective objective);

}  // namespace tandem
