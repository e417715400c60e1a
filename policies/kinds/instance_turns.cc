#include "policies/kinds/instance_turns.h"

#include <algorithm>

#include "profiles/base/check.h"

namespace tandem {

InstanceTurns::InstanceTurns(const Problem& problem, const Serving& serving)
    : lines_(problem, serving.levels, false),
      takes_turns_(serving.takes_turns),
      free_(lines_.size()),
      begun_(problem.units()),
      running_(problem.units()) {
  for (const Unit& unit : problem.platform().units) left_.push_back(unit.slots);
  for (const Serving::Resource& resource : serving.resources) left_.push_back(resource.count);
  for (std::size_t line = 0; line < lines_.size(); ++line) {
    for (const Serving::Group& group : serving.groups) {
      if (group.model == lines_.ModelOf(line) && lines_.RunsOn(line, group.unit)) {
        AddInstances(serving, line, group);
      }
    }
  }
}

void InstanceTurns::AddInstances(const Serving& serving, std::size_t line, const Serving::Group& group) {
  Instance instance;
  instance.line = line;
  instance.unit = group.unit;
  instance.weight = serving.weights[group.model.index()];
  if (takes_turns_) {
    instance.needs.emplace_back(group.unit.index(), 1);
    for (std::size_t r = 0; r < serving.resources.size(); ++r) {
      const std::int64_t needs = serving.resources[r].needs[group.model.index()];
      if (needs > 0) instance.needs.emplace_back(running_.size() + r, needs);
    }
  }
  for (std::int64_t i = 0; i < group.count; ++i) {
    instances_.push_back(instance);
    free_[line].insert(NextTurnOf(instances_.size() - 1));
  }
}

bool InstanceTurns::HasInstance(std::size_t line, UnitId unit) const {
  return std::any_of(instances_.begin(), instances_.end(), [&](const Instance& instance) {
    return instance.line == line && instance.unit == unit;
  });
}

InstanceTurns::Turn InstanceTurns::NextTurnOf(InstanceId instance) {
  const Instance& it = instances_[instance];
  return {takes_turns_ ? it.executions * it.weight : 0, next_number_++, instance};
}

void InstanceTurns::Add(const Task& task) {
  lines_.Add(task);
  LetWait(lines_.LineOf(task.segment));
}

// Every free instance for which there is a request; each is one more chance for those that wait.
void InstanceTurns::LetWait(std::size_t line) {
  std::set<Turn>& free = free_[line];
  for (auto turn = free.begin(); turn != free.end() && lines_.Waiting(line) > 0;) {
    const InstanceId id = std::get<InstanceId>(*turn);
    if (!lines_.Take(line, instances_[id].unit, instances_[id].task)) {
      ++turn;
      continue;
    }
    turn = free.erase(turn);
    waiting_.insert(NextTurnOf(id));
    Attempt();
  }
}

// One at most begins: the first, or none.
void InstanceTurns::Attempt() {
  if (waiting_.empty()) return;
  const InstanceId id = std::get<InstanceId>(*waiting_.begin());
  const Instance& first = instances_[id];
  if (!Fits(first)) return;
  Occupy(first, 1);
  waiting_.erase(waiting_.begin());
  begun_[first.unit.index()].push_back(id);
}

bool InstanceTurns::Fits(const Instance& instance) const {
  return std::all_of(instance.needs.begin(), instance.needs.end(),
                     [&](const auto& need) { return left_[need.first] >= need.second; });
}

void InstanceTurns::Occupy(const Instance& instance, std::int64_t sign) {
  for (const auto& [resource, needs] : instance.needs) left_[resource] -= sign * needs;
}

bool InstanceTurns::Take(UnitId unit, Task& task) {
  std::deque<InstanceId>& begun = begun_[unit.index()];
  if (begun.empty()) return false;
  const InstanceId id = begun.front();
  begun.pop_front();
  running_[unit.index()].push_back(id);
  task = instances_[id].task;
  return true;
}

void InstanceTurns::Free(InstanceId instance) {
  free_[instances_[instance].line].insert(NextTurnOf(instance));
  LetWait(instances_[instance].line);
  Attempt();
}

void InstanceTurns::GiveBack(const Task& task, UnitId unit, bool executed) {
  std::vector<InstanceId>& running = running_[unit.index()];
  const auto found = std::find_if(running.begin(), running.end(),
                                  [&](InstanceId id) { return SameTask(instances_[id].task, task); });
  TANDEM_CHECK(found != running.end(), "an instance gives back what it was given");
  const InstanceId id = *found;
  running.erase(found);
  if (executed) ++instances_[id].executions;
  Occupy(instances_[id], -1);
  Free(id);
}

void InstanceTurns::Returned(const Task& task) {
  for (std::size_t u = 0; u < running_.size(); ++u) {
    for (const InstanceId id : running_[u]) {
      if (SameTask(instances_[id].task, task)) return GiveBack(task, UnitId(u), false);
    }
  }
}

void InstanceTurns::Remove(const Task& task) {
  if (lines_.Remove(task)) return;
  const auto has_it = [&](InstanceId id) { return SameTask(instances_[id].task, task); };
  for (auto turn = waiting_.begin(); turn != waiting_.end(); ++turn) {
    const InstanceId id = std::get<InstanceId>(*turn);
    if (!has_it(id)) continue;
    waiting_.erase(turn);
    return Free(id);
  }
  for (std::deque<InstanceId>& begun : begun_) {
    const auto found = std::find_if(begun.begin(), begun.end(), has_it);
    if (found == begun.end()) continue;
    const InstanceId id = *found;
    begun.erase(found);
    Occupy(instances_[id], -1);
    return Free(id);
  }
}

}  // namespace tandem
