// The cheapest way to put a set together from given groups, each member exactly once.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

#include "profiles/base/time.h"

namespace tandem {

struct SegmentCost {
  Nanos time{0};
  std::optional<double> energy_j = 0.0;  // nothing unless every entry of the cut states it
  int entries = 0;                       // of how many profile entries the cut consists
};

struct CoverGroup {
  std::vector<std::int32_t> members;  // ascending, none twice
  SegmentCost cost;
};

// Covers 0..size-1 with the least time; of equals the fewest entries, then the least energy. Nothing where no
// choice of groups does it. Exact; the problem is hard in general, so groups that overlap beyond all that a
// profile of layers shows throw InputError (without a place) instead of searching for hours. `chosen`, where
// wanted, gets the positions of the groups taken.
std::optional<SegmentCost> CheapestCover(std::size_t size, const std::vector<CoverGroup>& groups,
                                         std::vector<std::size_t>* chosen = nullptr);

}  // namespace tandem
