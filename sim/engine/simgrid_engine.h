// SimGrid set up for runs: one simulated second is one nanosecond, nothing is read from a command line.
// Inside the library that LoadSimGrid loads.
#pragma once

#include <xbt/base.h>  // version.h needs its macros
#include <functional>
#include <simgrid/s4u.hpp>
#include <string>
#include <vector>

#include <simgrid/version.h>

#include "profiles/costs/platform.h"

namespace tandem {

// Once per process, for as long as that lives.
simgrid::s4u::Engine& MakeSimGridEngine();
std::string VersionOfSimGrid();

// simgrid_reader.cc: a platform file as JSON: "board", a platform/1, and "made_of", per pointer into that
// what it was made of in the file ("of", "mended_by"). Throws InputError without the file's name.
std::string BoardOfPlatformFile(const std::string& file);

// SimGrid's own host energy plugin counts along. Before the first host; each then needs its watts.
void CountEnergy();
// What a host draws in each of its pstates, of as many cores as tasks at full speed. Before it is sealed.
void SetWatts(simgrid::s4u::Host& host, const std::vector<Watts>& draws, std::int64_t cores);
double JoulesOf(const simgrid::s4u::Host& host);

// What differs between the versions of SimGrid, from 3.32 to 4.1.
simgrid::s4u::NetZone* MakeZone(const simgrid::s4u::Engine& engine);
// The same for hosts between which nothing is sent: the other has a table of all pairs of hosts.
simgrid::s4u::NetZone* MakeZoneWithoutRoutes(const simgrid::s4u::Engine& engine);
simgrid::s4u::Host* MakeHost(simgrid::s4u::NetZone& zone, const std::string& name,
                             const std::vector<double>& speeds);
simgrid::s4u::Link* MakeLink(simgrid::s4u::NetZone& zone, const std::string& name, double bandwidth);
void AddRoute(simgrid::s4u::NetZone& zone, simgrid::s4u::Host& from, simgrid::s4u::Host& to,
              const std::vector<simgrid::s4u::LinkInRoute>& links);
// Of every execution and every flow, for ever.
void OnCompletion(const std::function<void(const simgrid::s4u::Activity&)>& completed);

}  // namespace tandem
