// Which plans are worth a run on the device: good ones that differ.
#pragma once

#include <vector>

#include "scenarios/calibration/pick.h"
#include "sim/study/validation.h"

namespace tandem {

// `policies`, and after them what the search has found beside its best: "best 2", "best 3", ... Nothing more
// where requests come by the clock: a search sees all of them, so that it is shown and never wins.
std::vector<PolicySpec> WithFinalists(const Scenario& scenario, std::vector<PolicySpec> policies);

// At most so many of them: the predicted winner, then again and again the one that differs most from those
// that are chosen, of those predicted within a tenth of the best; none that does just the same. Plans differ
// by the share of the layers of all requests that run on other units or in other parts, of requests that
// follow another one there, and of the layers whose task begins or ends elsewhere, added up.
std::vector<Prediction> MostDifferent(const std::vector<Prediction>& all, Objective objective,
                                      std::size_t most);

// The measured best of `plans`, of which `report` tells; nothing where none was right in every run.
std::optional<PickCalibration> PickMeasured(const CalibrationReport& report, const RunAnswer& run);

}  // namespace tandem
