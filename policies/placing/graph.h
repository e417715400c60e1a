// A task graph as list schedulers see it, and what they read off it before they place anything: ranks, costs
// to come, the critical path. Nothing of a board but its number of units is in sight.
#pragma once

#include <cstdint>
#include <functional>
#include <vector>

#include "profiles/base/ids.h"
#include "profiles/base/time.h"

namespace tandem {

struct PlacingGraph {
  struct Edge {
    std::int32_t to = 0;
    std::int64_t weight = 0;  // what `transfer` makes a time of
  };

  std::size_t units = 0;
  std::vector<std::vector<Edge>> edges;  // per task, in topological order: `to` is larger; no edge twice
  std::vector<Nanos> time;               // per task and unit; negative: it cannot run there
  // From the end of a task on one unit until its follower on the other has what it made.
  std::function<Nanos(const Edge&, UnitId from, UnitId to)> transfer;

  std::size_t tasks() const { return edges.size(); }
  Nanos Time(std::size_t task, std::size_t unit) const { return time[task * units + unit]; }
  bool Runs(std::size_t task, std::size_t unit) const { return Time(task, unit) >= Nanos{0}; }
};

// Nanoseconds, on average: times over the units that can run a task, transfers over pairs of different units
// that can run its two ends (Topcuoglu, Hariri, Wu, 2002).
// From the beginning of a task to the end of all, along the longest way.
std::vector<double> UpwardRanks(const PlacingGraph& graph);
// From the beginning of all to that of a task, along the longest way.
std::vector<double> DownwardRanks(const PlacingGraph& graph);
// The tasks of the longest way, in order; of equally long ones the one with the earlier tasks.
std::vector<std::int32_t> CriticalPath(const PlacingGraph& graph);

// Per task and unit: what is still to come after the task there, if every follower ran where that is best for
// it (Arabnejad, Barbosa, 2014). Where the task cannot run it is 0.
std::vector<double> OptimisticCosts(const PlacingGraph& graph);

}  // namespace tandem
