// The page of a scenario's results.
#pragma once

#include "scenarios/scenario/scenario.h"
#include "sim/page/page.h"

namespace tandem {

// By the command that is at work.
Page PageOf(std::string title, std::vector<std::string> results);
// With the scenario's board and what is taken for want of knowledge.
Page PageOf(const Scenario& scenario, std::vector<std::string> results);

}  // namespace tandem
