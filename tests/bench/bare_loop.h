// What the SimGrid engine is measured against: as many Execs on as many hosts, started from completion
// callbacks, with nothing to decide.
#pragma once

#include <cstdint>
#include <vector>

namespace tandem {

// Each host runs the next of `execs` Execs when its own ends; times[host][k % size] is how long the k-th
// takes there. Once per process. Returns the simulated end.
std::int64_t RunBareLoop(const std::vector<std::vector<std::int64_t>>& times, std::int64_t execs);

}  // namespace tandem
