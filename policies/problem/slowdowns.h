// What a scenario's profiles know of work that slows down: under a load from outside, and beside other units'
// work. Names are resolved once per Problem; docs/semantics.md says which of several entries counts.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "policies/problem/cuts.h"

namespace tandem {

class Slowdowns {
 public:
  explicit Slowdowns(const Cuts& cuts);  // keeps nothing of them

  bool on() const { return on_; }  // else nothing ever slows down

  // By the load of the unit.
  double Background(SegmentId segment, UnitId unit) const {
    return background_[segment.index() * units_ + unit.index()];
  }
  // By a profile; else, under a load, it is an estimate.
  bool BackgroundIsMeasured(SegmentId segment, UnitId unit) const {
    return measured_[segment.index() * units_ + unit.index()] != 0;
  }

  // What work meets while something else runs beside it.
  struct Beside {
    double slowdown = 1;
    std::int32_t curve = -1;  // else it is this one that counts, at the traffic of all that run beside
    double traffic = 0;       // of this one
  };
  // `a` on `unit` while `b` runs on `beside`, which is another unit.
  Beside Of(SegmentId a, UnitId unit, SegmentId b, UnitId beside) const;
  // Linear between the measured points, 1 without traffic, constant beyond the last point.
  double At(std::int32_t curve, double traffic) const;

 private:
  struct Match {                 // whose work an entry speaks of
    ModelId model;               // invalid: any
    std::vector<char> segments;  // empty: any; else per segment
    int weight() const { return (model.valid() ? 1 : 0) + (segments.empty() ? 0 : 1); }
    bool Covers(SegmentId segment, ModelId of) const {
      return (!model.valid() || model == of) && (segments.empty() || segments[segment.index()]);
    }
    friend bool operator==(const Match&, const Match&) = default;
  };
  struct Entry {
    Match work, beside;
    double slowdown = 1;
  };
  struct Curve {
    Match work;
    std::vector<std::pair<double, double>> points;  // traffic and slowdown, ascending
  };
  class Reader;

  std::size_t Pair(UnitId unit, UnitId beside) const { return unit.index() * units_ + beside.index(); }
  double SlowdownBeside(const std::vector<Entry>& entries, SegmentId a, SegmentId b, bool named) const;

  std::size_t units_;
  bool on_ = false;
  std::vector<ModelId> model_of_;                     // per segment
  std::vector<double> background_;                    // per segment and unit
  std::vector<char> measured_;                        // the same: is that slowdown a profile's?
  std::vector<std::vector<Entry>> entries_;           // per pair of units
  std::vector<Curve> curves_;                         // of all pairs
  std::vector<std::vector<std::int32_t>> curves_of_;  // per pair of units
  std::vector<double> traffic_;                       // per segment and unit; negative: unknown
};

}  // namespace tandem
