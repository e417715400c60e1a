#include <map>
#include <optional>
#include <set>
#include <string_view>
#include <utility>

#include "profiles/base/figures.h"
#include "profiles/base/joined.h"
#include "sim/sweep/collected.h"
#include "sim/sweep/effects.h"

namespace tandem {
namespace {

constexpr std::string_view kAnd = " and ";

// The mean cost by policy, of those that may win at each of the rows.
using MeanCosts = std::map<std::string, double>;

// Rows of the points at which every policy ran, without those that never win.
std::vector<std::size_t> Compared(const std::vector<SweepRow>& rows, std::string_view figure) {
  std::set<std::string> policies;
  std::map<std::map<std::string, std::string>, std::vector<std::size_t>> points;
  for (std::size_t r = 0; r < rows.size(); ++r) {
    if (rows[r].beside || !CostByFigure(rows[r], figure)) continue;
    policies.insert(rows[r].policy);
    points[rows[r].point].push_back(r);
  }
  std::vector<std::size_t> compared;
  for (const auto& [point, there] : points) {
    if (there.size() == policies.size()) compared.insert(compared.end(), there.begin(), there.end());
  }
  return policies.size() < 2 ? std::vector<std::size_t>() : compared;
}

MeanCosts MeansAt(const Sweep& sweep, const std::vector<SweepRow>& rows, const FactorLevel& level,
                  std::string_view figure) {
  std::map<std::string, std::pair<double, double>> sums;  // and how many
  std::set<std::string> out;
  for (const std::size_t row : level.rows) {
    auto& [sum, count] = sums[rows[row].policy];
    sum += *CostByFigure(rows[row], figure);
    ++count;
    if (!MayBeBest(sweep, rows[row])) out.insert(rows[row].policy);
  }
  MeanCosts means;
  for (const auto& [policy, sum] : sums) {
    if (!out.contains(policy)) means[policy] = sum.first / sum.second;
  }
  return means;
}

// Several that are equal share it.
std::string BestOf(const MeanCosts& means) {
  std::vector<std::string> best;
  double least = 0;
  for (const auto& [policy, cost] : means) {
    if (!best.empty() && cost > least) continue;
    if (!best.empty() && cost < least) best.clear();
    least = cost;
    best.push_back(policy);
  }
  return Joined(best, kAnd);
}

// Where the lines of the two policies meet between two levels; half way where one of them has none.
double Crossing(const FactorLevel& left, const FactorLevel& right, const MeanCosts& before,
                const MeanCosts& after, const std::string& policy, const std::string& next) {
  const double from = *left.at, to = *right.at;
  const bool lines =
      before.contains(policy) && before.contains(next) && after.contains(policy) && after.contains(next);
  if (!lines) return (from + to) / 2;
  const double lead = before.at(next) - before.at(policy), behind = after.at(policy) - after.at(next);
  return lead + behind > 0 ? from + (to - from) * lead / (lead + behind) : (from + to) / 2;
}

Winners WinnersOf(const Sweep& sweep, const std::vector<SweepRow>& rows, const Factor& factor,
                  std::string_view figure) {
  Winners winners{factor.name, {}};
  MeanCosts before;
  const FactorLevel* last = nullptr;
  for (const FactorLevel& level : factor.levels) {
    const MeanCosts means = MeansAt(sweep, rows, level, figure);
    const std::string best = BestOf(means);
    if (last == nullptr || winners.reigns.back().policy != best) {
      if (last != nullptr && level.at) {
        winners.reigns.back().until =
            Crossing(*last, level, before, means, winners.reigns.back().policy, best);
      }
      winners.reigns.push_back({best, level.label, level.label, std::nullopt});
    }
    winners.reigns.back().last = level.label;
    before = means;
    last = &level;
  }
  return winners;
}

std::string WhoWins(const Reign& reign) {
  if (reign.policy.empty()) return "none keeps what is required";
  return reign.policy + (reign.policy.find(kAnd) == std::string::npos ? " wins" : " tie");
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

std::string WinnersText(const Winners& winners) {
  std::string text = winners.axis + ": ";
  const std::vector<Reign>& reigns = winners.reigns;
  if (reigns.size() == 1) return text + WhoWins(reigns[0]) + " everywhere";
  for (std::size_t r = 0; r < reigns.size(); ++r) {
    text += (r == 0 ? "" : ", ") + WhoWins(reigns[r]);
    if (reigns[r].until) {
      text += " below " + Short(*reigns[r].until);
    } else if (r > 0 && reigns[r - 1].until) {
      text += " above";
    } else {
      text += " at " + reigns[r].first + (reigns[r].first == reigns[r].last ? "" : " to " + reigns[r].last);
    }
  }
  return text;
}

}  // namespace tandem
