// What the profiles of a scenario know, and what is taken for want of the rest: nobody should take a guess
// for a measurement.
#pragma once

#include <cstddef>
#include <nlohmann/json_fwd.hpp>
#include <string>

#include "scenarios/scenario/scenario.h"

namespace tandem {

// Which models have a time on which units and where it comes from (measured, published, estimated, of parts
// alone, none), and what follows from what is missing. Needs costs; empty without.
std::string KnownText(const Scenario& scenario, std::size_t width);
nlohmann::ordered_json KnownJson(const Scenario& scenario);

// The same for below a table of results: only the models of which something is missing or estimated; empty
// where there is nothing to say.
std::string MissingText(const Scenario& scenario, std::size_t width);

}  // namespace tandem
