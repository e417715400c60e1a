// What a scenario asks for in one line, and, for programs, with everything that its file leaves to defaults.
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <string>

#include "scenarios/scenario/scenario.h"

namespace tandem {

std::string ScenarioSummary(const Scenario& scenario);  // "3 streams, 300 requests, 4 units, 4 policies"

// Per stream what was requested, as the file has it, and what is in effect. `document` is the scenario's
// file.
nlohmann::ordered_json EffectiveSettings(const Scenario& scenario, const nlohmann::ordered_json& document);

}  // namespace tandem
