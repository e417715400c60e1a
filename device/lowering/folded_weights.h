// The weights of a conv or fc with the batch norms and scales behind it multiplied in.
#pragma once

#include <vector>

#include "device/lowering/fusion.h"
#include "profiles/model/weights.h"

namespace tandem {

struct ModelWeights {
  const Model& model;
  const Weights& weights;

  const Layer& layer(LayerId id) const { return model.layer(id); }
  // nullptr where the layer has none of that role.
  const float* Of(LayerId id, const char* role) const { return FindWeight(weights, layer(id), role); }
};

struct FoldedWeights {
  const float* weight = nullptr;  // the layer's own where nothing is folded in
  std::vector<float> scaled;
  std::vector<float> bias;  // empty: none

  const float* data() const { return scaled.empty() ? weight : scaled.data(); }
};

// Factor and offset of each channel, for batch norms and scales.
struct ChannelAffine {
  std::vector<double> factor, offset;
};
// That of `layers` one after the other; those of other operations are passed over.
ChannelAffine AffineOf(const ModelWeights& of, const FusedGroup& layers, std::int64_t channels);

FoldedWeights FoldWeights(const ModelWeights& of, const FusedGroup& group);

}  // namespace tandem
