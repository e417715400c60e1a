// Divides identical pieces of work over machines so that the busiest is done early: how many pieces of each
// class each machine takes. Far cheaper than simulating a schedule, and all that matters where everything is
// there from the start.
#pragma once

#include <cstdint>
#include <vector>

#include "profiles/base/time.h"
#include "scenarios/arrivals/random.h"

namespace tandem {

struct PieceClass {
  std::int64_t count = 0;
  std::vector<Nanos> time;  // per machine; negative: cannot run there. Some machine can.
};

// Per class and machine. Stops early at `bound`, if it gets there.
using PieceCounts = std::vector<std::vector<std::int64_t>>;
PieceCounts DivideCounts(const std::vector<PieceClass>& classes, Nanos bound, StreamRandom& random);

}  // namespace tandem
