// Times of tasks drawn from the samples of the profiles' entries, for replications. Policies go on deciding
// by the medians.
#pragma once

#include <cstdint>
#include <vector>

#include "policies/problem/problem.h"
#include "policies/problem/task.h"

namespace tandem {

class SampledTimes {
 public:
  // `problem` outlives it; its residents may still change. Another `draw` is other luck under one seed.
  explicit SampledTimes(const Problem& problem, std::uint64_t draw = 0);

  bool any() const { return any_; }  // do entries that count here have samples?

  // Dispatch, and one draw per entry that the segment's time is made of; entries with a median alone stay at
  // it. The same task on the same unit gets the same draw under every policy. Only where the unit runs it.
  Nanos Work(const Task& task, UnitId unit, bool mapped) const;

 private:
  using Times = std::vector<SegmentSamples>;  // per segment and unit
  Times Read(bool mapped) const;

  const Problem* problem_;
  Times plain_, mapped_;  // mapped_ is empty without zero-copy
  bool any_ = false;
  std::vector<std::uint64_t> stream_hash_, unit_hash_;  // of their names, the former with the seed
};

}  // namespace tandem
