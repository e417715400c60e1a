// The plan that the device itself was best with, and what choosing it by measurement gains.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "profiles/base/fields.h"
#include "scenarios/calibration/judgement.h"
#include "scenarios/report/draws.h"
#include "scenarios/report/objective.h"

namespace tandem {

struct PickedRun {
  std::size_t plan = 0;
  std::int64_t repeat = 0;
  double value = 0;   // of the objective
  double excess = 0;  // by how much it breaks the scenario's limits
};

struct PickCalibration {
  std::size_t plan = 0;
  std::string kept, predicted;             // labels: of the one that was picked, and of the predicted winner
  std::int64_t choosing = 0, judging = 0;  // runs of the picked one
  // Behind the best of them all on runs by which none was chosen, as Rounds::Behind has it; nothing where
  // there are none.
  std::optional<double> regret_before, regret_after;
  // Nothing where those are fewer than two of each.
  std::optional<Interval> regret_before_interval, regret_after_interval;
  // By the judging runs: the one breaks limits that others keep, and so has no regret.
  bool before_breaks_limits = false, after_breaks_limits = false;
  double bar = ErrorBars{}.regret;  // of both regrets

  BarVerdict before() const { return VerdictOfLoss(regret_before_interval, bar); }
  BarVerdict after() const { return VerdictOfLoss(regret_after_interval, bar); }
};

// Every other repeat, from the first on, chooses: the plan with the best median of these, of those that break
// limits the least. The others judge it beside the predicted winner. Nothing where no plan may be picked:
// `may` by plan. `labels`: of the plans. `bars`: for regrets, and the probability of their intervals.
std::optional<PickCalibration> Pick(std::span<const PickedRun> runs, const std::vector<char>& may,
                                    std::optional<std::size_t> predicted,
                                    const std::vector<std::string>& labels, Objective objective,
                                    const ErrorBars& bars = {});

const Fields<PickCalibration>& PickFields();
std::string PickText(const PickCalibration& pick);

}  // namespace tandem
