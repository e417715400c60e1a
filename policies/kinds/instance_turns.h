// Instances of models that wait for their turn, as a server's rate limiter has them: an instance that is free
// takes the first request of its model and waits; of all that wait the first by executions x weight begins,
// once what it needs is there, and none before it.
#pragma once

#include <cstdint>
#include <deque>
#include <optional>
#include <set>
#include <tuple>
#include <vector>

#include "policies/kinds/model_lines.h"
#include "policies/kinds/serving.h"

namespace tandem {

class InstanceTurns {
 public:
  // `problem` outlives it. Every line is to have an instance for each of its segments.
  InstanceTurns(const Problem& problem, const Serving& serving);

  void Add(const Task& task);
  // The next task of those that have begun to wait for the unit alone.
  bool Take(UnitId unit, Task& task);
  // It had the unit, and has done its work, or was not let in after all.
  void Ended(const Task& task, UnitId unit) { GiveBack(task, unit, true); }
  void Returned(const Task& task);
  void Remove(const Task& task);

  const ModelLines& lines() const { return lines_; }
  bool HasInstance(std::size_t line, UnitId unit) const;

 private:
  using InstanceId = std::size_t;
  struct Instance {
    std::size_t line = 0;
    UnitId unit;
    std::int64_t weight = 1, executions = 0;
    std::vector<std::pair<std::size_t, std::int64_t>> needs;  // of which resource how much
    Task task;                                                // where it is not free
  };
  // Whose turn comes first: by executions x weight, then who came to wait first.
  using Turn = std::tuple<std::int64_t, std::int64_t, InstanceId>;

  void AddInstances(const Serving& serving, std::size_t line, const Serving::Group& group);
  Turn NextTurnOf(InstanceId instance);
  void LetWait(std::size_t line);
  void Attempt();
  bool Fits(const Instance& instance) const;
  void Occupy(const Instance& instance, std::int64_t sign);
  void Free(InstanceId instance);
  void GiveBack(const Task& task, UnitId unit, bool executed);

  ModelLines lines_;
  bool takes_turns_;
  std::vector<std::int64_t> left_;  // per resource: the units', then those with names
  std::vector<Instance> instances_;
  std::vector<std::set<Turn>> free_;              // per line
  std::set<Turn> waiting_;                        // that have a request and wait for their turn
  std::vector<std::deque<InstanceId>> begun_;     // per unit: that have had it, and wait for a slot
  std::vector<std::vector<InstanceId>> running_;  // per unit
  std::int64_t next_number_ = 0;
};

}  // namespace tandem
