// How long it takes to bring bytes from one memory to another.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <vector>

#include "scenarios/scenario/scenario.h"

namespace tandem {

// One link on the way.
struct Hop {
  LinkId link;
  MemoryId from, to;
};

class CopyRoutes {
 public:
  explicit CopyRoutes(const Scenario& scenario);
  // With other times than the medians. `time_of`: of the transfer at its place in the scenario's profile at
  // its.
  using TimeOf = std::function<Nanos(std::size_t profile, std::size_t entry)>;
  CopyRoutes(const Scenario& scenario, const TimeOf& time_of);

  // The way with the least time for that many bytes; of equals the fewest links, then those declared first.
  // Empty: the memories are the same. Nothing: no link leads there.
  const std::optional<std::vector<Hop>>& Way(MemoryId from, MemoryId to) const;
  // One hop: as measured for the size where a profile has transfers between the two, else the link's latency
  // and bytes / what a copy over it has alone, rounded up.
  Nanos Time(const Hop& hop, std::int64_t bytes) const;
  // The whole way; Problem::kCannot-like -1 where there is none.
  Nanos Time(MemoryId from, MemoryId to, std::int64_t bytes) const;
  bool IsEngine(LinkId link) const;
  // Is the whole way made of copy engines, so that no unit's slot is needed for it?
  bool ByEngines(MemoryId from, MemoryId to) const;

 private:
  struct Sample {
    std::int64_t bytes = 0;
    Nanos time{0};
  };
  std::size_t At(MemoryId from, MemoryId to) const { return from.index() * memories_ + to.index(); }
  void FindWays();

  const Platform* platform_;
  std::size_t memories_;
  std::vector<std::vector<Sample>> measured_;          // per pair, ascending in bytes
  std::vector<std::optional<std::vector<Hop>>> ways_;  // per pair
};

}  // namespace tandem
