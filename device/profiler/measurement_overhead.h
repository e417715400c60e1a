// What the profiler itself adds to a time: what it measures of work that does nothing.
#pragma once

#include "profiles/base/time.h"

namespace tandem {

// The median of many.
Nanos MeasurementOverhead();

}  // namespace tandem
