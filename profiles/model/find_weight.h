// A layer's weights by their role.
#pragma once

#include "profiles/model/layer.h"
#include "profiles/model/weights.h"

namespace tandem {

// nullptr where the layer has none of that role.
inline const float* FindWeight(const Weights& weights, const Layer& layer, const char* role) {
  const auto found = weights.find({layer.name, role});
  return found == weights.end() ? nullptr : found->second.values.data();
}

}  // namespace tandem
