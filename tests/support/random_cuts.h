// Ways drawn at random in which a plan may cut the models of a scenario, for tests of what holds for every
// one.
#pragma once

#include <cstdint>
#include <memory>

#include "policies/problem/problem.h"
#include "scenarios/scenario/decisions.h"

namespace tandem {

// The same seed gives the same. Models are cut into groups of layers, which may lie apart but never need each
// other; some groups are split into two or three parts over channels or rows; some edges have a mode of
// their own. Some models and edges stay as they are.
std::shared_ptr<const CutPlan> RandomCuts(const Scenario& scenario, std::uint64_t seed);

// How many tasks of the problem are parts of split layers.
std::size_t CountParts(const Problem& problem);

// A plan with random cuts under the policy's rule; with `schedule` it fixes what the rule did instead of the
// rule. Throws InputError where the policy cannot run the scenario.
Decisions RandomPlan(const Scenario& scenario, std::uint64_t seed, const char* policy, bool schedule);

}  // namespace tandem
