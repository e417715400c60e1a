// Room policies/search: the search behind `best`: rules, orders, cuts, residents, never worse than any
// rule.
//
// A clairvoyant search over rules, assignments and orders, with the virtual engine inside.
#pragma once

#include <cstdint>
#include <vector>

#include "policies/problem/problem.h"
#include "profiles/program/cores.h"
#include "scenarios/scenario/decisions.h"

namespace tandem {

// How many schedules a search simulates where nobody says it.
std::int64_t DefaultEvaluations(const Scenario& scenario);

// The best first, then others that are good; each with the story of the search. By the scenario's objective
// the first is never worse than any policy of the scenario, nor than any other with its defaults at any
// granularity: these are tried first, however few `evaluations` there are. Where times vary that holds for
// the mean over draws of them, as far as these can tell: see finalists.h. The same with any number of
// `cores`. Throws InputError where nothing can be run.
std::vector<Decisions> FindBest(const Scenario& scenario, std::int64_t evaluations,
                                std::size_t cores = CoresToUse());

}  // namespace tandem
