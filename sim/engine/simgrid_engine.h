// SimGrid set up for runs: one simulated second is one nanosecond, nothing is read from a command line.
// Inside the library that LoadSimGrid loads.
#pragma once

#include <xbt/base.h>  // version.h needs its macros
#include <simgrid/s4u.hpp>
#include <string>
#include <vector>

#include <simgrid/version.h>

namespace tandem {

// Once per process, for as long as that lives.
simgrid::s4u::Engine& MakeSimGridEngine();
std::string VersionOfSimGrid();

// simgrid_reader.cc: a platform file as the text of a platform/1.
std::string BoardOfPlatformFile(const std::string& file);

// What differs between SimGrid 3 and 4.
simgrid::s4u::NetZone* MakeZone(const simgrid::s4u::Engine& engine);
// The same for hosts between which nothing is sent: the other has a table of all pairs of hosts.
simgrid::s4u::NetZone* MakeZoneWithoutRoutes(const simgrid::s4u::Engine& engine);
simgrid::s4u::Host* MakeHost(simgrid::s4u::NetZone& zone, const std::string& name,
                             const std::vector<double>& speeds);
simgrid::s4u::Link* MakeLink(simgrid::s4u::NetZone& zone, const std::string& name, double bandwidth);
void AddRoute(simgrid::s4u::NetZone& zone, simgrid::s4u::Host& from, simgrid::s4u::Host& to,
              const std::vector<simgrid::s4u::LinkInRoute>& links);

}  // namespace tandem
