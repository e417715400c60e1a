// How sure it is who wins, and what intervals leave out: docs/semantics.md, "Draws".
#include <algorithm>
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

std::string NotMeasuredText(const std::vector<ProfileUsed>& drifting) {
  return "the drift of " + Joined(drifting, ", ", [](const ProfileUsed& profile) { return profile.name; }) +
         " was not measured";
}

}  // namespace

std::string DriftText(const Report& report) {
  const std::vector<ProfileUsed> drifting = Drifting(AllUsed({&report}));
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
  // One profile's times drift together, which is the same luck for all; those of another do not drift along.
  const std::vector<ProfileUsed> used = AllUsed(drawn), drifting = Drifting(used);
  if (drifting.empty() || used.size() == 1) return std::nullopt;
  return NotSure{NotMeasuredText(drifting), drifting.size() > 1
                                                ? "they may have drifted apart"
                                                : "it may have drifted away from the other profiles"};
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
            std::to_string(draws->objectives.size()) + " draws";
  }
  if (close.empty()) return share;
  close.insert(close.begin(), winner);
  return "these cannot be told apart by " + Words(NameOf(kObjectiveNames, objective)) + ": " +
         Joined(close, ", ", [&](std::size_t i) { return reports[i].label; }) +
         (share.empty() ? "" : "; " + share);
}

}  // namespace tandem
