#include "policies/search/binding.h"

#include <algorithm>
#include <limits>
#include <numeric>

#include "policies/search/distinct_binding.h"

namespace tandem {
namespace {

constexpr std::int64_t kMostLooks = 2'000'000;
constexpr int kWeightSteps = 200;
constexpr double kSafely = 1 + 1e-9;  // bounds are sums of rounded products

// Depth first over which unit takes the next model. Any weights of the units, 1 in sum, bound the largest
// total from below: it is at least the weighted mean of the totals, and every model adds at least its least
// weighted cost.
class SharingSearch {
 public:
  explicit SharingSearch(const BindingChoice& choice)
      : choice_(choice),
        units_(choice.limits.size()),
        weight_(units_, 1.0 / static_cast<double>(units_)),
        total_(units_),
        count_(units_),
        unloadable_(units_),
        at_(choice.cost.size()) {
    order_.resize(choice.cost.size());
    std::iota(order_.begin(), order_.end(), std::size_t{0});
  }

  std::optional<std::vector<UnitId>> Run() {
    ImproveWeights();
    std::stable_sort(order_.begin(), order_.end(),
                     [&](std::size_t a, std::size_t b) { return WeightedLeast(a) > WeightedLeast(b); });
    cheapest_first_ = true;
    Search();
    if (!best_) return std::nullopt;
    std::iota(order_.begin(), order_.end(), std::size_t{0});
    cheapest_first_ = false;
    stop_at_first_ = true;
    Search();
    return best_;
  }

 private:
  double WeightedLeast(std::size_t model) const {
    double least = std::numeric_limits<double>::max();
    for (std::size_t u = 0; u < units_; ++u) {
      const double cost = choice_.cost[model][u];
      if (cost != BindingChoice::kCannot) least = std::min(least, weight_[u] * cost);
    }
    return least;
  }

  // Raises the weights of units that cheap models crowd.
  void ImproveWeights() {
    std::vector<double> best = weight_;
    double highest = 0;
    for (int step = 0; step < kWeightSteps; ++step) {
      std::vector<double> load(units_);
      double bound = 0;
      for (const auto& row : choice_.cost) {
        std::size_t least = units_;
        for (std::size_t u = 0; u < units_; ++u) {
          if (row[u] == BindingChoice::kCannot) continue;
          if (least == units_ || weight_[u] * row[u] < weight_[least] * row[least]) least = u;
        }
        if (least == units_) continue;
        load[least] += row[least];
        bound += weight_[least] * row[least];
      }
      if (bound > highest) {
        highest = bound;
        best = weight_;
      }
      const double most = *std::max_element(load.begin(), load.end());
      if (most <= 0) break;
      for (std::size_t u = 0; u < units_; ++u) weight_[u] *= 1 + 2.0 / (step + 5) * (load[u] / most);
      const double sum = std::accumulate(weight_.begin(), weight_.end(), 0.0);
      for (double& weight : weight_) weight /= sum;
    }
    weight_ = best;
  }

  void Search() {
    looks_ = 0;
    rest_.assign(order_.size() + 1, 0);
    for (std::size_t d = order_.size(); d-- > 0;) rest_[d] = rest_[d + 1] + WeightedLeast(order_[d]);
    Descend(0);
  }

  // True: go no further.
  bool Descend(std::size_t depth) {
    if (depth == order_.size()) return Found();
    const std::size_t model = order_[depth];
    for (const std::size_t unit : UnitsFor(model)) {
      if (++looks_ > kMostLooks) return true;
      if (!Fits(model, unit) || !Promises(total_[unit] + choice_.cost[model][unit])) continue;
      const double before = total_[unit];
      Place(model, unit, 1);
      const bool stop = PromisesOnTheWhole(depth + 1) && Descend(depth + 1);
      Place(model, unit, -1);
      total_[unit] = before;
      if (stop) return true;
    }
    return false;
  }

  // To improve, a total has to be below the best; to be the first of the best, not above it.
  bool Promises(double total) const { return stop_at_first_ ? total <= least_ : total < least_; }

  bool PromisesOnTheWhole(std::size_t depth) const {
    double bound = rest_[depth];
    for (std::size_t u = 0; u < units_; ++u) bound += weight_[u] * total_[u];
    return bound <= least_ * kSafely;
  }

  bool Found() {
    const double most = *std::max_element(total_.begin(), total_.end());
    least_ = std::min(least_, most);
    best_ = at_;
    return stop_at_first_;
  }

  std::vector<std::size_t> UnitsFor(std::size_t model) const {
    std::vector<std::size_t> units;
    for (std::size_t u = 0; u < units_; ++u) {
      if (choice_.cost[model][u] != BindingChoice::kCannot) units.push_back(u);
    }
    if (!cheapest_first_) return units;
    std::stable_sort(units.begin(), units.end(), [&](std::size_t a, std::size_t b) {
      return total_[a] + choice_.cost[model][a] < total_[b] + choice_.cost[model][b];
    });
    return units;
  }

  bool Fits(std::size_t model, std::size_t unit) const {
    const auto& limit = choice_.limits[unit];
    if (!limit || count_[unit] + 1 <= *limit) return true;
    return unloadable_[unit] + (choice_.loads[model][unit] ? 0 : 1) < *limit;
  }

  void Place(std::size_t model, std::size_t unit, int sign) {
    total_[unit] += sign * choice_.cost[model][unit];
    count_[unit] += sign;
    unloadable_[unit] += choice_.loads[model][unit] ? 0 : sign;
    at_[model] = UnitId(unit);
  }

  const BindingChoice& choice_;
  std::size_t units_;
  std::vector<double> weight_;
  std::vector<double> total_;             // per unit, of the models placed so far
  std::vector<std::int64_t> count_;       // the same
  std::vector<std::int64_t> unloadable_;  // the same, of those that cannot be loaded
  std::vector<UnitId> at_;                // per model
  std::vector<std::size_t> order_;        // of the models
  std::vector<double> rest_;              // per depth: what the models from there on add to the bound
  std::optional<std::vector<UnitId>> best_;
  double least_ = std::numeric_limits<double>::max() / 2;
  std::int64_t looks_ = 0;
  bool cheapest_first_ = false, stop_at_first_ = false;
};

}  // namespace

std::optional<std::vector<UnitId>> BestBinding(const BindingChoice& choice) {
  if (auto distinct = DistinctBinding(choice.cost)) return distinct;
  return SharingSearch(choice).Run();
}

}  // namespace tandem
