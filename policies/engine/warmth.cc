#include "policies/engine/warmth.h"

#include <cmath>

namespace tandem {

Warmth::Warmth(const UnitHeat& heat)
    : heat_(heat), warmth_(heat.warmth), held_back_(heat.warmth >= heat.hot) {
  FindNextChange();
}

double Warmth::At(Nanos now) const {
  const double constants =
      static_cast<double>((now - since_).count()) / static_cast<double>(heat_.time_constant.count());
  return Towards() + (warmth_ - Towards()) * std::exp(-constants);
}

void Warmth::FindNextChange() {
  next_change_ = kNever;
  const double goal = held_back_ ? heat_.cool : heat_.hot;
  const bool comes_there = held_back_ ? Towards() < goal : Towards() > goal;
  if (!comes_there) return;
  const double constants = std::log((warmth_ - Towards()) / (goal - Towards()));
  const double takes = std::ceil(constants * static_cast<double>(heat_.time_constant.count()));
  if (takes > static_cast<double>(kLongestTime.count())) return;
  next_change_ = since_ + Nanos{takes < 1 ? 1 : std::llround(takes)};
}

void Warmth::Turn() {
  warmth_ = held_back_ ? heat_.cool : heat_.hot;
  since_ = next_change_;
  held_for_ = HeldBack(since_);
  held_since_ = since_;
  held_back_ = !held_back_;
  FindNextChange();
}

void Warmth::Goes(Nanos now, double at_speed) {
  while (next_change_ <= now) Turn();
  if (at_speed == at_speed_) return;
  warmth_ = At(now);
  since_ = now;
  at_speed_ = at_speed;
  FindNextChange();
}

}  // namespace tandem
