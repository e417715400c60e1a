// How fast each running task progresses while units slow each other down or something else loads them.
#pragma once

#include <cstdint>
#include <unordered_map>
#include <vector>

#include "policies/engine/occupation.h"
#include "policies/problem/problem.h"
#include "policies/problem/slowdowns.h"

namespace tandem {

// The rate of a task is 1000 / (slowdown by background load x slowdowns by what runs on other units), rounded
// down, at least 1. Known slowdowns multiply; where curves over traffic count, the traffic of all those that
// run beside adds up and the steepest of their curves is read off there.
class TaskRates {
 public:
  explicit TaskRates(const Problem& problem);

  bool on() const { return slowdowns_->on(); }  // else every rate is full, always
  Rate Of(const Occupation& slot, const std::vector<Occupation>& all);

 private:
  const Slowdowns::Beside& Beside(const Occupation& slot, const Occupation& other);

  const Slowdowns* slowdowns_;
  std::size_t units_, jobs_;                                     // jobs: segments on units
  std::unordered_map<std::uint64_t, Slowdowns::Beside> beside_;  // per pair of jobs that has met
  std::vector<std::int32_t> curves_;                             // of one call, kept for its room
};

}  // namespace tandem
