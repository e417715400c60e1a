// Room device/backends/reference: plain kernels for every operation: the yardstick of all others.
//
// The yardstick for every backend: one plain loop per operation, fp32 tensors, sums in double and rounded
// once. Readable, not fast.
#pragma once

#include <functional>
#include <vector>

#include "profiles/model/model.h"
#include "profiles/model/weights.h"

namespace tandem {

// Throws EnvironmentError that names the layer and its operation where there is none.
void ExpectReferenceKernel(const Layer& layer);

// The output of one layer from the outputs that it reads, in the order of its inputs.
Tensor RunReferenceLayer(const Layer& layer, const Weights& weights,
                         const std::vector<const Tensor*>& inputs);

// Calls `visit` with every layer's output in order of id. `inputs` are those of model.Inputs(), in that
// order. A tensor lives until its last user ran. Weights that do not fit the model throw InputError.
using LayerVisitor = std::function<void(LayerId, const Tensor&)>;
void VisitReference(const Model& model, const Weights& weights, const std::vector<Tensor>& inputs,
                    const LayerVisitor& visit);

// All layers' outputs, by id.
std::vector<Tensor> RunReference(const Model& model, const Weights& weights,
                                 const std::vector<Tensor>& inputs);

}  // namespace tandem
