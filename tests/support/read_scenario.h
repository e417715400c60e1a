// Scenarios for tests, built from the mini board of tests/bad/parts.
#pragma once

#include <string>

#include "scenarios/scenario/scenario.h"

namespace tandem {

// `members` are those of a scenario/1 beside its name, platform, profiles and transfer.
Scenario ReadMini(const std::string& members);

// What is wrong with it, without the file's name; "accepted" where nothing is.
std::string MiniProblem(const std::string& members);

}  // namespace tandem
