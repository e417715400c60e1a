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

namespace tandem {
namespace {

constexpr std::string_view kAnd = " and ";

// Over several rows. Of intervals the means of their ends: what a profile does not know is the same in all of
// them.
struct MeanCost {
  double value = 0;
  std::optional<Interval> interval;
};
// By policy, of those that may win at each of the rows.
using MeanCosts = std::map<std::string, MeanCost>;

class CostSum {
 public:
  void Add(double cost, const std::optional<Interval>& interval) {
    sum_ += cost;
    if (interval) {
      ends_.low += interval->low;
      ends_.high += interval->high;
    }
    known_ = known_ && interval;
    ++count_;
  }
  MeanCost Mean() const {
    MeanCost mean{sum_ / count_, std::nullopt};
    if (known_) mean.interval = Interval{ends_.low / count_, ends_.high / count_};
    return mean;
  }

 private:
  double sum_ = 0, count_ = 0;
  Interval ends_;
  bool known_ = true;
};

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
  std::map<std::string, CostSum> sums;
  std::set<std::string> out;
  for (const std::size_t row : level.rows) {
    sums[rows[row].policy].Add(*CostByFigure(rows[row], figure), CostInterval(rows[row], figure));
    if (!MayBeBest(sweep, rows[row])) out.insert(rows[row].policy);
  }
  MeanCosts means;
  for (const auto& [policy, sum] : sums) {
    if (!out.contains(policy)) means[policy] = sum.Mean();
  }
  return means;
}

// Several that are equal share it.
std::string BestOf(const MeanCosts& means) {
  std::vector<std::string> best;
  double least = 0;
  for (const auto& [policy, cost] : means) {
    if (!best.empty() && cost.value > least) continue;
    if (!best.empty() && cost.value < least) best.clear();
    least = cost.value;
    best.push_back(policy);
  }
  return Joined(best, kAnd);
}

// Does its interval end before those of all others begin?
bool IsTold(const MeanCosts& means, const std::string& best) {
  if (means.size() == 1) return true;  // there is no other
  const auto own = means.find(best);
  if (own == means.end() || !own->second.interval) return false;
  return std::all_of(means.begin(), means.end(), [&](const auto& mean) {
    const auto& other = mean.second.interval;
    return mean.first == best || (other && other->low > own->second.interval->high);
  });
}

// Where the lines of the two policies meet between two levels; half way where one of them has none.
double Crossing(const FactorLevel& left, const FactorLevel& right, const MeanCosts& before,
                const MeanCosts& after, const std::string& policy, const std::string& next) {
  const double from = *left.at, to = *right.at;
  const bool lines =
      before.contains(policy) && before.contains(next) && after.contains(policy) && after.contains(next);
  if (!lines) return (from + to) / 2;
  const double lead = before.at(next).value - before.at(policy).value,
               behind = after.at(policy).value - after.at(next).value;
  return lead + behind > 0 ? from + (to - from) * lead / (lead + behind) : (from + to) / 2;
}

Winners WinnersOf(const Sweep& sweep, const std::vector<SweepRow>& rows, const Factor& factor,
                  std::string_view figure) {
  Winners winners{factor.name, sweep.interval.has_value(), {}};
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
    Reign& reign = winners.reigns.back();
    reign.last = level.label;
    ++reign.values;
    reign.told += IsTold(means, best) ? 1 : 0;
    before = means;
    last = &level;
  }
  return winners;
}

// Where a policy wins by less than its figure is known.
std::string HowSure(const Winners& winners, const Reign& reign) {
  const bool said =
      winners.intervals && !reign.policy.empty() && reign.policy.find(kAnd) == std::string::npos;
  if (!said || reign.told == reign.values) return {};
  if (reign.told == 0) return " (cannot be told)";
  return " (cannot be told at " + std::to_string(reign.values - reign.told) + " of " +
         Counted(reign.values, "value") + ")";
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
  if (reigns.size() == 1) return text + WhoWins(reigns[0]) + " everywhere" + HowSure(winners, reigns[0]);
  for (std::size_t r = 0; r < reigns.size(); ++r) {
    text += (r == 0 ? "" : ", ") + WhoWins(reigns[r]);
    if (reigns[r].until) {
      text += " below " + Short(*reigns[r].until);
    } else if (r > 0 && reigns[r - 1].until) {
      text += " above";
    } else {
      text += " at " + reigns[r].first + (reigns[r].first == reigns[r].last ? "" : " to " + reigns[r].last);
    }
    text += HowSure(winners, reigns[r]);
  }
  return text;
}

}  // namespace tandem
