// Groups of a model's layers on their way to be tasks.
#pragma once

#include <cstddef>
#include <vector>

#include "profiles/base/graph.h"
#include "profiles/model/model.h"
#include "scenarios/scenario/decisions.h"

namespace tandem {

// Which layers belong together.
class LayerGroups : public DisjointSets {
 public:
  explicit LayerGroups(const Model& model) : DisjointSets(model.size()), model_(&model) {}
  bool IsInput(std::size_t layer) const { return model_->layers()[layer].op == Op::kInput; }

 private:
  const Model* model_;
};

// Groups that need each other cannot be tasks of their own: joins one cycle; false where there is none.
bool JoinCycle(const Model& model, LayerGroups& groups);

// The groups in topological order, the one with the smallest first layer first; those that need each other,
// and what depends on them, are missing.
std::vector<CutPiece> PiecesOf(const Model& model, LayerGroups& groups);

}  // namespace tandem
