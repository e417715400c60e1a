#include "policies/kinds/list_policy.h"

namespace tandem {
namespace {

std::vector<UnitId> AllUnits(const Problem& problem) {
  std::vector<UnitId> units;
  for (std::size_t u = 0; u < problem.units(); ++u) units.emplace_back(u);
  return units;
}

}  // namespace

ListPolicy::ListPolicy(const Problem& problem, const TaskQueue::Rule& rule)
    : queue_(problem, AllUnits(problem), rule) {}

}  // namespace tandem
