// Small scenarios drawn at random, for tests of laws that hold for every scenario.
#pragma once

#include <cstdint>
#include <string>

#include "scenarios/scenario/scenario.h"

namespace tandem {

// Anything that the formats have; the same with little room (each memory has the bytes of a few of its
// tensors, and units often several slots); the same with streams whose requests go together, as far as they
// may, which may be refused where no unit has times of several; the same with critical streams; the same, and
// perhaps one of these, with arrival times from files, limits, clock states and copies of slots that share
// their unit's time; what proofs of longest latencies ask for; and that with units that share cores, several
// slots and copies.
enum class Drawn : std::uint8_t { kAnything, kTight, kBatching, kCritical, kFurther, kProvable, kShared };

// The same seed gives the same scenario. It has up to four units, up to four streams of a few requests and
// models of a few layers made up for it; any feature of the formats may be there or not: slots (shared or
// not), dispatch, units that share cores, memories with links and copy engines, residency, loads, background
// load, co-running, parts of layers, batches, all kinds of arrival, deadlines and drops, dependencies. Its
// times are often a few equal microseconds, so that much happens at once.
Scenario RandomScenario(std::uint64_t seed, Drawn drawn = Drawn::kAnything);

// The same as files in `folder`, which is made: name.scenario.json and what it refers to. Returns the
// scenario's path.
std::string WriteRandomScenario(std::uint64_t seed, const std::string& folder,
                                Drawn drawn = Drawn::kAnything);

}  // namespace tandem
