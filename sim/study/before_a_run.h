// What can be known of a scenario's policies without a run, so that `tandem check` says of a file what those
// say that run it.
#pragma once

#include <string>
#include <vector>

#include "scenarios/scenario/scenario.h"

namespace tandem {

struct BeforeARun {
  std::vector<std::string> problems;    // messages as a run would end with, each once
  std::vector<std::string> not_judged;  // what only a run tells, a sentence each
};

BeforeARun JudgeBeforeARun(const Scenario& scenario);

}  // namespace tandem
