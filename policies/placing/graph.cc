#include "policies/placing/graph.h"

#include <algorithm>
#include <limits>

namespace tandem {
namespace {

double AsDouble(Nanos time) { return static_cast<double>(time.count()); }

double MeanTime(const PlacingGraph& graph, std::size_t task) {
  double sum = 0;
  int count = 0;
  for (std::size_t u = 0; u < graph.units; ++u) {
    if (!graph.Runs(task, u)) continue;
    sum += AsDouble(graph.Time(task, u));
    ++count;
  }
  return count == 0 ? 0 : sum / count;
}

double MeanTransfer(const PlacingGraph& graph, std::size_t from, const PlacingGraph::Edge& edge) {
  double sum = 0;
  int count = 0;
  for (std::size_t u = 0; u < graph.units; ++u) {
    for (std::size_t v = 0; v < graph.units; ++v) {
      if (u == v || !graph.Runs(from, u) || !graph.Runs(static_cast<std::size_t>(edge.to), v)) continue;
      sum += AsDouble(graph.transfer(edge, UnitId(u), UnitId(v)));
      ++count;
    }
  }
  return count == 0 ? 0 : sum / count;
}

// Upward ranks, and of every task the follower that its rank comes from; -1: none.
struct Upward {
  std::vector<double> ranks;
  std::vector<std::int32_t> next;
};

Upward FindUpward(const PlacingGraph& graph) {
  Upward upward{std::vector<double>(graph.tasks()), std::vector<std::int32_t>(graph.tasks(), -1)};
  for (std::size_t t = graph.tasks(); t-- > 0;) {
    double longest = 0;
    for (const PlacingGraph::Edge& edge : graph.edges[t]) {
      const double way = MeanTransfer(graph, t, edge) + upward.ranks[static_cast<std::size_t>(edge.to)];
      std::int32_t& next = upward.next[t];
      if (next >= 0 && (way < longest || (way == longest && next < edge.to))) continue;
      longest = way;
      next = edge.to;
    }
    upward.ranks[t] = MeanTime(graph, t) + longest;
  }
  return upward;
}

// The least that a follower costs from there on, after a task on the unit `from`.
double LeastCost(const PlacingGraph& graph, const PlacingGraph::Edge& edge, std::size_t from,
                 const std::vector<double>& costs) {
  const auto to = static_cast<std::size_t>(edge.to);
  double least = std::numeric_limits<double>::infinity();
  for (std::size_t u = 0; u < graph.units; ++u) {
    if (!graph.Runs(to, u)) continue;
    const double transfer = u == from ? 0 : AsDouble(graph.transfer(edge, UnitId(from), UnitId(u)));
    least = std::min(least, costs[to * graph.units + u] + AsDouble(graph.Time(to, u)) + transfer);
  }
  return least;
}

}  // namespace

std::vector<double> UpwardRanks(const PlacingGraph& graph) { return FindUpward(graph).ranks; }

std::vector<double> DownwardRanks(const PlacingGraph& graph) {
  std::vector<double> ranks(graph.tasks());
  for (std::size_t t = 0; t < graph.tasks(); ++t) {
    const double end = ranks[t] + MeanTime(graph, t);
    for (const PlacingGraph::Edge& edge : graph.edges[t]) {
      double& rank = ranks[static_cast<std::size_t>(edge.to)];
      rank = std::max(rank, end + MeanTransfer(graph, t, edge));
    }
  }
  return ranks;
}

std::vector<std::int32_t> CriticalPath(const PlacingGraph& graph) {
  const Upward upward = FindUpward(graph);
  const auto first = std::max_element(upward.ranks.begin(), upward.ranks.end());
  std::vector<std::int32_t> path;
  for (auto t = static_cast<std::int32_t>(first - upward.ranks.begin());
       t >= 0 && first != upward.ranks.end(); t = upward.next[static_cast<std::size_t>(t)]) {
    path.push_back(t);
  }
  return path;
}

std::vector<double> OptimisticCosts(const PlacingGraph& graph) {
  std::vector<double> costs(graph.tasks() * graph.units);
  for (std::size_t t = graph.tasks(); t-- > 0;) {
    for (std::size_t u = 0; u < graph.units; ++u) {
      double& cost = costs[t * graph.units + u];
      for (const PlacingGraph::Edge& edge : graph.edges[t]) {
        if (graph.Runs(t, u)) cost = std::max(cost, LeastCost(graph, edge, u, costs));
      }
    }
  }
  return costs;
}

}  // namespace tandem
