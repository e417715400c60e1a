// How sure it is who wins, and what intervals leave out: docs/semantics.md, "Draws".
#include <algorithm>
#include <limits>
#include <optional>
#include <string>
#include <vector>

#include "profiles/base/figures.h"
#include "profiles/base/joined.h"
#include "scenarios/report/draws.h"
#include "scenarios/report/objective.h"
#include "scenarios/report/report.h"

namespace tandem {
namespace {

// Profiles whose times drift by what nobody knows, each with its origin; several of one report stay several.
std::vector<ProfileUsed> Drifting(const std::vector<const Report*>& reports) {
  std::vector<ProfileUsed> all;
  for (const Report* report : reports) {
    const std::size_t before = all.size();
    for (const ProfileUsed& profile : report->profiles) {
      const bool known = std::find(all.begin(), all.begin() + static_cast<std::ptrdiff_t>(before), profile) !=
                         all.begin() + static_cast<std::ptrdiff_t>(before);
      if (!profile.DriftIsMeasured() && !known) all.push_back(profile);
    }
  }
  return all;
}

double ExcessIn(const ReportDraws& draws, std::size_t draw) {
  return draws.excesses.empty() ? 0 : draws.excesses[draw];
}

std::string NotMeasuredText(const std::vector<ProfileUsed>& drifting) {
  return "the drift of " + Joined(drifting, ", ", [](const ProfileUsed& profile) { return profile.name; }) +
         " was not measured";
}

}  // namespace

std::string DriftText(const Report& report) {
  const std::vector<ProfileUsed> drifting = Drifting({&report});
  return report.draws && !drifting.empty() ? NotMeasuredText(drifting) : "";
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
  // One profile's times drift together, which is the same luck for all; those of several drift apart.
  const std::vector<ProfileUsed> drifting = Drifting(drawn);
  if (drifting.size() > 1) return NotSure{NotMeasuredText(drifting), "they may have drifted apart"};
  return std::nullopt;
}

std::vector<double> WinProbabilities(const std::vector<const ReportDraws*>& all, bool higher_is_better) {
  constexpr double kWorst = std::numeric_limits<double>::infinity();
  std::vector<std::vector<double>> values;
  for (const ReportDraws* draws : all) values.push_back(draws->objectives);
  for (std::size_t d = 0; !all.empty() && d < values[0].size(); ++d) {
    double least = kWorst;
    for (const ReportDraws* draws : all) least = std::min(least, ExcessIn(*draws, d));
    for (std::size_t p = 0; p < all.size(); ++p) {
      if (ExcessIn(*all[p], d) > least) values[p][d] = higher_is_better ? -kWorst : kWorst;
    }
  }
  std::vector<double> probabilities;
  if (all.empty()) return probabilities;
  for (const Standing& standing : Compare(values, higher_is_better).standings) {
    probabilities.push_back(standing.win_probability);
  }
  return probabilities;
}

void SetWinProbabilities(std::vector<Report>& reports, Objective objective) {
  const std::vector<std::size_t> rivals = Contenders(reports, objective);
  const auto not_sure = WhyNotSure(reports, objective);
  std::vector<const ReportDraws*> all;
  for (const std::size_t i : rivals) {
    reports[i].win_why = not_sure && rivals.size() > 1 ? not_sure->what + ": " + not_sure->why : "";
    if (reports[i].draws) all.push_back(&*reports[i].draws);
  }
  if (not_sure || rivals.empty() || all.size() < rivals.size()) return;
  const std::size_t draws = all[0]->objectives.size();
  for (std::size_t i = 0; i < reports.size(); ++i) {
    const bool may_win = reports[i].complete && !reports[i].beside && reports[i].draws &&
                         reports[i].draws->objectives.size() == draws;
    if (may_win && std::find(rivals.begin(), rivals.end(), i) == rivals.end()) {
      all.push_back(&*reports[i].draws);
    }
  }
  const std::vector<double> probabilities = WinProbabilities(all, HigherIsBetter(objective));
  for (std::size_t r = 0; r < rivals.size(); ++r) {
    reports[rivals[r]].draws->win_probability = probabilities[r];
  }
}

bool CannotBeTold(const ReportDraws& other, const ReportDraws& winner, bool higher_is_better) {
  const std::size_t draws = winner.objectives.size();
  if (draws == 0 || other.objectives.size() != draws) return false;  // nothing is known of it
  const auto count = static_cast<double>(draws);
  double better = 0, mean = 0;
  for (std::size_t d = 0; d < draws; ++d) {
    const double excess = ExcessIn(other, d), least = ExcessIn(winner, d);
    const double own = winner.objectives[d], value = other.objectives[d];
    const bool ahead = higher_is_better ? value > own : value < own;
    better += excess < least || (excess == least && ahead) ? 1 : 0;
    mean += value / count;
  }
  // Now and then better, but in the mean worse than the winner may come out, is told apart.
  const bool within = !winner.objective ||
                      (higher_is_better ? mean >= winner.objective->low : mean <= winner.objective->high);
  return better >= kToldApart * count && within;
}

std::vector<std::size_t> NotToldFrom(const std::vector<Report>& reports, std::size_t winner,
                                     Objective objective) {
  std::vector<std::size_t> close;
  const auto& draws = reports[winner].draws;
  if (!draws) return close;
  for (const std::size_t i : Contenders(reports, objective)) {
    const auto& others = reports[i].draws;
    if (i == winner || !others) continue;
    if (CannotBeTold(*others, *draws, HigherIsBetter(objective))) close.push_back(i);
  }
  return close;
}

std::string WinnerText(const std::vector<Report>& reports, std::size_t winner, Objective objective) {
  if (reports.size() < 2) return {};
  const auto& draws = reports[winner].draws;
  std::vector<std::size_t> close = NotToldFrom(reports, winner, objective);
  std::string share;
  if (const auto not_sure = WhyNotSure(reports, objective)) {
    share = "how sure the best is cannot be told: " + not_sure->what;
  }
  if (draws && draws->win_probability) {
    share = reports[winner].label + " is best in " + Share(*draws->win_probability) + " of " +
            std::to_string(draws->objectives.size()) + " draws" +
            (ExcessOf(reports[winner]) > 0 ? ", as it breaks limits the least" : "");
  }
  if (close.empty()) return share;
  close.insert(close.begin(), winner);
  return "these cannot be told apart by " + Words(NameOf(kObjectiveNames, objective)) + ": " +
         Joined(close, ", ", [&](std::size_t i) { return reports[i].label; }) +
         (share.empty() ? "" : "; " + share);
}

}  // namespace tandem
