#include "policies/kinds/recording_policy.h"

namespace tandem {
namespace {

// Segments of one request that follow each other.
void JoinSegments(std::vector<ScheduledRun>& runs, const ScheduledRun& next) {
  if (!runs.empty()) {
    ScheduledRun& last = runs.back();
    if (last.stream == next.stream && last.first == next.first &&
        last.segment + last.segments == next.segment) {
      ++last.segments;
      return;
    }
  }
  runs.push_back(next);
}

// Requests that follow each other with the same segments.
std::vector<ScheduledRun> JoinRequests(const std::vector<ScheduledRun>& runs) {
  std::vector<ScheduledRun> joined;
  for (const ScheduledRun& next : runs) {
    if (!joined.empty()) {
      ScheduledRun& last = joined.back();
      if (last.stream == next.stream && last.segment == next.segment && last.segments == next.segments &&
          last.first + last.count == next.first) {
        ++last.count;
        continue;
      }
    }
    joined.push_back(next);
  }
  return joined;
}

}  // namespace

bool RecordingPolicy::Take(UnitId unit, const Board& board, Task& task) {
  if (!decides_->Take(unit, board, task)) return false;
  if (overflown_) return true;
  if (taken_.size() == most_) {
    overflown_ = true;
    taken_.clear();
    taken_.shrink_to_fit();
    return true;
  }
  taken_.push_back({task.stream, task.index, task.segment, unit});
  return true;
}

// What was handed out and may not begin was not taken.
void RecordingPolicy::SetAside(const Task& task) {
  const bool last = !taken_.empty() && taken_.back().stream == task.stream &&
                    taken_.back().index == task.index && taken_.back().segment == task.segment;
  if (last) taken_.pop_back();
  decides_->SetAside(task);
}

FixedSchedule ScheduleOf(const std::vector<Decision>& taken, const Problem& problem) {
  FixedSchedule schedule;
  schedule.units.resize(problem.units());
  for (const Decision& task : taken) {
    const auto segment =
        static_cast<std::int32_t>(task.segment.index() - problem.cut(task.stream).first.index());
    JoinSegments(schedule.units[task.unit.index()], {task.stream, segment, 1, task.index, 1});
  }
  for (std::vector<ScheduledRun>& runs : schedule.units) {
    runs = JoinRequests(runs);
    for (ScheduledRun& run : runs) {
      if (run.segments == problem.cut(run.stream).segments) run.segments = ScheduledRun::kAllSegments;
    }
  }
  return schedule;
}

}  // namespace tandem
