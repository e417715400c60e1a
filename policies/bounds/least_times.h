// The least that anything takes, whatever a policy decides: what lower bounds are made of.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "policies/problem/problem.h"

namespace tandem {

// May a policy choose how tensors come, edge by edge, whatever the problem says? Then no copy is certain.
enum class OpenEdges : std::uint8_t { kNo, kYes };

class LeastTimes {
 public:
  // `problem` outlives it.
  explicit LeastTimes(const Problem& problem, OpenEdges edges = OpenEdges::kNo);

  // How long the segment occupies a slot of the unit at least, where the unit may hold its model or load it:
  // dispatch, work, and the copies that this slot makes whatever else is decided. kCannot where no choice of
  // residents lets it run there.
  Nanos Occupation(SegmentId segment, UnitId unit) const {
    return occupation_[segment.index() * problem_->units() + unit.index()];
  }
  // From a request's release to its completion at least: its longest chain, of fastest times and the copies
  // between them.
  Nanos Chain(CutId cut) const { return chain_[cut.index()]; }

 private:
  std::optional<Nanos> TimeWithMapping(SegmentId segment, UnitId unit) const;
  Nanos LeastWork(SegmentId segment, UnitId unit, OpenEdges edges) const;

  const Problem* problem_;
  std::vector<Nanos> occupation_;
  std::vector<Nanos> chain_;
};

}  // namespace tandem
