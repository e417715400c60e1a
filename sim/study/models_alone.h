// Each model alone on each unit, once a round beside the plans of a validation: what the machine took for the
// same work in the same minutes, whatever it took when it was profiled.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "scenarios/calibration/report.h"
#include "scenarios/exchange/run_answer.h"
#include "sim/study/validation.h"

namespace tandem {

// A plan for every unit that can run all of the scenario's models whole: request after request of one model,
// then of the next one, and nothing beside it. Labels are none of `plans`'.
Predictions PlansAlone(const Scenario& scenario, const std::vector<Prediction>& plans, LongRun& watch);

// What those plans were predicted to take of the scenario's streams, and took in runs that count. `run` is
// what the device made of `plans` and then of `alone`; without those of `alone` afterwards, but for the
// trace.
std::vector<ModelAlone> TakeAlone(const Scenario& scenario, const std::vector<Prediction>& plans,
                                  const Predictions& alone, RunAnswer& run);

// From here on the profiles say that these take what they took, their layers and parts in proportion; how
// well that is known is the error that measured times share.
void PutInState(const std::vector<ModelAlone>& alone, Scenario& scenario);

}  // namespace tandem
