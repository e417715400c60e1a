// What makes two networks alike, whatever they and their layers are called, wherever they come from and
// whatever weights they have.
#pragma once

#include <string>
#include <vector>

#include "profiles/model/model.h"

namespace tandem {

// "sha256:..." over the inputs' shapes and, of each layer that computes or moves something, its operation,
// attributes, output shape and which of those before it reads. Layers that do nothing at inference (dropout,
// flatten, ...) are looked through.
std::string StructureOf(const Model& model);

// Those layers, in order: of two models of one structure each is alike to the other's at its position.
std::vector<LayerId> StructuralLayers(const Model& model);

}  // namespace tandem
