#include <algorithm>
#include <map>
#include <optional>
#include <set>
#include <string_view>
#include <utility>

#include "profiles/base/figures.h"
#include "profiles/base/file_kinds.h"
#include "profiles/base/joined.h"
#include "sim/sweep/collected.h"
#include "sim/sweep/effects.h"
#include "sim/sweep/told.h"

namespace tandem {
namespace {

constexpr std::string_view kAnd = " and ";

// By policy, of those that may win at each of the rows.
using Rivals = std::map<std::string, SweepRival>;

// Its rivals, and what each of them costs.
struct Level {
  Rivals rivals;
  bool by_draws = false;
  std::map<std::string, double> costs;
};

// Rows of the points at which every policy ran, without those that never win.
std::vector<std::size_t> Compared(const std::vector<SweepRow>& rows, std::string_view figure) {
  std::set<std::string> policies;
  std::map<std::map<std::string, std::string>, std::vector<std::size_t>> points;
  for (std::size_t r = 0; r < rows.size(); ++r) {
    if (rows[r].beside || !CostByFigure(rows[r], figure, ComparedBy::kRuns)) continue;
    policies.insert(rows[r].policy);
    points[rows[r].point].push_back(r);
  }
  std::vector<std::size_t> compared;
  for (const auto& [point, there] : points) {
    if (there.size() == policies.size()) compared.insert(compared.end(), there.begin(), there.end());
  }
  return policies.size() < 2 ? std::vector<std::size_t>() : compared;
}

Level RivalsAt(const Sweep& sweep, const std::vector<SweepRow>& rows, const FactorLevel& level,
               std::string_view figure) {
  std::map<std::string, std::vector<std::size_t>> of_policy;
  std::set<std::string> out;
  for (const std::size_t row : level.rows) {
    of_policy[rows[row].policy].push_back(row);
    if (!MayBeBest(sweep, rows[row])) out.insert(rows[row].policy);
  }
  Level at;
  std::vector<const SweepRival*> all;
  for (const auto& [policy, positions] : of_policy) {
    if (!out.contains(policy)) all.push_back(&(at.rivals[policy] = RivalOf(rows, positions, figure)));
  }
  at.by_draws = AreComparedByDraws(all);
  for (const auto& [policy, rival] : at.rivals) at.costs[policy] = CostOf(rival, figure, at.by_draws);
  return at;
}

// Several that are equal share it.
std::string BestOf(const Level& level) {
  std::vector<std::string> best;
  double least = 0;
  for (const auto& [policy, cost] : level.costs) {
    if (!best.empty() && cost > least) continue;
    if (!best.empty() && cost < least) best.clear();
    least = cost;
    best.push_back(policy);
  }
  return Joined(best, kAnd);
}

bool IsTold(const Level& level, const std::string& best, std::string_view figure) {
  if (level.rivals.size() == 1) return true;  // there is no other
  const auto own = level.rivals.find(best);
  if (own == level.rivals.end()) return false;
  return std::none_of(level.rivals.begin(), level.rivals.end(), [&](const auto& rival) {
    return rival.first != best && CannotBeTold(rival.second, own->second, figure);
  });
}

// In what share of the draws it is the best; nothing where nobody knows.
std::optional<double> ProbabilityOf(const Level& level, const std::string& best, std::string_view figure) {
  std::vector<const ReportDraws*> draws;
  std::optional<std::size_t> own;
  for (const auto& [policy, rival] : level.rivals) {
    if (!level.by_draws || !rival.has_probability) return std::nullopt;
    if (policy == best) own = draws.size();
    draws.push_back(&rival.draws);
  }
  if (!own) return std::nullopt;
  return WinProbabilities(draws, MoreIsBetter(figure))[*own];
}

// Where the lines of the two policies meet between two levels; half way where one of them has none.
double Crossing(const FactorLevel& left, const FactorLevel& right, const Level& before, const Level& after,
                const std::string& policy, const std::string& next) {
  const double from = *left.at, to = *right.at;
  const bool lines = before.costs.contains(policy) && before.costs.contains(next) &&
                     after.costs.contains(policy) && after.costs.contains(next);
  if (!lines) return (from + to) / 2;
  const double lead = before.costs.at(next) - before.costs.at(policy),
               behind = after.costs.at(policy) - after.costs.at(next);
  return lead + behind > 0 ? from + (to - from) * lead / (lead + behind) : (from + to) / 2;
}

void AddValue(const Level& at, const std::string& best, std::string_view figure, Reign& reign) {
  const auto probability = ProbabilityOf(at, best, figure);
  const bool known = probability && (reign.values == 0 || reign.probability);
  reign.probability =
      known ? std::optional(std::min(reign.probability.value_or(1), *probability)) : std::nullopt;
  ++reign.values;
  reign.told += IsTold(at, best, figure) ? 1 : 0;
}

Winners WinnersOf(const Sweep& sweep, const std::vector<SweepRow>& rows, const Factor& factor,
                  std::string_view figure) {
  Winners winners{factor.name, {}};
  Level before;
  const FactorLevel* last = nullptr;
  for (const FactorLevel& level : factor.levels) {
    Level at = RivalsAt(sweep, rows, level, figure);
    const std::string best = BestOf(at);
    if (last == nullptr || winners.reigns.back().policy != best) {
      if (last != nullptr && level.at) {
        winners.reigns.back().until = Crossing(*last, level, before, at, winners.reigns.back().policy, best);
      }
      winners.reigns.emplace_back();
      winners.reigns.back().policy = best;
      winners.reigns.back().first = level.label;
    }
    Reign& reign = winners.reigns.back();
    reign.last = level.label;
    AddValue(at, best, figure, reign);
    before = std::move(at);
    last = &level;
  }
  return winners;
}

// Is there one winner, of whom it can be said how sure it is?
bool IsOfOne(const Reign& reign) {
  return !reign.policy.empty() && reign.policy.find(kAnd) == std::string::npos;
}

std::string HowSure(const Reign& reign) {
  if (!IsOfOne(reign)) return {};
  if (reign.told == 0) return " (cannot be told)";
  if (reign.told < reign.values) {
    return " (cannot be told at " + std::to_string(reign.values - reign.told) + " of " +
           Counted(reign.values, "value") + ")";
  }
  if (!reign.probability) return {};
  return std::string(" (best in ") + (reign.values > 1 ? "at least " : "") + Share(*reign.probability) +
         " of the draws)";
}

std::string WhoWins(const Reign& reign) {
  if (reign.policy.empty()) return "none keeps what is required";
  if (!IsOfOne(reign)) return reign.policy + " tie";
  return reign.policy + (reign.told == 0 ? " leads" : " wins");
}

}  // namespace

std::vector<Winners> WinnersAlong(const Sweep& sweep, const std::vector<SweepRow>& rows,
                                  std::string_view figure) {
  std::vector<Winners> all;
  for (const Factor& factor : FactorsOf(sweep, rows, Compared(rows, figure))) {
    if (!factor.is_seed && factor.name != "policy") all.push_back(WinnersOf(sweep, rows, factor, figure));
  }
  return all;
}

bool Winners::AreTold() const {
  return std::all_of(reigns.begin(), reigns.end(),
                     [](const Reign& reign) { return !IsOfOne(reign) || reign.told == reign.values; });
}

std::string WinnersText(const Winners& winners) {
  std::string text = winners.axis + ": ";
  const std::vector<Reign>& reigns = winners.reigns;
  if (reigns.size() == 1) return text + WhoWins(reigns[0]) + " everywhere" + HowSure(reigns[0]);
  for (std::size_t r = 0; r < reigns.size(); ++r) {
    text += (r == 0 ? "" : ", ") + WhoWins(reigns[r]);
    if (reigns[r].until) {
      text += " below " + Short(*reigns[r].until);
    } else if (r > 0 && reigns[r - 1].until) {
      text += " above";
    } else {
      text += " at " + reigns[r].first + (reigns[r].first == reigns[r].last ? "" : " to " + reigns[r].last);
    }
    text += HowSure(reigns[r]);
  }
  return text;
}

}  // namespace tandem
