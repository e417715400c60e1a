// The tasks that wait for each model, whichever stream they are of: those of a lower level first, then those
// that became ready first. A model that is cut has a line for each of its segments. A model in another batch
// is another one, or, where batches are together, the same.
#pragma once

#include <cstdint>
#include <deque>
#include <optional>
#include <vector>

#include "policies/problem/task.h"

namespace tandem {

class ModelLines {
 public:
  // `levels`: per stream. `problem` outlives it.
  ModelLines(const Problem& problem, const std::vector<std::int64_t>& levels, bool batches_together);

  std::size_t size() const { return lines_.size(); }
  std::size_t LineOf(SegmentId segment) const { return line_of_[segment.index()]; }
  ModelId ModelOf(std::size_t line) const { return lines_[line].model; }
  // Can the unit run what stands in the line, or some of it?
  bool RunsOn(std::size_t line, UnitId unit) const;
  // Inferences of the tasks that wait there.
  std::int64_t Waiting(std::size_t line) const { return lines_[line].waiting; }

  void Add(const Task& task);
  // Does any wait that the unit can run?
  bool HasFor(std::size_t line, UnitId unit) const { return FirstLane(line, unit).has_value(); }
  // The first of these leaves.
  bool Take(std::size_t line, UnitId unit, Task& task);
  bool Remove(const Task& task);  // false: it does not wait here

 private:
  struct Entry {
    std::int64_t number = 0;  // in which order they came
    Task task;
  };
  struct Lane {  // tasks of one segment and level
    SegmentId segment;
    std::int64_t level = 0;
    std::deque<Entry> entries;
  };
  struct Line {
    ModelId model;
    std::int64_t waiting = 0;
    std::vector<Lane> lanes;
  };

  Lane& LaneOf(const Task& task);
  std::optional<std::size_t> FirstLane(std::size_t line, UnitId unit) const;
  std::int64_t InferencesOf(const Task& task) const { return problem_->cut(task.stream).batch; }

  const Problem* problem_;
  std::vector<std::int64_t> levels_;  // per stream
  std::vector<std::size_t> line_of_;  // per segment
  std::vector<Line> lines_;
  std::int64_t next_number_ = 0;
};

}  // namespace tandem
