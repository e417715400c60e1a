#include "scenarios/calibration/pick.h"

#include <algorithm>
#include <tuple>
#include <utility>

#include "profiles/base/figures.h"
#include "profiles/base/file_kinds.h"
#include "profiles/base/statistics.h"
#include "scenarios/calibration/calibration.h"
#include "scenarios/calibration/json_interval.h"

namespace tandem {
namespace {

enum Use : std::int64_t { kChoosing = 0, kJudging = 1 };

std::vector<double> ValuesOf(std::span<const PickedRun> runs, std::size_t plan, Use use,
                             double PickedRun::*figure = &PickedRun::value) {
  std::vector<double> values;
  for (const PickedRun& run : runs) {
    if (run.plan == plan && run.repeat % 2 == use) values.push_back(run.*figure);
  }
  return values;
}

// Nothing where it has no such run.
std::optional<double> MedianOf(std::span<const PickedRun> runs, std::size_t plan, Use use,
                               double PickedRun::*figure = &PickedRun::value) {
  std::vector<double> values = ValuesOf(runs, plan, use, figure);
  return values.empty() ? std::nullopt : std::optional(LowerMedian(std::move(values)));
}

// Those that may be picked and break limits the least; as a rule that is not at all.
std::vector<std::size_t> KeepingLimits(std::span<const PickedRun> runs, const std::vector<char>& may,
                                       Use use) {
  std::optional<double> least;
  std::vector<std::size_t> keeping;
  for (std::size_t p = 0; p < may.size(); ++p) {
    const auto excess = may[p] ? MedianOf(runs, p, use, &PickedRun::excess) : std::nullopt;
    if (!excess || (least && *excess > *least)) continue;
    if (!least || *excess < *least) keeping.clear();
    least = excess;
    keeping.push_back(p);
  }
  return keeping;
}

// The first of those with the best median.
std::optional<std::size_t> BestOf(std::span<const PickedRun> runs, const std::vector<char>& may, Use use,
                                  Objective objective) {
  std::optional<std::size_t> best;
  std::optional<double> of_best;
  for (const std::size_t p : KeepingLimits(runs, may, use)) {
    const auto median = MedianOf(runs, p, use);
    const bool better = !of_best || (HigherIsBetter(objective) ? *median > *of_best : *median < *of_best);
    if (!better) continue;
    best = p;
    of_best = median;
  }
  return best;
}

// By these no plan was picked.
Rounds JudgingRounds(std::span<const PickedRun> runs, std::size_t plans, Objective objective,
                     double probability) {
  std::vector<RoundSample> samples;
  for (const PickedRun& run : runs) {
    if (run.repeat % 2 == kJudging) samples.push_back({run.plan, run.repeat, run.value});
  }
  return Rounds(samples, plans, probability, FewAlikeOf(objective));
}

// How far plans are behind the best, by the judging runs: half of them say who that is and the others by how
// much, and the other way round, or luck would make the best look better than it is. Of one run alone, by
// that.
class Regrets {
 public:
  Regrets(std::span<const PickedRun> runs, const std::vector<char>& may, Objective objective,
          double probability)
      : runs_(runs),
        rivals_(KeepingLimits(runs, may, kJudging)),
        objective_(objective),
        rounds_(JudgingRounds(runs, may.size(), objective, probability)) {
    if (const auto best = BestOf(runs, may, kJudging, objective)) best_ = MedianOf(runs, *best, kJudging);
  }

  // It was run, and broke limits that others kept.
  bool BreaksLimits(std::size_t plan) const {
    return MedianOf(runs_, plan, kJudging) && std::ranges::find(rivals_, plan) == rivals_.end();
  }

  std::pair<std::optional<double>, std::optional<Interval>> Of(std::size_t plan) const {
    if (BreaksLimits(plan)) return {};
    const auto value = MedianOf(runs_, plan, kJudging);
    if (!best_ || !value) return {};
    const double whole = rounds_.products() ? 1 : *best_;
    const auto behind = rounds_.Behind(plan, rivals_, HigherIsBetter(objective_));
    if (!behind || whole <= 0) return {Behind(*value, *best_, objective_), std::nullopt};
    if (!behind->interval) return {behind->value / whole, std::nullopt};
    return {behind->value / whole, Interval{behind->interval->low / whole, behind->interval->high / whole}};
  }

