// Scenarios run in virtual time, for tests.
#pragma once

#include <string>

#include "policies/engine/virtual_runner.h"

namespace tandem {

// Of the shipped scenario, with the policy as `policy` writes it: a JSON string or object.
Outcome RunShipped(const std::string& scenario, const std::string& policy);
Outcome RunPolicy(const Scenario& scenario, const std::string& policy, const RunOptions& options = {});

}  // namespace tandem
