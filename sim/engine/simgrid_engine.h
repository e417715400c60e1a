// SimGrid set up for runs: one simulated second is one nanosecond, nothing is read from a command line.
// Inside the library that LoadSimGrid loads.
#pragma once

#include <cstdint>
#include <simgrid/s4u.hpp>
#include <string>
#include <vector>

#include "profiles/costs/platform.h"
#include "sim/engine/simgrid_versions.h"

namespace tandem {

// Once per process, for as long as that lives.
simgrid::s4u::Engine& MakeSimGridEngine();
std::string VersionOfSimGrid();

// simgrid_reader.cc: a platform file as JSON: "board", a platform/1, "made_of", per pointer into that what it
// was made of in the file ("of", "mended_by"), "notes", what of the file it leaves out, and "tags", what the
// file says of each unit that tandem wrote beside the property that it is read from. Throws InputError
// without the file's name.
std::string BoardOfPlatformFile(const std::string& file);

// SimGrid's own host energy plugin counts along. Before the first host; each then needs its watts.
void CountEnergy();
// What a host draws in each of its pstates, of as many cores as tasks at full speed. Before it is sealed.
void SetWatts(simgrid::s4u::Host& host, const std::vector<Watts>& draws, std::int64_t cores);
double JoulesOf(const simgrid::s4u::Host& host);

}  // namespace tandem
