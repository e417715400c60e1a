// Ready tasks in the order in which they became ready, at one instant in task order. Each stands in the line
// of the units that may take it; a unit takes the first of all the lines that are its own, so that a task
// which waits for a busy unit keeps back none behind it.
#pragma once

#include <deque>
#include <map>
#include <set>
#include <tuple>
#include <vector>

#include "policies/problem/task.h"

namespace tandem {

class FifoQueue {
 public:
  // Per segment and unit: may the unit take it?
  FifoQueue(std::size_t units, const std::vector<std::vector<char>>& takes);

  void Add(const Task& task, Nanos now);
  bool Take(UnitId unit, Task& task);
  void Remove(const Task& task);

 private:
  struct Entry {
    Nanos ready{0};
    Task task;
    friend bool operator<(const Entry& a, const Entry& b) {
      return a.ready != b.ready ? a.ready < b.ready : InTaskOrder(a.task, b.task);
    }
  };
  using Key = std::tuple<StreamId, std::int32_t, SegmentId>;
  static Key KeyOf(const Task& task) { return {task.stream, task.index, task.segment}; }
  void DropRemoved(std::deque<Entry>& line);

  std::vector<std::int32_t> line_of_;                // per segment
  std::vector<std::deque<Entry>> lines_;             // ascending
  std::vector<std::vector<std::int32_t>> lines_of_;  // per unit
  std::set<Key> removed_;                            // that still stand in a line
};

}  // namespace tandem
