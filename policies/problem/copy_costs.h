// What bringing data from one unit's memory to another's takes, and whether it has to be brought.
#pragma once

#include "policies/problem/problem.h"

namespace tandem {

class CopyCosts {
 public:
  // `problem` outlives it.
  explicit CopyCosts(const Problem& problem)
      : problem_(&problem),
        copies_(problem.scenario().transfer == TransferMode::kCopy),
        maps_(problem.scenario().transfer == TransferMode::kZeroCopy) {}

  const Problem& problem() const { return *problem_; }
  // Are inputs brought into a unit's memory at all, or read through mappings?
  bool copies() const { return copies_; }
  bool maps() const { return maps_; }
  MemoryId MemoryOf(UnitId unit) const { return problem_->MemoryOf(unit); }
  // One copy of so many bytes; negative where no link leads there.
  Nanos Copy(MemoryId from, MemoryId to, std::int64_t bytes) const {
    return problem_->routes().Time(from, to, bytes);
  }
  bool ByEngines(MemoryId from, MemoryId to) const { return problem_->routes().ByEngines(from, to); }
  // Can inputs be brought to the unit?
  bool Reachable(UnitId unit) const {
    return !copies_ || problem_->routes().Way(MemoryId(0), MemoryOf(unit)).has_value();
  }

 private:
  const Problem* problem_;
  bool copies_, maps_;
};

}  // namespace tandem
