// Directed graphs of vertices 0, 1, 2, ...: the one door to Boost.Graph, whose headers cost a file seconds.
#pragma once

#include <cstddef>
#include <functional>
#include <numeric>
#include <string>
#include <utility>
#include <vector>

namespace tandem {

struct GraphEdge {
  std::size_t from, to;
};

struct GraphOrder {
  // Every vertex after those that have an edge to it; of those that are ready the smallest comes first. Those
  // on a cycle, and what comes after them, are missing.
  std::vector<std::size_t> order;
  // Where there is none: a cycle, in the direction of its edges, the shortest from the first vertex that lies
  // on any.
  std::vector<std::size_t> cycle;
};
GraphOrder OrderOf(std::size_t vertices, const std::vector<GraphEdge>& edges);

// Sets of vertices that only ever grow together, each called by its smallest vertex.
class DisjointSets {
 public:
  explicit DisjointSets(std::size_t vertices) : parent_(vertices) {
    std::iota(parent_.begin(), parent_.end(), std::size_t{0});
  }
  std::size_t Of(std::size_t vertex) {
    while (parent_[vertex] != vertex) vertex = parent_[vertex] = parent_[parent_[vertex]];
    return vertex;
  }
  void Join(std::size_t a, std::size_t b) {
    a = Of(a);
    b = Of(b);
    if (a > b) std::swap(a, b);
    parent_[b] = a;
  }

 private:
  std::vector<std::size_t> parent_;
};

// `"a" -> "b" -> "a"`, cut where it is long.
std::string CycleText(const std::vector<std::size_t>& cycle,
                      const std::function<std::string(std::size_t vertex)>& name);

}  // namespace tandem
