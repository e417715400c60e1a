// Room policies/placing: list scheduling with insertion, for policies that plan ahead.
//
// List scheduling with insertion, whatever the machine: of the tasks whose inputs are placed the one with the
// greatest priority goes to the unit that suits it best, and so on until all have a place. Policies
// that plan ahead differ in their priorities and in what suits.
#pragma once

#include <cstdint>
#include <vector>

#include "policies/placing/graph.h"

namespace tandem {

// What a scheduler has made of a graph.
struct PlacingRule {
  std::vector<double> priority;  // per task: the greatest first
  // Per task and unit, in nanoseconds: counts beside the end of the task there; empty: nothing does.
  std::vector<double> ahead = {};
  std::vector<std::int32_t> critical = {};  // the tasks of its longest way, where that is of use
};

// One use of a graph.
struct PlacingJob {
  const PlacingGraph* graph = nullptr;
  const PlacingRule* rule = nullptr;
  std::vector<UnitId> bound = {};  // per task the unit that it has to go to, invalid or empty: any
};

// The machine: knows what has its place already.
class PlacingTarget {
 public:
  // When the task would end if it came to the unit now, whatever has been put there: in the first gap that
  // has room for it.
  virtual Nanos EndOn(std::size_t job, std::size_t task, UnitId unit) = 0;
  virtual void Put(std::size_t job, std::size_t task, UnitId unit) = 0;

 protected:
  ~PlacingTarget() = default;
};

// Every task runs on some unit. Ties of tasks go by job, then topological; ties of units by their order.
void PlaceJobs(const std::vector<PlacingJob>& jobs, PlacingTarget& target);

}  // namespace tandem
