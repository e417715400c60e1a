#include "profiles/base/graph.h"

#include <algorithm>
#include <boost/graph/adjacency_list.hpp>
#include <boost/graph/strong_components.hpp>
#include <queue>

#include "profiles/base/check.h"
#include "profiles/base/suggest.h"

namespace tandem {
namespace {

using Graph = boost::adjacency_list<boost::vecS, boost::vecS, boost::bidirectionalS>;
using Vertex = Graph::vertex_descriptor;

constexpr std::size_t kMostShown = 12;  // of a cycle

// Kahn's algorithm; of the layers that are ready the one that the source gave first comes next.
std::vector<std::size_t> TopologicalOrder(const Graph& graph) {
  std::vector<std::size_t> waiting(boost::num_vertices(graph));
  std::priority_queue<std::size_t, std::vector<std::size_t>, std::greater<>> ready;
  for (Vertex v = 0; v < waiting.size(); ++v) {
    waiting[v] = boost::in_degree(v, graph);
    if (waiting[v] == 0) ready.push(v);
  }
  std::vector<std::size_t> order;
  while (!ready.empty()) {
    const Vertex v = ready.top();
    ready.pop();
    order.push_back(v);
    for (const auto& edge : boost::make_iterator_range(boost::out_edges(v, graph))) {
      const Vertex user = boost::target(edge, graph);
      if (--waiting[user] == 0) ready.push(user);
    }
  }
  return order;
}

// The first vertex that lies on a cycle: it reads from its own strongly connected component.
Vertex FirstOnCycle(const Graph& graph, const std::vector<int>& component) {
  for (Vertex v = 0; v < component.size(); ++v) {
    for (const auto& edge : boost::make_iterator_range(boost::in_edges(v, graph))) {
      if (component[boost::source(edge, graph)] == component[v]) return v;
    }
  }
  TANDEM_CHECK(false, "a graph without a topological order has a cycle");
}

// One cycle, as the list of its vertices in the direction of the data: the shortest walk back to the first
// vertex that lies on any.
std::vector<std::size_t> FindCycle(const Graph& graph) {
  std::vector<int> component(boost::num_vertices(graph));
  boost::strong_components(
      graph, boost::make_iterator_property_map(component.begin(), boost::get(boost::vertex_index, graph)));
  const Vertex start = FirstOnCycle(graph, component);
  const Vertex unseen = component.size();
  std::vector<Vertex> from(component.size(), unseen);
  std::queue<Vertex> frontier({start});
  while (from[start] == unseen) {
    const Vertex v = frontier.front();
    frontier.pop();
    for (const auto& edge : boost::make_iterator_range(boost::out_edges(v, graph))) {
      const Vertex next = boost::target(edge, graph);
      if (component[next] != component[start] || from[next] != unseen) continue;
      from[next] = v;
      frontier.push(next);
    }
  }
  std::vector<std::size_t> cycle = {start};
  for (Vertex v = from[start]; v != start; v = from[v]) cycle.push_back(v);
  std::reverse(cycle.begin() + 1, cycle.end());
  return cycle;
}

}  // namespace

GraphOrder OrderOf(std::size_t vertices, const std::vector<GraphEdge>& edges) {
  Graph graph(vertices);
  for (const GraphEdge& edge : edges) boost::add_edge(edge.from, edge.to, graph);
  GraphOrder result{TopologicalOrder(graph), {}};
  if (result.order.size() != vertices) result.cycle = FindCycle(graph);
  return result;
}

std::string CycleText(const std::vector<std::size_t>& cycle,
                      const std::function<std::string(std::size_t vertex)>& name) {
  std::string path;
  for (std::size_t i = 0; i < std::min(cycle.size(), kMostShown); ++i)
    path += Quoted(name(cycle[i])) + " -> ";
  if (cycle.size() > kMostShown) path += "... -> ";
  return path + Quoted(name(cycle[0]));
}

}  // namespace tandem
