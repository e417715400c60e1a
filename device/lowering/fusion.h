// Room device/lowering: from a segment of a model to steps: fusion, folding, memory; for every backend.
//
// Which layers run as one: by the rules of the graph alone, the same for every unit and thread count.
#pragma once

#include <optional>
#include <span>
#include <vector>

#include "profiles/model/model.h"

namespace tandem {

// In order of execution: the layer that does the work, then what is done to its output on the way.
using FusedGroup = std::vector<LayerId>;

// conv, deconv and fc take batch norms, scales and the like that follow into their weights, then an
// activation; a conv or deconv also the addition of another tensor, with an activation before or after it,
// the last of the convs that an addition reads. Batch norms, scales and additions of their own take an
// activation. dropout and identity vanish in what they follow. Nothing is taken in whose input someone else
// reads. Groups are in order of their last layers; `layers` are ascending and hold no inputs.
std::vector<FusedGroup> FuseLayers(const Model& model, std::span<const LayerId> layers);

// Of a quantised model run on whole numbers: a `quantize` that alone reads what a product of quantised
// weights, a plain sum, a concat or a mean over all positions makes is of its group, too, with what vanishes
// behind it; one for each group. `groups` are those of FuseLayers.
std::vector<FusedGroup> WithGrids(const Model& model, std::vector<FusedGroup> groups);
// The grid that the layer's numbers lie on: its own, or what layers that move numbers alone have kept.
std::optional<QuantizeAttributes> GridOf(const Model& model, LayerId id);

// A factor and an offset per channel, or for all numbers: batch_norm, scale, elementwise with such a
// constant.
bool IsAffine(const Model& model, LayerId id);
// Both operands of the output's shape, nothing else to it: what a conv can take in.
bool IsPlainSum(const Model& model, LayerId id);

}  // namespace tandem
