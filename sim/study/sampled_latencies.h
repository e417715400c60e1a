// Latency percentiles as they are to be expected of a machine whose times vary: medians of runs in virtual
// time in which every task takes what one of its profile's samples took.
#pragma once

#include <array>
#include <optional>

#include "policies/kinds/prepared_run.h"
#include "profiles/base/time.h"
#include "scenarios/calibration/trace.h"

namespace tandem {

using LatencyFigures = std::array<Nanos, kLatencyFigures.size()>;

// Of all requests, with the arrivals of the scenario's seed. `run` has been run: what it decided before stays
// decided. Nothing where no profile has samples that count, or nothing is completed.
std::optional<LatencyFigures> SampledLatencies(const PreparedRun& run);

}  // namespace tandem
