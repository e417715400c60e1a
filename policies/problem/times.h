// What each segment takes on each unit, as the profiles have it: no name is looked up any more.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "policies/problem/cuts.h"
#include "profiles/base/time.h"

namespace tandem {

class Times {
 public:
  static constexpr Nanos kCannot{-1};

  // Keeps nothing of them. Throws InputError where they are too many for a table of segments and units.
  explicit Times(const Cuts& cuts);

  // Whatever is resident; kCannot where it cannot run.
  Nanos Profiled(SegmentId segment, UnitId unit) const { return profiled_[At(segment, unit)]; }
  // The same where an input is read through a zero-copy mapping; the plain time where no profile tells them
  // apart.
  Nanos MappedTime(SegmentId segment, UnitId unit) const { return mapped_[At(segment, unit)]; }
  // Is the time that of a part for which no size was measured?
  bool Estimated(SegmentId segment, UnitId unit) const { return estimated_[At(segment, unit)] != 0; }
  // Above idle, where the profile has it for every part of the segment.
  std::optional<double> Joules(SegmentId segment, UnitId unit) const {
    const double joules = joules_[At(segment, unit)];
    return joules < 0 ? std::nullopt : std::optional(joules);
  }
  Nanos Dispatch(UnitId unit) const { return dispatch_[unit.index()]; }
  std::int64_t ElementBytes(UnitId unit) const { return element_bytes_[unit.index()]; }   // of what it makes
  std::int64_t HeldElementBytes(UnitId unit) const { return held_bytes_[unit.index()]; }  // of weights

 protected:
  std::size_t At(SegmentId segment, UnitId unit) const { return segment.index() * units_ + unit.index(); }

 private:
  static void CheckSize(const Cuts& cuts);
  void Read(const Cuts& cuts, const Segment& segment, UnitId unit);

  std::size_t units_;
  std::vector<Nanos> profiled_, mapped_;  // per segment and unit
  std::vector<double> joules_;            // the same; negative: unknown
  std::vector<char> estimated_;           // the same
  std::vector<Nanos> dispatch_;           // per unit
  std::vector<std::int64_t> element_bytes_, held_bytes_;
};

}  // namespace tandem
