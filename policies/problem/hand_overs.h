// What a task takes longer where another unit of its unit's memory has made what it reads: nothing is copied,
// but caches, waking and waiting cost time too.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <utility>
#include <vector>

#include "scenarios/scenario/scenario.h"

namespace tandem {

class HandOvers {
 public:
  explicit HandOvers(const Scenario& scenario);
  // With other times than the medians. `time_of`: of the entry at its place in the scenario's profile at its.
  using TimeOf = std::function<Nanos(std::size_t profile, std::size_t entry)>;
  HandOvers(const Scenario& scenario, const TimeOf& time_of);

  bool any() const { return !measured_.empty(); }
  // Of so many bytes that `from` has made. Nothing where the units have no memory in common, are the same, or
  // no profile knows them.
  Nanos Time(UnitId from, UnitId to, std::int64_t bytes) const;

 private:
  struct Sample {
    std::int64_t bytes = 0;
    Nanos time{0};
  };

  using Pair = std::pair<UnitId, UnitId>;
  std::map<Pair, std::vector<Sample>>
      measured_;  // per pair of units that a profile knows, ascending in bytes
};

}  // namespace tandem
