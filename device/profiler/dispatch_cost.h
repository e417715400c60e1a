// What the harness itself takes per task: from the end of one kernel to the start of the next on the same
// unit while work is waiting.
#pragma once

#include <cstdint>
#include <vector>

#include "device/processor/backend.h"
#include "profiles/costs/platform.h"

namespace tandem {

struct DispatchMeasurement {
  std::int64_t tasks = 1000;
  // Each kernel reads through so many bytes, so that what the harness works with is no warmer in the caches
  // than between real kernels; 0: kernels that do nothing.
  std::int64_t touched_bytes = std::int64_t{1} << 20;
};

// One sample per task, on one slot of the unit, under the dispatcher with the policy fcfs. Opens the unit:
// nothing else may use it meanwhile. Throws what opening it throws.
std::vector<Nanos> MeasureDispatch(const Platform& platform, UnitId unit, const DispatchMeasurement& how = {},
                                   const FindBackend& backend_of = BackendOf);

struct SplitDispatchMeasurement {
  std::int64_t requests = 16;  // of a round, of some layers each
  std::size_t rounds = 15;
};

// What a layer in two parts, one on each unit, takes longer than the same work on either unit alone, the
// parts' waiting for each other included; a sample of each round, at least nothing. Opens both units.
std::vector<Nanos> MeasureSplitDispatch(const Platform& platform, UnitId first, UnitId second,
                                        const SplitDispatchMeasurement& how, std::uint64_t seed,
                                        const FindBackend& backend_of = BackendOf);

}  // namespace tandem
