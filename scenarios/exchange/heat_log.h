// What a device told of clocks and heat beside its runs, as the log that a scenario's "heat" is found in.
#pragma once

#include <string>
#include <vector>

#include "scenarios/exchange/run_answer.h"
#include "scenarios/scenario/heat_fit.h"

namespace tandem {

// Of the run of which the most moments are known: the clock of `unit`, how busy it was, and the temperature
// of `zone`. An empty zone: of all that were told the one that grew the most. `file`: what messages call it.
// Throws InputError where that is not told.
std::vector<HeatLogRow> HeatLogOf(const RunAnswer& answer, const std::string& unit, const std::string& zone,
                                  const std::string& file);

}  // namespace tandem
