// How long a task may have its unit's slot beside its work: for what is copied there before and afterwards.
#pragma once

#include <functional>
#include <string>

#include "policies/engine/copy_shares.h"
#include "policies/problem/problem.h"

namespace tandem {

struct SlotHold {
  Nanos copies{0};      // that the slot makes itself, at most
  bool mapped = false;  // it may read through a mapping instead
  std::string why;      // nobody can say how long it has the slot; empty: as above
};

class SlotHolds {
 public:
  // May the unit take the segment, by its policy?
  using Takes = std::function<bool(SegmentId, UnitId)>;

  explicit SlotHolds(const Problem& problem) : problem_(&problem), shares_(problem) {}  // which outlives it

  // Of a request whose parts run where `takes` says, and whose model's inputs lie in the first memory.
  SlotHold Of(SegmentId segment, UnitId unit, const Takes& takes) const;

 private:
  void AddRead(SegmentId segment, std::size_t read, UnitId unit, const Takes& takes, SlotHold& hold) const;
  void AddWayBack(SegmentId segment, UnitId unit, SlotHold& hold) const;
  bool EnginesLeadTo(MemoryId memory) const;
  bool OthersBringIt(SegmentId segment, const CutTensor& tensor, UnitId unit, const Takes& takes) const;
  std::string NameOf(UnitId unit) const;

  Nanos Copy(MemoryId from, MemoryId to, std::int64_t bytes) const;
  Nanos Bring(MemoryId from, MemoryId to, std::int64_t bytes) const;

  const Problem* problem_;
  CopyShares shares_;
};

}  // namespace tandem
