// A fixed small piece of work by which the state of a unit is told: a fully connected layer, 1024 outputs of
// 1024 inputs for 64 rows, or for fewer where a unit is too slow for so many. It is of what most layers are
// made of, multiplying and adding, with weights that lie beyond the nearest caches, so that what slows
// networks slows it by about as much, be it a neighbour on the core or one on the memory
// (scripts/experiments); and a library has no choice of algorithms for it that could differ from one time to
// the next.
#pragma once

#include <functional>

#include "device/processor/processor.h"
#include "profiles/costs/platform.h"

namespace tandem {

// Median of three runs after one that warms it up; the least of nine where the unit's threads are free to
// move: two of them may meet on one core, which says nothing of the unit. From the unit's thread, on which it
// is destroyed, too.
using ReadYardstick = std::function<Nanos()>;
// On the unit's thread; empty: the unit has none. `rows`: of its work, what its readings are held against has
// as many; 0: it is found out how many do, and said.
using MakeYardstick = std::function<ReadYardstick(const Unit&, Processor&, std::int64_t& rows)>;

inline constexpr std::int64_t kYardstickRows = 64, kLeastYardstickRows = 4;

// Units that are just cores of this machine have one. It is read again and again between what is measured, so
// that rows are halved until it takes no longer than that; where the fewest still do, there is none.
ReadYardstick YardstickWithin(Nanos longest, const Unit& unit, Processor& processor, std::int64_t& rows);
// Within five milliseconds.
ReadYardstick YardstickOf(const Unit& unit, Processor& processor, std::int64_t& rows);

}  // namespace tandem
