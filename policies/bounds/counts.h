// The best division of whole requests, for many identical ones that are all there from the start: how many
// of each class every slot runs. In what order does not matter then.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "policies/bounds/whole_division.h"
#include "policies/problem/problem.h"

namespace tandem {

struct CountAnswer {
  PlaceCounts counts;
  Nanos makespan{0};  // the fullest place's
  Nanos bound{0};     // no division is shorter than this
  bool proved() const { return makespan == bound; }
};

// As WholeDivision. At most `most_nodes` divisions of one place are looked
// at; what is not proved by then is the best found.
CountAnswer DivideWhole(std::span<const WorkClass> classes, std::size_t places, std::int64_t most_nodes);

struct CountPlan {
  PlaceCounts of_cut;  // how many requests of each of the problem's cuts; per place of the units
  Nanos makespan{0};
  bool proved = false;  // no division is shorter
};

inline constexpr std::int64_t kCountNodes = 4'000'000;

// With the problem's present residents and nothing loaded on the way; copies are not counted. Nothing where
// requests come later or may be dropped, and where cuts have several segments.
std::optional<CountPlan> BestCounts(const Problem& problem, std::int64_t most_nodes = kCountNodes);

}  // namespace tandem
