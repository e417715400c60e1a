// CPOP: a task comes by the length of the longest way that leads through it, on average; the tasks of the
// longest way of all that is placed together go to the one unit that runs them fastest, the others where they
// end first. A task of the way that this unit cannot run goes as the others do; of units that differ in how
// many they can run, those that can run the most are compared. Tie-break: task order; units in the order of
// the platform. Source: Topcuoglu, Hariri, Wu, 2002.
#include "policies/placing/plan_ahead_policy.h"

namespace tandem::cpop {
namespace {

PlacingRule RuleOf(const PlacingGraph& graph) {
  PlacingRule rule{.priority = UpwardRanks(graph), .critical = CriticalPath(graph)};
  const std::vector<double> downward = DownwardRanks(graph);
  for (std::size_t t = 0; t < graph.tasks(); ++t) rule.priority[t] += downward[t];
  return rule;
}

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

// The tasks of the longest way of all go to the unit that runs them fastest.
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

Prepared Make(const PolicySpec&, const Problem& problem) {
  return std::make_unique<PlanAheadPolicy>(problem, RuleOf, BindCriticalPath);
}

const PolicyRegistration kCpop{
    {.name = "cpop",
     .summary = "plans ahead: the longest way on one unit, the other tasks where they end first",
     .waiting = Waiting::kOwnOrder,
     .make = Make}};

}  // namespace
}  // namespace tandem::cpop
