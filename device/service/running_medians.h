// How long each segment takes on each unit of late, against what the profile says.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "policies/problem/problem.h"

namespace tandem {

class RunningMedians {
 public:
  static constexpr std::size_t kWindow = 63;  // the median is of the last so many
  static constexpr std::size_t kLeast = 15;   // before there is one

  struct Place {
    SegmentId segment;
    UnitId unit;
    Nanos profiled{0}, measured{0};  // dispatch included
  };

  // `drift`: a median so far from the profile, as a fraction of it, is told. `problem` outlives this.
  RunningMedians(const Problem& problem, double drift);

  // A task's work took that long. A place that has left the profile by now, once until it is back.
  std::optional<Place> Add(SegmentId segment, UnitId unit, Nanos took);
  // Those that have a median.
  std::vector<Place> All() const;

 private:
  struct Last {
    std::vector<Nanos> took;  // at most kWindow
    std::size_t next = 0;
    bool told = false;
  };
  Nanos Profiled(SegmentId segment, UnitId unit) const {
    return problem_->Dispatch(unit) + problem_->Time(segment, unit);
  }

  const Problem* problem_;
  double drift_;
  std::vector<Last> last_;  // per segment and unit
};

}  // namespace tandem
