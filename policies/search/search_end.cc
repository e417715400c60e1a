#include "policies/search/search_end.h"

#include <algorithm>
#include <limits>

#include "policies/bounds/bound_on_all.h"
#include "policies/bounds/counts.h"
#include "scenarios/report/objective.h"

namespace tandem {
namespace {

constexpr std::int64_t kCountNodesHere = 1'000'000;  // to prove that counts are the best

// Where whole requests are all there from the start, in what numbers units run them is all that matters.
Nanos BoundByCounts(const Problem& problem, Nanos bound, OpenEdges) {
  // Counts know of copies, which a mapping may save.
  const bool nothing_moves =
      problem.platform().memories.size() == 1 || problem.scenario().transfer != TransferMode::kCopy;
  if (!nothing_moves || !HoldsForGood(problem)) return bound;
  const auto counts = BestCounts(problem, kCountNodesHere);
  return counts && counts->proved ? std::max(bound, counts->makespan) : bound;
}

}  // namespace

bool HoldsForGood(const Problem& problem) {
  for (std::size_t u = 0; u < problem.units(); ++u) {
    if (problem.MayChooseResidents(UnitId(u))) return false;
    for (std::size_t m = 0; m < problem.scenario().models.size(); ++m) {
      if (problem.LoadTime(ModelId(m), UnitId(u))) return false;
    }
  }
  return true;
}

double LeastObjective(const Scenario& scenario, const std::vector<const Problem*>& problems) {
  // What comes next may still get better.
  if (!scenario.then.empty()) return -std::numeric_limits<double>::infinity();
  const Bound bound = BoundOnAll(scenario, {problems, OpenEdges::kYes, true}, BoundByCounts);
  const auto least = ObjectiveBound(scenario, bound);
  if (!least)
    return scenario.objective == Objective::kMakespan ? 0 : -std::numeric_limits<double>::infinity();
  return HigherIsBetter(scenario.objective) ? -*least : *least;
}

}  // namespace tandem
