// The least time that copies take which no decision avoids: what lower bounds add to the work. A model's
// inputs start and its outputs end in the first memory; between two tasks a tensor goes from the memory of
// the one that makes it to that of the one that reads it, perhaps over a third one where that is faster.
#pragma once

#include <cstdint>
#include <vector>

#include "policies/bounds/least_times.h"
#include "policies/problem/problem.h"

namespace tandem {

class LeastCopies {
 public:
  // `problem` outlives it.
  LeastCopies(const Problem& problem, OpenEdges edges);

  // Until the tensor, made by a unit (invalid: an input of the model) and read by a copy, is in the memory of
  // another.
  Nanos Between(const CutTensor& tensor, UnitId made_by, UnitId reader) const;
  // What the slot itself copies for the segment before its work: inputs of the model that nothing else reads.
  Nanos In(SegmentId segment, UnitId unit) const;
  // From the end of the segment's work until its outputs are in the first memory.
  Nanos Back(SegmentId segment, UnitId unit) const;
  // The same where the slot itself copies; 0 where engines do.
  Nanos BackBySlot(SegmentId segment, UnitId unit) const {
    return ByEngines(unit) ? Nanos{0} : Back(segment, unit);
  }

 private:
  MemoryId MemoryOf(UnitId unit) const { return problem_->MemoryOf(unit); }
  bool ByEngines(UnitId unit) const { return problem_->routes().ByEngines(MemoryOf(unit), MemoryId(0)); }
  const std::vector<Nanos>& LeastWays(std::int64_t bytes) const;

  const Problem* problem_;
  bool any_;  // else nothing moves
  std::size_t memories_;
  mutable std::int64_t bytes_ = -1;  // that `ways_` is for
  mutable std::vector<Nanos> ways_;  // per pair of memories; negative: no way
};

}  // namespace tandem
