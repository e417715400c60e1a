#include "policies/search/search_end.h"

#include <algorithm>
#include <limits>

#include "policies/bounds/any_cut.h"
#include "policies/bounds/bound.h"
#include "policies/bounds/counts.h"

namespace tandem {
namespace {

constexpr std::int64_t kCountNodesHere = 1'000'000;  // to prove that counts are the best

// No schedule of the problem is shorter; 0 where nothing is known.
double MakespanBound(const Problem& problem) {
  Nanos bound = LowerBound(problem, OpenEdges::kYes).makespan.value_or(Nanos{0});
  // Counts know of copies, which a mapping may save.
  const bool nothing_moves =
      problem.platform().memories.size() == 1 || problem.scenario().transfer != TransferMode::kCopy;
  const auto counts =
      nothing_moves && HoldsForGood(problem) ? BestCounts(problem, kCountNodesHere) : std::nullopt;
  if (counts && counts->proved) bound = std::max(bound, counts->makespan);
  return static_cast<double>(bound.count());
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
  if (scenario.objective == Objective::kMisses) return 0;
  if (scenario.objective != Objective::kMakespan) return -std::numeric_limits<double>::infinity();
  double least = std::numeric_limits<double>::infinity();
  for (const Problem* problem : problems) least = std::min(least, MakespanBound(*problem));
  const auto free = MayBeCut(scenario) ? FreeCutBound(scenario, true).makespan : std::nullopt;
  return free ? std::min(least, static_cast<double>(free->count())) : least;
}

}  // namespace tandem
