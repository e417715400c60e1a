// The parts of a TensorFlow Lite import: what a network is given and states, and its weights.
#pragma once

#include "profiles/importers/tflite/node.h"
#include "profiles/model/model_source.h"

namespace tandem {

// inputs.cc. The constants and inputs of the network become values, the latter layers too.
void ReadTfliteInputs(const ImportOptions& options, TfliteGraph& graph);

// weights.cc. The tensors of `model`.
Weights ReadTfliteWeights(const Model& model, const TfliteGraph& graph);

}  // namespace tandem
