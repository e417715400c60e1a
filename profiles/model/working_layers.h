// The layers of a model that run.
#pragma once

#include <vector>

#include "profiles/model/model.h"

namespace tandem {

// All but the inputs, in topological order.
std::vector<LayerId> WorkingLayers(const Model& model);

}  // namespace tandem
