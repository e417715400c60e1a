// How warm its work makes a unit, and when that holds it back.
#pragma once

#include "scenarios/scenario/heat.h"

namespace tandem {

// Of one unit, as time goes on.
class Warmth {
 public:
  static constexpr Nanos kNever{INT64_MAX};

  explicit Warmth(const UnitHeat& heat);

  // From `now` on, which ascends, the unit works at that speed, less where heat holds it back; 0: it idles.
  void Goes(Nanos now, double at_speed);
  // To what it is held back.
  double speed() const { return held_back_ ? heat_.speed : 1; }
  // When that changes, if it goes on like this.
  Nanos next_change() const { return next_change_; }
  // For how long it has been held back until `now`, which is not before the last one.
  Nanos HeldBack(Nanos now) const { return held_for_ + (held_back_ ? now - held_since_ : Nanos{0}); }

 private:
  double Towards() const { return at_speed_ * speed(); }
  double At(Nanos now) const;
  void Turn();
  void FindNextChange();

  UnitHeat heat_;
  double warmth_;  // at `since_`
  Nanos since_{0}, next_change_ = kNever;
  Nanos held_since_{0}, held_for_{0};  // where it is; before
  double at_speed_ = 0;
  bool held_back_;
};

}  // namespace tandem
