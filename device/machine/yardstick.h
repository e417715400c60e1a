// Fixed small pieces of work by which the state of a unit is told: two fully connected layers, one of 256
// outputs of 256 inputs for 64 rows, which stays in the nearest caches, and one of 2048 of 2048 for 16 rows,
// whose weights lie beyond them. They are of what most layers are made of, multiplying and adding, and what
// they read, the geometric mean of both, goes with networks, be it a neighbour on the core that slows these
// or one on the memory (scripts/experiments); and a library has no choice of algorithms for them that could
// differ from one time to the next.
#pragma once

#include <functional>

#include "device/processor/processor.h"
#include "profiles/costs/platform.h"

namespace tandem {

// Of medians of three runs after one that warms up. From the unit's thread, on which it is destroyed, too.
using ReadYardstick = std::function<Nanos()>;
// On the unit's thread; empty: the unit has none.
using MakeYardstick = std::function<ReadYardstick(const Unit&, Processor&)>;

// Units that are just cores of this machine have one, where the pieces take no longer than that: they are
// read again and again between what is measured.
ReadYardstick YardstickWithin(Nanos longest, const Unit& unit, Processor& processor);
// Within five milliseconds.
ReadYardstick YardstickOf(const Unit& unit, Processor& processor);

}  // namespace tandem
