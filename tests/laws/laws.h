// What holds of every scenario, whoever wrote it: both exact engines say the same, the judge of traces finds
// nothing, no policy and no plan that cuts models beats the bound of any figure that has one, and no rule the
// search where that goes by the times as they are; no request takes longer than is proved.
#pragma once

#include <cstdint>
#include <string>

#include "policies/bounds/bound.h"
#include "scenarios/scenario/scenario.h"
#include "scenarios/trace/outcome.h"
#include "tests/support/random_scenario.h"

namespace tandem {

struct LawTrial {
  std::string broken;  // empty where all hold
  int runs = 0;        // that were held to them
  int bounded = 0;     // figures of these, beside the makespan and missed requests, that were held to a bound
  int searched = 0;    // 1: the search was asked, and held against the rules
  int proved = 0;      // streams of these of which is proved how long a request takes, and that had any
  int beside = 0;      // those of them whose unit shares cores or a device with others
};

// From here on seeds draw what came to be drawn later: those before stay what they are.
inline constexpr std::uint64_t kFurtherSeeds = 100'000;

// And from here on what proofs ask for of units that share cores, and copies.
inline constexpr std::uint64_t kSharedSeeds = 200'000;

// Many scenarios have all the room that they want and requests that go alone, none of them critical; some
// have not, and some have what the proofs of longest latencies ask for.
Drawn DrawnInTurn(std::uint64_t seed);

inline constexpr std::uint64_t kSearchEvery = 8;  // a search takes as long as a hundred runs

// Its seed chooses the policy and the granularity that are tried. The search is asked where the seed is a
// multiple of `search_every`: then no rule there is beats it.
LawTrial TryLaws(const Scenario& scenario, std::uint64_t search_every = kSearchEvery);

// Which figure of the run is better than its bound, and by what; empty: none. Each objective's is held to
// its own, whatever the scenario's is.
std::string BeatsBound(const Scenario& scenario, const Outcome& outcome, const Bound& bound, LawTrial& trial);

}  // namespace tandem
