#include "policies/problem/layer_groups.h"

#include <algorithm>

namespace tandem {
namespace {

// Vertices are groups, called by their first layer, among layers that stand alone without an edge.
GraphOrder OrderOfGroups(const Model& model, LayerGroups& groups) {
  std::vector<GraphEdge> edges;
  for (std::size_t i = 0; i < model.size(); ++i) {
    for (const LayerId input : model.layers()[i].inputs) {
      if (groups.IsInput(input.index()) || groups.Of(input.index()) == groups.Of(i)) continue;
      edges.push_back({groups.Of(input.index()), groups.Of(i)});
    }
  }
  return OrderOf(model.size(), edges);
}

}  // namespace

bool JoinCycle(const Model& model, LayerGroups& groups) {
  const std::vector<std::size_t> cycle = OrderOfGroups(model, groups).cycle;
  for (const std::size_t group : cycle) groups.Join(group, cycle.front());
  return !cycle.empty();
}

std::vector<CutPiece> PiecesOf(const Model& model, LayerGroups& groups) {
  std::vector<std::size_t> order = OrderOfGroups(model, groups).order;
  std::erase_if(order, [&](std::size_t i) { return groups.Of(i) != i || groups.IsInput(i); });
  std::vector<std::size_t> place(model.size(), order.size());
  for (std::size_t i = 0; i < order.size(); ++i) place[order[i]] = i;
  std::vector<CutPiece> pieces(order.size());
  for (std::size_t i = 0; i < model.size(); ++i) {
    const std::size_t at = groups.IsInput(i) ? order.size() : place[groups.Of(i)];
    if (at < order.size()) pieces[at].layers.emplace_back(i);
  }
  return pieces;
}

}  // namespace tandem
