// Layers by where they stand in the graph.
#pragma once

#include <vector>

#include "profiles/model/model.h"

namespace tandem {

// All layers on ways from `from` to `to`, both included, ascending; none where there is no way.
std::vector<LayerId> LayersBetween(const Model& model, LayerId from, LayerId to);

}  // namespace tandem
