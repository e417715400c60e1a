// The parts of a network that may run side by side, as study 004 defines them.
#pragma once

#include <vector>

#include "profiles/model/model.h"

namespace tandem {

// Chains of layers from one fork to one join. In a chain every layer has one input, and its output is used
// once; so no layer is in two branches. An edge straight from the fork to the join (the identity shortcut of
// a ResNet) has nothing to run and is no branch. A way that itself forks or joins is no chain and is left
// out, the chains beside it stay.
struct BranchGroup {
  LayerId fork, join;
  std::vector<std::vector<LayerId>> branches;  // two or more, in order of their first layers
};

// In order of fork, then of join.
std::vector<BranchGroup> FindBranchGroups(const Model& model);

}  // namespace tandem
