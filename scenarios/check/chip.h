// What of a model stays on a unit's chip, counted here anew from the platform and the scenario's
// "co_compiled". Of use to the rules.
#pragma once

#include "scenarios/check/checked_run.h"

namespace tandem {

bool HasChip(const CheckedRun& run, UnitId unit);
// May both be on the unit at once?
bool ShareChip(const CheckedRun& run, UnitId unit, ModelId a, ModelId b);
// What it takes to bring there what stays of the model.
Nanos ChipLoadTime(const CheckedRun& run, ModelId model, UnitId unit);
// What the segment's layers stream with each task since others have their place.
Nanos StreamedTime(const CheckedRun& run, const CheckedSegment& segment, UnitId unit);

}  // namespace tandem
