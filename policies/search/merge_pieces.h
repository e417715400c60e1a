// What a search changes of how models are cut, once it knows who runs what: neighbours that always run on one
// unit become one task, and tensors are read through a mapping where that was measured.
#pragma once

#include <memory>
#include <vector>

#include "policies/kinds/recording_policy.h"
#include "policies/problem/problem.h"

namespace tandem {

// Cuts in which segments that follow each other in topological order, and that run on the same unit in every
// request of `taken`, are one segment; null where nothing can be put together.
std::shared_ptr<const CutPlan> MergedCuts(const Problem& problem, const std::vector<Decision>& taken);

// The same tasks on a problem with merged cuts: each stands where the first of those that it is made of
// stood.
std::vector<Decision> MergedTasks(const Problem& problem, const Problem& merged,
                                  const std::vector<Decision>& taken);

// Edges that are copied now, and for whose readers, on all units where `taken` runs them, a profile has times
// through a mapping.
std::vector<EdgeMode> MappableEdges(const Problem& problem, const std::vector<Decision>& taken);

}  // namespace tandem
