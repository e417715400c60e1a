// What the hosts of SimGrid's platform files say in their tags of a unit's slots and watts, both ways.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "profiles/costs/platform.h"

namespace tandem {

// Of a state, "idle:all cores" or "idle:epsilon:all cores": epsilon is what a host draws that has as good as
// nothing to do, and each busy core adds its share of what all cores draw above that.
struct StateOfHost {
  double idle = 0, all = 0;  // of all cores

  // A unit draws so much for each slot that works: no core and all of them draw what the file says. (An
  // epsilon above idle is lost between these.)
  double OfOne(int cores) const { return all - (all - idle) * (cores - 1) / cores; }
};

// Nothing: it is no state's.
std::optional<StateOfHost> ReadStateOfHost(const std::string& state);

// As an exported board has them.
struct HostTags {
  std::int64_t cores = 1;
  std::size_t states = 1;  // each of a flop a nanosecond: what they make of times is for profiles to say
  std::string watts;       // "10:10:20,9:9:15"; empty: nobody knows those of all states
};
HostTags TagsOf(const Unit& unit);

}  // namespace tandem
