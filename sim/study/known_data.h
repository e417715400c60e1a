// What the profiles of a scenario know, and what is taken for want of the rest: nobody should take a guess
// for a measurement.
#pragma once

#include <cstddef>
#include <nlohmann/json_fwd.hpp>
#include <string>
#include <vector>

#include "scenarios/report/report.h"
#include "scenarios/scenario/scenario.h"

namespace tandem {

// Which models have a time on which units and where it comes from (measured, published, estimated, of parts
// alone, none), and what follows from what is missing. Needs costs; empty without.
std::string KnownText(const Scenario& scenario, std::size_t width);
nlohmann::ordered_json KnownJson(const Scenario& scenario);

// For below a table of results: only the models of which something is missing or estimated; empty where there
// are none. What is taken instead stands in the reports.
std::string MissingText(const Scenario& scenario, std::size_t width);

// What is taken for want of the rest, but for what the reports of runs know better: a sentence each.
std::vector<std::string> TakenForWant(const Scenario& scenario);
// Among what was estimated of each run, none twice. Of reports for people, not of each run that is tried.
void AddTakenForWant(const Scenario& scenario, std::vector<Report>& reports);

}  // namespace tandem
