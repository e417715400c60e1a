// The least that anything takes, whatever a policy decides: what lower bounds are made of.
#pragma once

#include <vector>

#include "policies/problem.h"

namespace tandem {

class LeastTimes {
 public:
  // `problem` outlives it.
  explicit LeastTimes(const Problem& problem);

  // How long the segment occupies a slot of the unit at least, where the unit may hold its model or load it;
  // kCannot where no choice of residents lets it run there.
  Nanos Occupation(SegmentId segment, UnitId unit) const {
    return occupation_[segment.index() * problem_->units() + unit.index()];
  }
  // From a request's release to its completion at least: its longest chain.
  Nanos Chain(CutId cut) const { return chain_[cut.index()]; }

 private:
  Nanos LeastOccupation(SegmentId segment, UnitId unit) const;
  Nanos LongestChain(const Cut& cut) const;

  const Problem* problem_;
  std::vector<Nanos> occupation_;
  std::vector<Nanos> chain_;
};

}  // namespace tandem
