// Units that their own work makes warm, and that are held back where they get too warm.
#pragma once

#include "profiles/base/ids.h"
#include "profiles/base/time.h"

namespace tandem {

// Warmth is a share of how warm work at full speed would make the unit in the end. Work takes it towards the
// speed at which the unit works, whatever sets that, idling towards 0: after each `time_constant` 1/e of the
// difference is left. From `hot` on the unit is held back to `speed` of what it has otherwise, until it has
// cooled down to `cool`.
struct UnitHeat {
  UnitId unit;
  Nanos time_constant{0};
  double hot = 1, cool = 0, speed = 1;
  double warmth = 0;  // at the start
};

// Of hot: how near `cool` may be, where a unit would do little else than change its speed, and what it
// usually is.
inline constexpr double kMostCool = 0.99, kUsualCool = 0.95;

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