 private:
  std::span<const PickedRun> runs_;
  std::vector<std::size_t> rivals_;
  Objective objective_;
  Rounds rounds_;
  std::optional<double> best_;
};

}  // namespace

std::optional<PickCalibration> Pick(std::span<const PickedRun> runs, const std::vector<char>& may,
                                    std::optional<std::size_t> predicted,
                                    const std::vector<std::string>& labels, Objective objective,
                                    const ErrorBars& bars) {
  const auto chosen = BestOf(runs, may, kChoosing, objective);
  if (!chosen) return std::nullopt;
  PickCalibration pick;
  pick.bar = bars.regret;
  pick.plan = *chosen;
  pick.kept = labels[*chosen];
  if (predicted) pick.predicted = labels[*predicted];
  pick.choosing = static_cast<std::int64_t>(ValuesOf(runs, *chosen, kChoosing).size());
  pick.judging = static_cast<std::int64_t>(ValuesOf(runs, *chosen, kJudging).size());
  const Regrets regrets(runs, may, objective, bars.probability);
  if (predicted) {
    std::tie(pick.regret_before, pick.regret_before_interval) = regrets.Of(*predicted);
    pick.before_breaks_limits = regrets.BreaksLimits(*predicted) && may[*predicted];
  }
  pick.after_breaks_limits = regrets.BreaksLimits(*chosen);
  std::tie(pick.regret_after, pick.regret_after_interval) = regrets.Of(*chosen);
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
          .Needed(
              "regret_before", &P::regret_before, as::OrNull(as::Figure()),
              "Of the predicted winner behind the measured best, by the judging runs; null, too, where it "
              "breaks limits by these that others keep.")
          .Says(
              "regret_before_interval", LimitsOrNull(),
              [](const P& pick) { return LimitsOf(pick.regret_before_interval); },
              "null: fewer than two judging runs of each.")
          .Says(
              "verdict_before", as::OneOf(kBarVerdictNames, "verdict"),
              [](const P& pick) { return pick.before(); }, "Of that regret, against the bar of regrets.")
          .Needed("regret_after", &P::regret_after, as::OrNull(as::Figure()), "The same of the picked one.")
          .Says("regret_after_interval", LimitsOrNull(),
                [](const P& pick) { return LimitsOf(pick.regret_after_interval); })
          .Says("verdict_after", as::OneOf(kBarVerdictNames, "verdict"),
                [](const P& pick) { return pick.after(); });
  return fields;
}

namespace {

// " (0.0% to 4.0%)"; of none nothing.
std::string RangeText(const std::optional<Interval>& interval) {
  return interval ? " (" + Share(interval->low) + " to " + Share(interval->high) + ")" : "";
}

// ", at most 1 %, for sure".
std::string LosesText(BarVerdict verdict, const PickCalibration& pick) {
  const std::string bar = PercentInTenths(pick.bar);
  if (verdict == BarVerdict::kWithin) return ", at most " + bar + " for sure";
  if (verdict == BarVerdict::kOutside) return ", more than " + bar + " for sure";
  return ", which cannot tell whether that is more than " + bar +
         (pick.judging < 2 ? ": it takes two runs" : "");
}

}  // namespace

std::string PickText(const PickCalibration& pick) {
  std::string text = "Picked: " + pick.kept + ", the best by " + Counted(pick.choosing, "run") + " of each";
  if (pick.after_breaks_limits) {
    return text + "; by the other runs it breaks limits of the scenario that others keep.";
  }
  if (!pick.regret_after) return text + "; no runs are left to say what that gains.";
  text += ". By " + Counted(pick.judging, "other run") + " of each it is " + Share(pick.regret_after) +
          RangeText(pick.regret_after_interval) + " behind the best";
  if (pick.before_breaks_limits) {
    return text + "; the predicted winner, " + pick.predicted +
           ", breaks limits of the scenario that others keep.";
  }
  if (pick.kept == pick.predicted)
    return text + ", as it was predicted to be the winner" + LosesText(pick.after(), pick) + ".";
  if (!pick.regret_before) return text + LosesText(pick.after(), pick) + ".";
  text += LosesText(pick.after(), pick) + "; the predicted winner, " + pick.predicted + ", is " +
          Share(pick.regret_before) + RangeText(pick.regret_before_interval) + " behind";
  return text + LosesText(pick.before(), pick) + ".";
}

}  // namespace tandem
