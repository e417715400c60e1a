// Whose turn it is among the slots of a unit that share its time slice by slice, as a driver or an operating
// system has them.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "profiles/base/time.h"
#include "profiles/costs/platform.h"

namespace tandem {

// Of one unit, as time goes on. In the order of their numbers each slot that works has the unit for a slice,
// then the next one; who is done before that gives it up at once. A slot that works alone has it until
// another one comes, whose wait is a slice from then on. Before another slot works than the last one it takes
// what a switch costs.
class Turns {
 public:
  static constexpr Nanos kNever{INT64_MAX};

  explicit Turns(const Unit& unit) : slice_(unit.slice.value_or(kNever)), switching_(unit.switching) {}

  // From `now` on, which ascends, these slots work, in ascending order. Whether it is called in between,
  // where nothing changes, makes no difference.
  void Goes(Nanos now, const std::vector<std::int32_t>& working);
  // The slot that has the unit; nothing: none works, or it is being switched to one.
  std::optional<std::int32_t> holder() const {
    return works_ && !is_switching_ ? std::optional(slot_) : std::nullopt;
  }
  // When that changes, if all go on working.
  Nanos next_change() const { return is_switching_ ? begins_ : ends_; }

 private:
  void GiveTo(std::int32_t slot, Nanos now);

  Nanos slice_, switching_;
  std::int32_t slot_ = -1;  // who has it, or had it last
  bool works_ = false, is_switching_ = false;
  Nanos begins_{0}, ends_ = kNever;  // of the turn
};

}  // namespace tandem
