// How a model is cut into segments: whole, at the groups that its profiles know, or layer by layer. What
// costs nothing (dropout, flatten, ...) goes with what it reads. A layer that no unit has a time for alone
// stays with the smallest group that has one.
#pragma once

#include <vector>

#include "policies/problem/cuts.h"

namespace tandem {

// Ids and Segment::cut are still counted from 0.
struct CutSegments {
  Cut cut;
  std::vector<Segment> segments;
};

CutSegments CutModel(const Scenario& scenario, ModelId model, std::int64_t batch, Granularity granularity);
// The same as a plan says, edges too; layers that cost nothing may be left out, they go with what they read.
// Throws InputError (without place) where the pieces do not make up the model.
CutSegments CutAsPlanned(const Scenario& scenario, const ModelPieces& cut);

}  // namespace tandem
