#include "policies/search/exact_schedule.h"

#include <algorithm>
#include <numeric>

#include "policies/bounds/exact.h"
#include "policies/kinds/recording_policy.h"
#include "policies/search/search_end.h"

namespace tandem {

std::optional<FixedSchedule> ExactSchedule(const Problem& problem) {
  if (problem.scenario().objective != Objective::kMakespan || !HoldsForGood(problem)) return std::nullopt;
  const auto written = WriteOut(problem);
  if (!written || written->jobs.jobs.size() > kFewExactJobs || !written->faithful) return std::nullopt;
  const ExactAnswer answer = SolveExactly(written->jobs, kFewExactNodes);
  if (answer.schedule.empty()) return std::nullopt;
  std::vector<std::size_t> order(answer.schedule.size());
  std::iota(order.begin(), order.end(), 0);
  std::stable_sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) {
    return answer.schedule[a].start < answer.schedule[b].start;
  });
  std::vector<Decision> tasks;
  for (const std::size_t job : order) {
    const Task& task = written->tasks[job];
    tasks.push_back({task.stream, task.index, task.segment, answer.schedule[job].unit});
  }
  return ScheduleOf(tasks, problem);
}

}  // namespace tandem
