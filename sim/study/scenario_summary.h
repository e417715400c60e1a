// What a scenario asks for, for programs: with everything that its file leaves to defaults.
#pragma once

#include <nlohmann/json_fwd.hpp>

#include "scenarios/scenario/scenario.h"

namespace tandem {

// Per stream what was requested, as the file has it, and what is in effect. `document` is the scenario's
// file.
nlohmann::ordered_json EffectiveSettings(const Scenario& scenario, const nlohmann::ordered_json& document);

}  // namespace tandem
