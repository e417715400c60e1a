#include "policies/placing/place_jobs.h"

#include <algorithm>
#include <queue>

#include "profiles/base/check.h"

namespace tandem {
namespace {

struct Candidate {
  double priority = 0;
  std::size_t job = 0, task = 0;
  friend bool operator<(const Candidate& a, const Candidate& b) {  // the greatest comes first
    if (a.priority != b.priority) return a.priority < b.priority;
    return a.job != b.job ? a.job > b.job : a.task > b.task;
  }
};

UnitId BestUnit(const PlacingJob& job, std::size_t j, std::size_t task, PlacingTarget& target) {
  const PlacingGraph& graph = *job.graph;
  if (!job.bound.empty() && job.bound[task].valid()) return job.bound[task];
  UnitId best;
  double least = 0;
  for (std::size_t u = 0; u < graph.units; ++u) {
    if (!graph.Runs(task, u)) continue;
    double end = static_cast<double>(target.EndOn(j, task, UnitId(u)).count());
    if (!job.rule->ahead.empty()) end += job.rule->ahead[task * graph.units + u];
    if (best.valid() && end >= least) continue;
    best = UnitId(u);
    least = end;
  }
  TANDEM_CHECK(best.valid(), "every task runs on some unit");
  return best;
}

}  // namespace

void PlaceJobs(const std::vector<PlacingJob>& jobs, PlacingTarget& target) {
  std::priority_queue<Candidate> candidates;
  std::vector<std::vector<std::int32_t>> waits_for(jobs.size());
  const auto add = [&](std::size_t job, std::size_t task) {
    candidates.push({jobs[job].rule->priority[task], job, task});
  };
  for (std::size_t j = 0; j < jobs.size(); ++j) {
    const PlacingGraph& graph = *jobs[j].graph;
    waits_for[j].resize(graph.tasks());
    for (const auto& edges : graph.edges) {
      for (const PlacingGraph::Edge& edge : edges) ++waits_for[j][static_cast<std::size_t>(edge.to)];
    }
    for (std::size_t t = 0; t < graph.tasks(); ++t) {
      if (waits_for[j][t] == 0) add(j, t);
    }
  }
  while (!candidates.empty()) {
    const auto [priority, job, task] = candidates.top();
    candidates.pop();
    target.Put(job, task, BestUnit(jobs[job], job, task, target));
    for (const PlacingGraph::Edge& edge : jobs[job].graph->edges[task]) {
      const auto to = static_cast<std::size_t>(edge.to);
      if (--waits_for[job][to] == 0) add(job, to);
    }
  }
}

}  // namespace tandem
