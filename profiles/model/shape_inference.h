// Output shape and counts of one layer from its attributes and its inputs' shapes.
#pragma once

#include <string>
#include <vector>

#include "profiles/model/model.h"
#include "profiles/model/op_declaration.h"

namespace tandem {

struct Inferred {
  Shape output;
  Counts counts;
};

// Throws InputError with a plain sentence ("expects 4 axes, its input has 2: 1x1000"); the caller names the
// place.
Inferred InferShape(Op op, const Attributes& attributes, const std::vector<Shape>& inputs);

// What the rules of a layer's operation are asked with, and its weights by them.
LayerShapes ShapesOf(const Model& model, LayerId id);
std::vector<WeightRole> WeightsOf(const Model& model, LayerId id);

}  // namespace tandem
