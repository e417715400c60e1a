// Layers and small networks that every backend is held against the reference with: each operation with the
// attributes that implementations get wrong.
#pragma once

#include <string>
#include <vector>

#include "profiles/model/model.h"

namespace tandem {

struct OperationCase {
  std::string name;
  LayerSpec layer;            // without inputs
  std::vector<Shape> inputs;  // of one or more input layers
};

std::vector<OperationCase> OperationCases();
// Those whose inputs are above 0.
std::vector<OperationCase> PositiveCases();
Model ModelOf(const OperationCase& one);

// One image in: the operation can stand between two convolutions.
bool FitsBetweenConvs(const OperationCase& one);
Model BetweenConvs(const OperationCase& one);

// Residuals, concats of whole and of odd blocks, one inside another, branches that end in several outputs.
std::vector<Model> SmallNetworks();

}  // namespace tandem
