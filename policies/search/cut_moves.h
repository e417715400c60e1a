// Steps in how models are cut: what a local search over who runs what cannot reach.
#pragma once

#include <memory>
#include <optional>
#include <vector>

#include "policies/kinds/recording_policy.h"
#include "policies/problem/problem.h"
#include "scenarios/arrivals/random.h"

namespace tandem {

struct CutMove {
  std::shared_ptr<const CutPlan> cuts;
  std::vector<std::vector<std::size_t>> origin;  // per cut and piece: the segment of the cut that it was
  UnitId second;  // of a piece cut in two, who runs the latter one; invalid: whoever ran all of it
};

// One step by chance: layers of one task to the one that reads it or back, channels or rows of one part of a
// split to the next one, or a task cut in two, the latter to another unit. Nothing: nothing came of it. What
// cannot be run is found out by the problem that is made of it.
std::optional<CutMove> MoveCut(const Problem& problem, StreamRandom& random);

// The same tasks on the problem with these cuts: each where the one stood that it comes from.
std::vector<Decision> MovedTasks(const Problem& problem, const Problem& moved, const CutMove& move,
                                 const std::vector<Decision>& taken);

}  // namespace tandem
