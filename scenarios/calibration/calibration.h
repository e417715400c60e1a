// Room scenarios/calibration: prediction against measurement, and the verdict.
//
// Prediction against measurement: how far off each policy's figures are, and whether the winner was named
// right. Pure functions; docs/semantics.md defines error, spread, interval, verdict, regret and tau.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "profiles/base/time.h"
#include "scenarios/calibration/judgement.h"
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

// As predicted before the runs, for the profiles' state, where the prediction itself is for that of the runs.
struct PlannedTime {
  Nanos time{0};
  Judgement judged = {};  // by Judge (report.h), but for what is predicted
};

// One policy, as simulated and as run.
struct PolicyCalibration {
  struct Run {
    Nanos makespan{0};
    std::optional<double> objective;
    std::optional<double> joules = {};
    std::int64_t round = 0;  // the policies take turns: one run of each is a round
    bool disturbed = false;  // by others, as a reading of the machine says: it counts for no figure
    std::optional<double> excess = {};  // by how much it breaks the scenario's limits; nothing: it has none
  };
  std::string policy, label;
  bool beside = false;  // shown, never winner
  bool named = false;   // the winner, before the runs: of those that cannot be told apart the simplest
  Nanos predicted{0};   // makespan
  std::optional<double> predicted_objective;
  TieFigures predicted_ties{};  // tell apart what is predicted to be equal
  std::optional<double> predicted_joules;
  std::string interval_why;            // why no predicted figure has an interval
  std::optional<PlannedTime> planned;  // makespan
  std::optional<double> planned_objective;
  std::optional<double> win_probability;  // as predicted
  std::vector<Run> runs;                  // the complete ones
  std::int64_t cut_short = 0;             // runs that are not
  std::optional<bool> correct;            // are all outputs as those of one unit? nothing: none was looked at

  Judgement of_makespan, of_objective;  // by Judge (report.h), but for what is predicted

  // Was any run not disturbed, and are no outputs wrong? Else its figures are shown and judged by nobody.
  bool counts() const;
  std::vector<Run> Counting() const;  // those not disturbed; all, where all were
  std::int64_t disturbed() const;
  std::optional<TimeError> makespan() const;         // nothing without runs
  std::optional<double> measured_objective() const;  // the lower median
  std::optional<double> objective_spread() const;
  std::optional<double> objective_error() const;
  std::optional<double> excess() const;  // the lower median; nothing: there are no limits
  // The prediction that names the winner: it was made before the runs.
  std::optional<double> named_by() const;
  std::optional<double> measured_joules() const;  // the lower median; nothing unless every run has them
  std::optional<double> joules_error() const;
};

struct WinnerCalibration {
  std::optional<std::size_t> predicted, measured;  // positions among the policies
  // The best by its predicted value, where a simpler one is named that cannot be told from it.
  std::optional<std::size_t> instead_of;
  std::optional<double> regret;  // on runs that did not choose the best (rounds.h)
  std::optional<Interval> regret_interval;
  // Within: it loses no more than the bar; outside: it loses more, or breaks limits.
  BarVerdict verdict = BarVerdict::kUnknown;
  // Does the predicted one keep the scenario's limits as well as any does? Nothing: there are none.
  std::optional<BarVerdict> limits;
  RunsToTell runs;                    // where that is unknown
  std::optional<double> kendall_tau;  // among pairs that are told apart
  std::int64_t pairs = 0;             // that are
  std::optional<double> spread;       // of the two winners, the larger; nothing where one of them has none
};

// Of the objective, of all runs that count.
Rounds ObjectiveRounds(const std::vector<PolicyCalibration>& policies, Objective objective,
                       double probability);
// Of a count few runs that are alike say nothing.
FewAlike FewAlikeOf(Objective objective);
// Does the interval of their difference leave out 0? Nothing where they have too few rounds in common.
std::optional<bool> ToldApart(const Rounds& rounds, std::size_t a, std::size_t b);

// The predicted one is who is named, or where nobody is, or who is has no run, the best by what was
// predicted.
WinnerCalibration CompareWinners(const std::vector<PolicyCalibration>& policies, Objective objective,
                                 const ErrorBars& bars = {});

}  // namespace tandem
