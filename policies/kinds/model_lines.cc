#include "policies/kinds/model_lines.h"

#include <algorithm>
#include <map>
#include <tuple>

namespace tandem {

ModelLines::ModelLines(const Problem& problem, const std::vector<std::int64_t>& levels, bool batches_together)
    : problem_(&problem), levels_(levels) {
  std::map<ModelId, std::size_t> whole;
  for (std::size_t s = 0; s < problem.segments().size(); ++s) {
    const Cut& cut = problem.cut(problem.segment(SegmentId(s)).cut);
    const auto known = batches_together && cut.segments == 1 ? whole.find(cut.model) : whole.end();
    if (known != whole.end()) {
      line_of_.push_back(known->second);
      continue;
    }
    if (cut.segments == 1) whole.emplace(cut.model, lines_.size());
    line_of_.push_back(lines_.size());
    lines_.push_back({cut.model, 0, {}});
  }
  for (std::size_t s = 0; s < levels_.size(); ++s) {
    const Cut& cut = problem.cut(StreamId(s));
    for (std::int32_t i = 0; i < cut.segments; ++i) {
      Task task;
      task.stream = StreamId(s);
      task.segment = SegmentId(cut.first.index() + static_cast<std::size_t>(i));
      LaneOf(task);
    }
  }
}

ModelLines::Lane& ModelLines::LaneOf(const Task& task) {
  std::vector<Lane>& lanes = lines_[LineOf(task.segment)].lanes;
  const std::int64_t level = levels_[task.stream.index()];
  const auto is_it = [&](const Lane& lane) { return lane.segment == task.segment && lane.level == level; };
  const auto found = std::find_if(lanes.begin(), lanes.end(), is_it);
  return found != lanes.end() ? *found : lanes.emplace_back(Lane{task.segment, level, {}});
}

bool ModelLines::RunsOn(std::size_t line, UnitId unit) const {
  const std::vector<Lane>& lanes = lines_[line].lanes;
  return std::any_of(lanes.begin(), lanes.end(),
                     [&](const Lane& lane) { return problem_->Runs(lane.segment, unit); });
}

void ModelLines::Add(const Task& task) {
  LaneOf(task).entries.push_back({next_number_++, task});
  lines_[LineOf(task.segment)].waiting += InferencesOf(task);
}

std::optional<std::size_t> ModelLines::FirstLane(std::size_t line, UnitId unit) const {
  const std::vector<Lane>& lanes = lines_[line].lanes;
  const auto key = [&](std::size_t l) { return std::tuple(lanes[l].level, lanes[l].entries.front().number); };
  std::optional<std::size_t> first;
  for (std::size_t l = 0; l < lanes.size(); ++l) {
    if (lanes[l].entries.empty() || !problem_->Runs(lanes[l].segment, unit)) continue;
    if (!first || key(l) < key(*first)) first = l;
  }
  return first;
}

bool ModelLines::Take(std::size_t line, UnitId unit, Task& task) {
  const auto lane = FirstLane(line, unit);
  if (!lane) return false;
  std::deque<Entry>& entries = lines_[line].lanes[*lane].entries;
  task = entries.front().task;
  entries.pop_front();
  lines_[line].waiting -= InferencesOf(task);
  return true;
}

bool ModelLines::Remove(const Task& task) {
  std::deque<Entry>& entries = LaneOf(task).entries;
  const auto found = std::find_if(entries.begin(), entries.end(),
                                  [&](const Entry& entry) { return SameTask(entry.task, task); });
  if (found == entries.end()) return false;
  entries.erase(found);
  lines_[LineOf(task.segment)].waiting -= InferencesOf(task);
  return true;
}

}  // namespace tandem
