#include "policies/placing/place_jobs.h"

namespace tandem {
namespace {

UnitId FastestOf(const PlacingGraph& graph, const std::vector<std::int32_t>& path) {
  UnitId best;
  std::size_t most = 0;
  Nanos least{0};
  for (std::size_t u = 0; u < graph.units; ++u) {
    std::size_t runs = 0;
    Nanos total{0};
    for (const std::int32_t task : path) {
      if (!graph.Runs(static_cast<std::size_t>(task), u)) continue;
      ++runs;
      total += graph.Time(static_cast<std::size_t>(task), u);
    }
    if (best.valid() && (runs < most || (runs == most && total >= least))) continue;
    best = UnitId(u);
    most = runs;
    least = total;
  }
  return best;
}

// Nothing comes before its first task, so that one's priority is how long the way is.
double LengthOfWay(const PlacingRule& rule) {
  return rule.priority[static_cast<std::size_t>(rule.critical.front())];
}

}  // namespace

PlacingRule HeftRule(const PlacingGraph& graph) { return {.priority = UpwardRanks(graph)}; }

PlacingRule PeftRule(const PlacingGraph& graph) {
  PlacingRule rule;
  rule.ahead = OptimisticCosts(graph);
  for (std::size_t t = 0; t < graph.tasks(); ++t) {
    double sum = 0;
    int units = 0;
    for (std::size_t u = 0; u < graph.units; ++u) {
      if (!graph.Runs(t, u)) continue;
      sum += rule.ahead[t * graph.units + u];
      ++units;
    }
    rule.priority.push_back(units == 0 ? 0 : sum / units);
  }
  return rule;
}

PlacingRule CpopRule(const PlacingGraph& graph) {
  PlacingRule rule{.priority = UpwardRanks(graph), .critical = CriticalPath(graph)};
  const std::vector<double> downward = DownwardRanks(graph);
  for (std::size_t t = 0; t < graph.tasks(); ++t) rule.priority[t] += downward[t];
  return rule;
}

void BindCriticalPath(std::vector<PlacingJob>& jobs) {
  PlacingJob* longest = nullptr;
  for (PlacingJob& job : jobs) {
    if (!longest || LengthOfWay(*job.rule) > LengthOfWay(*longest->rule)) longest = &job;
  }
  if (!longest) return;
  const PlacingGraph& graph = *longest->graph;
  const UnitId unit = FastestOf(graph, longest->rule->critical);
  longest->bound.resize(graph.tasks());
  for (const std::int32_t task : longest->rule->critical) {
    const auto t = static_cast<std::size_t>(task);
    if (graph.Runs(t, unit.index())) longest->bound[t] = unit;
  }
}

}  // namespace tandem
