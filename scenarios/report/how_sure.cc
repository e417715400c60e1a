// How sure it is who wins, and what is said of intervals and of what they leave out: docs/semantics.md,
// "Draws".
#include <algorithm>
#include <limits>
#include <map>
#include <numeric>
#include <optional>
#include <string>
#include <vector>

#include "profiles/base/figures.h"
#include "profiles/base/file_kinds.h"
#include "profiles/base/joined.h"
#include "scenarios/report/draws.h"
#include "scenarios/report/objective.h"
#include "scenarios/report/report.h"

namespace tandem {
namespace {

// Each with its origin; several of one report stay several.
std::vector<ProfileUsed> AllUsed(const std::vector<const Report*>& reports) {
  std::vector<ProfileUsed> all;
  for (const Report* report : reports) {
    const std::size_t before = all.size();
    for (const ProfileUsed& profile : report->profiles) {
      const bool known = std::find(all.begin(), all.begin() + static_cast<std::ptrdiff_t>(before), profile) !=
                         all.begin() + static_cast<std::ptrdiff_t>(before);
      if (!known) all.push_back(profile);
    }
  }
  return all;
}

// Those whose times drift by what nobody knows.
std::vector<ProfileUsed> Drifting(std::vector<ProfileUsed> profiles) {
  std::erase_if(profiles, [](const ProfileUsed& profile) { return profile.DriftIsMeasured(); });
  return profiles;
}

// Unless others keep limits that it breaks.
bool MayWin(const Report& report, Objective objective) {
  return report.complete && !report.beside && ObjectiveValue(report, objective);
}

// Of which it is not known how good they are, so that they may be better than all of whom that is known.
std::vector<std::string> NotCounted(const std::vector<Report>& reports, Objective objective) {
  std::vector<std::string> labels;
  for (const Report& report : reports) {
    if (!report.beside && !MayWin(report, objective)) labels.push_back(report.label);
  }
  return labels;
}

double ExcessIn(const ReportDraws& draws, std::size_t draw) {
  return draws.excesses.empty() ? 0 : draws.excesses[draw];
}

bool IsOften(std::size_t times, std::size_t draws) {
  return static_cast<double>(times) >= kToldApart * static_cast<double>(draws) - 1e-9;
}

std::string NotMeasuredText(const std::vector<ProfileUsed>& drifting) {
  return "the drift of " + Joined(drifting, ", ", [](const ProfileUsed& profile) { return profile.name; }) +
         " was not measured";
}

// The median over the draws where all but as few of them as an interval leaves out at one end lie on one side
// of the run's figure; nothing elsewhere.
std::optional<double> OtherMedian(const Report& report) {
  const auto value = ObjectiveValue(report, report.objective);
  if (!value || !report.draws || !report.draws->objective) return std::nullopt;
  const ReportDraws& draws = *report.draws;
  const std::size_t few = FirstRank(draws.objectives.size(), draws.probability);
  const auto beyond = [&](const auto& is_beyond) {
    const auto count = std::count_if(draws.objectives.begin(), draws.objectives.end(), is_beyond);
    return static_cast<std::size_t>(count) + few >= draws.objectives.size();
  };
  const bool apart = beyond([&](double drawn) { return drawn > *value; }) ||
                     beyond([&](double drawn) { return drawn < *value; });
  return apart ? std::optional(draws.objective->median) : std::nullopt;
}

std::string MediansText(const std::vector<Report>& reports) {
  std::vector<std::string> medians;
  for (const Report& report : reports) {
    const auto median = OtherMedian(report);
    if (!median) continue;
    const double figure = *ObjectiveValue(report, report.objective);
    medians.push_back(
        report.label + " " +
        (figure > 0 ? SignedPercent(*median / figure - 1, 1)
                    : Words(NameOf(kObjectiveNames, report.objective)) + " " +
                          (report.objective == Objective::kMisses ? Fixed(*median, 0) : Short(*median))));
  }
  if (medians.empty()) return {};
  const bool several = reports[0].objective == Objective::kMisses;
  return (several ? "to be expected are other " : "to be expected is another ") +
         Words(NameOf(kObjectiveNames, reports[0].objective)) + (several ? " than those" : " than that") +
         " of every task at its median, by the median over the draws: " + Joined(medians);
}

}  // namespace

std::string DriftText(const Report& report) {
  const std::vector<ProfileUsed> drifting = Drifting(AllUsed({&report}));
  return report.draws && !drifting.empty() ? NotMeasuredText(drifting) : "";
}

std::string LacksText(const Report& report) {
  std::string text = DriftText(report);
  if (!report.draws || !report.random_arrivals) return text;
  return text + (text.empty() ? "" : "; ") + "arrivals are those of seed " + std::to_string(report.seed) +
         " alone";
}

std::optional<NotSure> WhyNotSure(const std::vector<Report>& reports, Objective objective) {
  std::optional<std::size_t> draws;
  std::vector<const Report*> drawn;
  for (const std::size_t i : Contenders(reports, objective)) {
    const Report& report = reports[i];
    const std::string what = "no interval of " + report.label;
    if (!report.draws && report.interval_why.empty()) return std::nullopt;
    if (!report.draws) return NotSure{what, report.interval_why};
    const std::size_t count = report.draws->objectives.size();
    if (count == 0) return NotSure{what, "not every draw has the " + FigureWords(objective)};
    if (draws && *draws != count) return NotSure{report.label, "it was not drawn as often as others"};
    draws = count;
    drawn.push_back(&report);
  }
  if (const std::vector<ProfileUsed> used = AllUsed(drawn); MayHaveDriftedApart(used)) {
    const std::vector<ProfileUsed> drifting = Drifting(used);
    return NotSure{NotMeasuredText(drifting), drifting.size() > 1
                                                  ? "they may have drifted apart"
                                                  : "it may have drifted away from the other profiles"};
  }
  const std::vector<std::string> not_counted = NotCounted(reports, objective);
  if (drawn.empty() || not_counted.empty()) return std::nullopt;
  return NotSure{"no " + FigureWords(objective) + " of " + Joined(not_counted), "they may be better"};
}

std::vector<double> WinProbabilities(const std::vector<const ReportDraws*>& all, bool higher_is_better) {
  constexpr double kBroken = std::numeric_limits<double>::infinity();
  std::vector<std::vector<double>> values;
  for (const ReportDraws* draws : all) values.push_back(draws->objectives);
  for (std::size_t d = 0; !all.empty() && d < values[0].size(); ++d) {
    double least = kBroken;
    for (const ReportDraws* draws : all) least = std::min(least, ExcessIn(*draws, d));
    for (std::size_t p = 0; p < all.size(); ++p) {
      if (ExcessIn(*all[p], d) > least) values[p][d] = higher_is_better ? -kBroken : kBroken;
    }
  }
  return SharesOfBest(values, higher_is_better);
}

void SetWinProbabilities(std::vector<Report>& reports, Objective objective) {
  const std::vector<std::size_t> rivals = Contenders(reports, objective);
  const auto not_sure = WhyNotSure(reports, objective);
  const bool several = rivals.size() > 1 || !NotCounted(reports, objective).empty();
  for (Report& report : reports) {
    report.win_why.clear();
    if (report.draws) report.draws->win_probability.reset();
  }
  bool drawn = true;
  for (const std::size_t i : rivals) {
    reports[i].win_why = not_sure && several ? not_sure->what + ": " + not_sure->why : "";
    drawn = drawn && reports[i].draws;
  }
  if (not_sure || rivals.empty() || !drawn) return;
  const std::size_t draws = reports[rivals[0]].draws->objectives.size();
  std::vector<std::size_t> may_win = rivals;
  for (std::size_t i = 0; i < reports.size(); ++i) {
    const bool has_draws =
        MayWin(reports[i], objective) && reports[i].draws && reports[i].draws->objectives.size() == draws;
    if (has_draws && std::find(rivals.begin(), rivals.end(), i) == rivals.end()) may_win.push_back(i);
  }
  std::vector<const ReportDraws*> all;
  for (const std::size_t i : may_win) all.push_back(&*reports[i].draws);
  const std::vector<double> probabilities = WinProbabilities(all, HigherIsBetter(objective));
  for (std::size_t r = 0; r < all.size(); ++r) {
    if (r < rivals.size() || probabilities[r] > 0)
      reports[may_win[r]].draws->win_probability = probabilities[r];
  }
}

bool IsWithinNoise(const std::vector<double>& worse_by) {
  const DrawnFigure<double> over = FigureOver(worse_by, kUsualInterval);
  const double mean =
      std::accumulate(worse_by.begin(), worse_by.end(), 0.0) / static_cast<double>(worse_by.size());
  return mean <= (over.high - over.low) / 2;
}

bool TieCannotBeTold(const ReportDraws& other, const ReportDraws& winner, std::size_t asked) {
  const std::size_t draws = winner.ties.size();
  if (draws == 0 || other.ties.size() != draws) return false;
  for (std::size_t breaker = 0; breaker < winner.ties[0].size(); ++breaker) {
    std::vector<double> worse_by;
    for (std::size_t d = 0; d < draws; ++d) {
      worse_by.push_back(other.ties[d][breaker] - winner.ties[d][breaker]);
    }
    const auto better = std::ranges::count_if(worse_by, [](double by) { return by < 0; });
    if (std::ranges::all_of(worse_by, [](double by) { return by == 0; })) continue;
    return breaker >= asked && IsOften(static_cast<std::size_t>(better), draws) && IsWithinNoise(worse_by);
  }
  return false;
}

bool CannotBeTold(const ReportDraws& other, const ReportDraws& winner, bool higher_is_better) {
  const std::size_t draws = winner.objectives.size();
  if (draws == 0 || other.objectives.size() != draws) return false;  // nothing is known of it
  std::size_t by_limits = 0, better = 0;
  std::vector<double> worse_by, breaks_more;
  for (std::size_t d = 0; d < draws; ++d) {
    const double excess = ExcessIn(other, d), least = ExcessIn(winner, d);
    const double own = winner.objectives[d], value = other.objectives[d];
    worse_by.push_back(higher_is_better ? own - value : value - own);
    breaks_more.push_back(excess - least);
    by_limits += excess < least ? 1 : 0;
    better += excess < least || (excess == least && worse_by[d] < 0) ? 1 : 0;
  }
  // Limits count before all else.
  return IsWithinNoise(breaks_more) &&
         (IsOften(by_limits, draws) || (IsOften(better, draws) && IsWithinNoise(worse_by)));
}

std::vector<std::size_t> NotToldFrom(const std::vector<Report>& reports, std::size_t winner,
                                     Objective objective) {
  std::vector<std::size_t> close;
  const auto& draws = reports[winner].draws;
  if (!draws) return close;
  for (std::size_t i = 0; i < reports.size(); ++i) {
    const auto& others = reports[i].draws;
    if (i == winner || !MayWin(reports[i], objective) || !others) continue;
    if (CannotBeTold(*others, *draws, HigherIsBetter(objective))) close.push_back(i);
  }
  return close;
}

std::vector<std::size_t> AlikeInAllDraws(const std::vector<Report>& reports, std::size_t winner,
                                         Objective objective) {
  std::vector<std::size_t> alike;
  const auto& own = reports[winner].draws;
  for (std::size_t i = 0; i < reports.size(); ++i) {
    const auto& others = reports[i].draws;
    const bool known = own && others && !own->objectives.empty() && MayWin(reports[i], objective);
    if (known && own->objectives == others->objectives && own->excesses == others->excesses) {
      alike.push_back(i);
    }
  }
  return alike;
}

std::string WinnerText(const std::vector<Report>& reports, std::size_t winner, Objective objective) {
  if (reports.size() < 2) return {};
  const auto& draws = reports[winner].draws;
  std::vector<std::size_t> close = NotToldFrom(reports, winner, objective);
  std::string share;
  if (const auto not_sure = WhyNotSure(reports, objective)) {
    const bool all_counted = NotCounted(reports, objective).empty();
    share = all_counted ? "" : reports[winner].label + " is the best of those that could be counted; ";
    share += "how sure the best is cannot be told: " + not_sure->what;
  }
  const auto label = [&](std::size_t i) -> const std::string& { return reports[i].label; };
  if (draws && draws->win_probability) {
    const std::vector<std::size_t> alike = AlikeInAllDraws(reports, winner, objective);
    const std::string count = std::to_string(draws->objectives.size()) + " draws",
                      best = "best in " + Share(*draws->win_probability);
    const bool one = alike.size() < 2, always = *draws->win_probability == 1;
    share = one ? reports[winner].label + " is " + best + " of " + count
                : Joined(alike, ", ", label) + " are as good in all " + count +
                      (always ? "" : ", " + best + " of them");
    if (ExcessOf(reports[winner]) > 0) {
      share += one ? ", as it breaks limits the least" : ", as they break limits the least";
    }
  }
  if (close.empty()) return share;
  close.insert(close.begin(), winner);
  return "these cannot be told apart by " + Words(NameOf(kObjectiveNames, objective)) + ": " +
         Joined(close, ", ", label) + (share.empty() ? "" : "; " + share);
}

std::vector<std::string> IntervalTexts(const std::vector<Report>& reports) {
  std::vector<std::string> texts;
  const auto drawn = std::find_if(reports.begin(), reports.end(), [](const Report& r) { return r.draws; });
  if (drawn != reports.end()) {
    texts.push_back(
        "+-: the farther end of the interval of " + PercentInTenths(drawn->draws->probability) + ", by " +
        Counted(drawn->draws->runs, "draw") +
        (drawn->IsFluid() ? "; these, their medians and who is best by them are by tandem's own rules" : ""));
  }
  if (drawn != reports.end() && drawn->random_arrivals) {
    texts.push_back("intervals, and who is best in how many draws, are of these arrivals (seed " +
                    std::to_string(drawn->seed) + "): tandem simulate --replications draws others");
  }
  for (const Report& report : reports) {
    std::string drift = DriftText(report);
    if (drift.empty()) continue;
    drift +=
        ": the intervals are of the machine as it was when its samples were taken, and wider by what it "
        "drifts until others";
    if (std::find(texts.begin(), texts.end(), drift) == texts.end()) texts.push_back(drift);
  }
  if (const std::string medians = MediansText(reports); !medians.empty()) texts.push_back(medians);
  std::map<std::string, std::vector<std::string>> without;  // who has none, by the reason
  for (const Report& report : reports) {
    if (!report.draws && !report.interval_why.empty()) without[report.interval_why].push_back(report.label);
  }
  for (std::string& text : NoIntervalTexts(without, reports.size())) texts.push_back(std::move(text));
  return texts;
}

std::vector<std::string> NoIntervalTexts(const std::map<std::string, std::vector<std::string>>& without,
                                         std::size_t policies) {
  std::vector<std::string> texts;
  for (const auto& [why, labels] : without) {
    const bool all = labels.size() == policies;
    texts.push_back((all ? "no intervals: " : "no interval of " + Joined(labels) + ": ") + why);
  }
  return texts;
}

}  // namespace tandem
