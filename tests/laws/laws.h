// What holds of every scenario, whoever wrote it: both exact engines say the same, the judge of traces finds
// nothing, no policy and no plan that cuts models beats the bound, and no rule the search; no request takes
// longer than is proved.
#pragma once

#include <cstdint>
#include <string>

#include "scenarios/scenario/scenario.h"
#include "tests/support/random_scenario.h"

namespace tandem {

struct LawTrial {
  std::string broken;  // empty where all hold
  int runs = 0;        // that were held to them
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

// Its seed chooses the policy and the granularity that are tried.
LawTrial TryLaws(const Scenario& scenario);

}  // namespace tandem
