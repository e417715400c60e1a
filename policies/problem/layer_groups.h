// Groups of a model's layers on their way to be tasks.
#pragma once

#include <algorithm>
#include <cstddef>
#include <numeric>
#include <vector>

#include "profiles/model/model.h"
#include "scenarios/scenario/decisions.h"

namespace tandem {

// Which layers belong together: sets that only ever grow.
class LayerGroups {
 public:
  explicit LayerGroups(const Model& model) : model_(&model), parent_(model.size()) {
    std::iota(parent_.begin(), parent_.end(), 0);
  }
  bool IsInput(std::size_t layer) const { return model_->layers()[layer].op == Op::kInput; }
  std::size_t Of(std::size_t layer) {
    while (parent_[layer] != layer) layer = parent_[layer] = parent_[parent_[layer]];
    return layer;
  }
  // The group is called by its smallest layer.
  void Join(std::size_t a, std::size_t b) {
    a = Of(a);
    b = Of(b);
    parent_[std::max(a, b)] = std::min(a, b);
  }

 private:
  const Model* model_;
  std::vector<std::size_t> parent_;
};

// Groups that need each other cannot be tasks of their own: joins one cycle; false where there is none.
bool JoinCycle(const Model& model, LayerGroups& groups);

// The groups in topological order, the one with the smallest first layer first; those that need each other,
// and what depends on them, are missing.
std::vector<CutPiece> PiecesOf(const Model& model, LayerGroups& groups);

}  // namespace tandem
