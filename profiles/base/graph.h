// Directed graphs of vertices 0, 1, 2, ...: the one door to Boost.Graph, whose headers cost a file seconds.
#pragma once

#include <cstddef>
#include <functional>
#include <string>
#include <vector>

namespace tandem {

struct GraphEdge {
  std::size_t from, to;
};

struct GraphOrder {
  // Every vertex after those that have an edge to it; of those that are ready the smallest comes first.
  std::vector<std::size_t> order;
  // Where there is none: a cycle, in the direction of its edges, the shortest from the first vertex that lies
  // on any.
  std::vector<std::size_t> cycle;
};
GraphOrder OrderOf(std::size_t vertices, const std::vector<GraphEdge>& edges);

// `"a" -> "b" -> "a"`, cut where it is long.
std::string CycleText(const std::vector<std::size_t>& cycle,
                      const std::function<std::string(std::size_t vertex)>& name);

}  // namespace tandem
