// What holds of every scenario, whoever wrote it: both exact engines say the same, the judge of traces finds
// nothing, no policy beats the bound and no rule the search.
#pragma once

#include <string>

#include "scenarios/scenario/scenario.h"

namespace tandem {

struct LawTrial {
  std::string broken;  // empty where all hold
  int runs = 0;        // that were held to them
};

// Its seed chooses the policy and the granularity that are tried.
LawTrial TryLaws(const Scenario& scenario);

}  // namespace tandem
