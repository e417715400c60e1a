// What is known of room before anything runs: what stays of models on units' chips, and whether what units
// hold fits their memory.
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <string>

#include "scenarios/scenario/scenario.h"

namespace tandem {

// A sentence for each model that does not stay on a chip as a whole, and for each memory of which profiles
// know something or that has, or may have, no room for what its units hold; empty: none.
std::string RoomText(const Scenario& scenario, std::size_t width);
nlohmann::ordered_json RoomJson(const Scenario& scenario);  // of the memories with a capacity

}  // namespace tandem
