// What is known of room before anything runs: what stays of models on units' chips, and whether what units
// hold fits their memory by what profiles measured of it.
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <string>
#include <vector>

#include "scenarios/scenario/scenario.h"

namespace tandem {

// Of one memory with a capacity that profiles know something of.
struct MeasuredRoom {
  std::string memory;
  std::int64_t capacity_bytes = 0;
  // What all models that its units hold take while each is there, and on each unit the one that takes most
  // beside that runs or is made ready.
  std::int64_t needed_bytes = 0;
  std::vector<std::string> unknown = {};  // "model on unit" of which no profile knows it
  bool Fits() const { return needed_bytes <= capacity_bytes; }
};
// A unit that holds fewer models than it runs counts with those that take most. Needs costs.
std::vector<MeasuredRoom> MeasuredRooms(const Scenario& scenario);

// A sentence for each model that does not stay on a chip as a whole, and for each memory; empty: none.
std::string RoomText(const Scenario& scenario, std::size_t width);
nlohmann::ordered_json RoomJson(const Scenario& scenario);  // of the memories

}  // namespace tandem
