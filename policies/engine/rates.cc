#include "policies/engine/rates.h"

#include <algorithm>

namespace tandem {

TaskRates::TaskRates(const Problem& problem)
    : slowdowns_(&problem.slowdowns()),
      units_(problem.units()),
      jobs_(problem.units() * problem.segments().size()) {}

const Slowdowns::Beside& TaskRates::Beside(const Occupation& slot, const Occupation& other) {
  const SegmentId a = slot.task.segment, b = other.task.segment;
  const std::size_t job = a.index() * units_ + slot.unit.index(),
                    beside = b.index() * units_ + other.unit.index();
  const auto [found, is_new] = beside_.try_emplace(job * jobs_ + beside);
  if (is_new) found->second = slowdowns_->Of(a, slot.unit, b, other.unit);
  return found->second;
}

Rate TaskRates::Of(const Occupation& slot, const std::vector<Occupation>& all) {
  double slowdown = slowdowns_->Background(slot.task.segment, slot.unit);
  double traffic = 0;
  curves_.clear();
  for (const Occupation& other : all) {
    if (!other.working || other.unit == slot.unit || other.unit.index() >= units_) continue;
    const Slowdowns::Beside& met = Beside(slot, other);
    slowdown *= met.slowdown;
    traffic += met.traffic;
    if (met.curve >= 0) curves_.push_back(met.curve);
  }
  double by_traffic = 1;
  for (const std::int32_t curve : curves_) by_traffic = std::max(by_traffic, slowdowns_->At(curve, traffic));
  // A load of 40 % leaves 600 thousandths, whatever 100 / 60 rounds to.
  const double rate = static_cast<double>(kFullRate) / (slowdown * by_traffic) + 1e-9;
  return rate < 1 ? 1 : static_cast<Rate>(std::min(rate, static_cast<double>(kFullRate)));
}

}  // namespace tandem
