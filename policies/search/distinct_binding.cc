#include "policies/search/distinct_binding.h"

#include <algorithm>

namespace tandem {
namespace {

constexpr std::int32_t kNone = -1;

// Models matched to units that cost them at most `most`.
class Matching {
 public:
  Matching(const std::vector<std::vector<double>>& cost, double most)
      : cost_(&cost), most_(most), unit_of_(cost.size(), kNone), model_of_(cost.front().size(), kNone) {}

  bool MatchAll() {
    for (std::size_t m = 0; m < unit_of_.size(); ++m) {
      if (!Match(m)) return false;
    }
    return true;
  }

  // Moves the first models, one after the other, to the first units that still let all others have one.
  void MakeSmallest() {
    for (std::size_t m = 0; m < unit_of_.size(); ++m) {
      for (std::size_t u = 0; !Settle(m, u); ++u) {
      }
    }
  }

  std::vector<UnitId> Units() const {
    std::vector<UnitId> units;
    for (const std::int32_t unit : unit_of_) units.emplace_back(static_cast<std::size_t>(unit));
    return units;
  }

 private:
  bool Allows(std::size_t model, std::size_t unit) const {
    const double cost = (*cost_)[model][unit];
    return cost != BindingChoice::kCannot && cost <= most_;
  }

  bool Match(std::size_t model) {
    seen_.assign(model_of_.size(), false);
    return Augment(model);
  }

  bool Augment(std::size_t model) {
    for (std::size_t u = 0; u < model_of_.size(); ++u) {
      if (seen_[u] || !Allows(model, u)) continue;
      seen_[u] = true;
      const std::int32_t holder = model_of_[u];
      if (holder < static_cast<std::int32_t>(settled_) && holder != kNone) continue;
      if (holder != kNone && !Augment(static_cast<std::size_t>(holder))) continue;
      Give(model, u);
      return true;
    }
    return false;
  }

  void Give(std::size_t model, std::size_t unit) {
    unit_of_[model] = static_cast<std::int32_t>(unit);
    model_of_[unit] = static_cast<std::int32_t>(model);
  }

  // Models below `settled_` keep their units from now on.
  bool Settle(std::size_t model, std::size_t unit) {
    const std::int32_t holder = model_of_[unit];
    if (!Allows(model, unit) || (holder != kNone && holder < static_cast<std::int32_t>(model))) return false;
    settled_ = model + 1;
    if (holder == static_cast<std::int32_t>(model)) return true;
    const auto units = unit_of_, models = model_of_;
    model_of_[static_cast<std::size_t>(unit_of_[model])] = kNone;
    Give(model, unit);
    if (holder == kNone || Match(static_cast<std::size_t>(holder))) return true;
    unit_of_ = units;
    model_of_ = models;
    settled_ = model;
    return false;
  }

  const std::vector<std::vector<double>>* cost_;
  double most_;
  std::size_t settled_ = 0;
  std::vector<std::int32_t> unit_of_, model_of_;
  std::vector<bool> seen_;
};

}  // namespace

std::optional<std::vector<UnitId>> DistinctBinding(const std::vector<std::vector<double>>& cost) {
  if (cost.empty()) return std::vector<UnitId>{};
  if (cost.size() > cost.front().size()) return std::nullopt;
  std::vector<double> levels;
  for (const auto& row : cost) levels.insert(levels.end(), row.begin(), row.end());
  std::sort(levels.begin(), levels.end());
  levels.erase(std::unique(levels.begin(), levels.end()), levels.end());
  const auto too_low = [&](double level, int) { return !Matching(cost, level).MatchAll(); };
  const auto least = std::lower_bound(levels.begin(), levels.end(), 0, too_low);
  if (least == levels.end()) return std::nullopt;
  Matching matching(cost, *least);
  matching.MatchAll();
  matching.MakeSmallest();
  return matching.Units();
}

}  // namespace tandem
