#include "scenarios/calibration/pick.h"

#include <algorithm>

#include "profiles/base/figures.h"
#include "profiles/base/file_kinds.h"
#include "profiles/base/statistics.h"
#include "scenarios/calibration/calibration.h"
#include "scenarios/calibration/json_interval.h"

namespace tandem {
namespace {

enum Use : std::int64_t { kChoosing = 0, kJudging = 1 };

std::vector<double> ValuesOf(std::span<const PickedRun> runs, std::size_t plan, Use use) {
  std::vector<double> values;
  for (const PickedRun& run : runs) {
    if (run.plan == plan && run.repeat % 2 == use) values.push_back(run.value);
  }
  return values;
}

std::optional<double> MedianOf(std::span<const PickedRun> runs, std::size_t plan, Use use) {
  const std::vector<double> values = ValuesOf(runs, plan, use);
  return values.empty() ? std::nullopt : std::optional(LowerMedian(values));
}

// The first of those with the best median.
std::optional<std::size_t> BestOf(std::span<const PickedRun> runs, const std::vector<char>& may, Use use,
                                  Objective objective) {
  std::optional<std::size_t> best;
  std::optional<double> of_best;
  for (std::size_t p = 0; p < may.size(); ++p) {
    const auto median = may[p] ? MedianOf(runs, p, use) : std::nullopt;
    if (!median) continue;
    const bool better = !of_best || (HigherIsBetter(objective) ? *median > *of_best : *median < *of_best);
    if (!better) continue;
    best = p;
    of_best = median;
  }
  return best;
}

// By these no plan was picked.
Rounds JudgingRounds(std::span<const PickedRun> runs, std::size_t plans, double probability) {
  std::vector<RoundSample> samples;
  for (const PickedRun& run : runs) {
    if (run.repeat % 2 == kJudging) samples.push_back({run.plan, run.repeat, run.value});
  }
  return Rounds(samples, plans, probability);
}

std::vector<std::size_t> MayBePicked(const std::vector<char>& may) {
  std::vector<std::size_t> plans;
  for (std::size_t p = 0; p < may.size(); ++p) {
    if (may[p]) plans.push_back(p);
  }
  return plans;
}

}  // namespace

std::optional<PickCalibration> Pick(std::span<const PickedRun> runs, const std::vector<char>& may,
                                    std::optional<std::size_t> predicted,
                                    const std::vector<std::string>& labels, Objective objective,
                                    double probability) {
  const auto chosen = BestOf(runs, may, kChoosing, objective);
  if (!chosen) return std::nullopt;
  PickCalibration pick;
  pick.plan = *chosen;
  pick.kept = labels[*chosen];
  if (predicted) pick.predicted = labels[*predicted];
  pick.choosing = static_cast<std::int64_t>(ValuesOf(runs, *chosen, kChoosing).size());
  pick.judging = static_cast<std::int64_t>(ValuesOf(runs, *chosen, kJudging).size());
  const auto best = BestOf(runs, may, kJudging, objective);
  const auto regret = [&](std::optional<std::size_t> plan) -> std::optional<double> {
    const auto value = best && plan ? MedianOf(runs, *plan, kJudging) : std::nullopt;
    return value ? Behind(*value, *MedianOf(runs, *best, kJudging), objective) : std::nullopt;
  };
  pick.regret_before = regret(predicted);
  pick.regret_after = regret(chosen);
  const Rounds rounds = JudgingRounds(runs, may.size(), probability);
  const auto interval = [&](std::size_t plan, std::optional<double> shown) -> std::optional<Interval> {
    const auto behind = rounds.Behind(plan, MayBePicked(may), HigherIsBetter(objective));
    const double whole = rounds.products() ? 1 : best ? *MedianOf(runs, *best, kJudging) : 0;
    if (!shown || !behind || !behind->interval || whole <= 0) return std::nullopt;
    return Interval{std::min(behind->interval->low / whole, *shown),
                    std::max(behind->interval->high / whole, *shown)};
  };
  if (predicted) pick.regret_before_interval = interval(*predicted, pick.regret_before);
  pick.regret_after_interval = interval(*chosen, pick.regret_after);
  return pick;
}

const Fields<PickCalibration>& PickFields() {
  using P = PickCalibration;
  static const auto fields =
      Fields<P>("calibration_pick", "The measured best of the plans that were run.")
          .Needed("kept", &P::kept, as::Text(), "The label of the plan that was picked.")
          .Needed("predicted", &P::predicted, as::Text(), "Of the predicted winner.")
          .Needed("choosing_runs", &P::choosing, as::Integer(1), "Of the picked plan, by which it was.")
          .Needed("judging_runs", &P::judging, as::Integer(0), "By which none was chosen.")
          .Needed("regret_before", &P::regret_before, as::OrNull(as::Figure()),
                  "Of the predicted winner behind the measured best, by the judging runs.")
          .Says(
              "regret_before_interval", LimitsOrNull(),
              [](const P& pick) { return LimitsOf(pick.regret_before_interval); },
              "null: fewer than two judging runs of each.")
          .Needed("regret_after", &P::regret_after, as::OrNull(as::Figure()), "The same of the picked one.")
          .Says("regret_after_interval", LimitsOrNull(),
                [](const P& pick) { return LimitsOf(pick.regret_after_interval); });
  return fields;
}

namespace {

// " (0.0% to 4.0%)"; of none nothing.
std::string RangeText(const std::optional<Interval>& interval) {
  return interval ? " (" + Share(interval->low) + " to " + Share(interval->high) + ")" : "";
}

}  // namespace

std::string PickText(const PickCalibration& pick) {
  std::string text = "Picked: " + pick.kept + ", the best by " + Counted(pick.choosing, "run") + " of each";
  if (!pick.regret_after) return text + "; no runs are left to say what that gains.";
  text += ". By " + Counted(pick.judging, "other run") + " of each it is " + Share(pick.regret_after) +
          RangeText(pick.regret_after_interval) + " behind the best";
  if (!pick.regret_before) return text + ".";
  if (pick.kept == pick.predicted) return text + ", as it was predicted to be the winner.";
  return text + "; the predicted winner, " + pick.predicted + ", is " + Share(pick.regret_before) +
         RangeText(pick.regret_before_interval) + " behind.";
}

}  // namespace tandem
