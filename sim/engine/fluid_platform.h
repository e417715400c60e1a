// The board of a problem as SimGrid has it where its own physics count: units are hosts, memories, hubs and
// links are links of a network. Inside the library that LoadSimGrid loads.
#pragma once

#include <string>
#include <vector>

#include "policies/problem/problem.h"
#include "profiles/base/time.h"
#include "sim/engine/simgrid_engine.h"

namespace tandem {

// Flows are counted in thousandths of bytes, since SimGrid takes whole ones of them.
inline constexpr double kGrains = 1000;
inline double GrainsANano(double bytes_per_s) { return bytes_per_s / kNanosPerSecond * kGrains; }

class FluidPlatform {
 public:
  // `energy`: SimGrid's plugin counts along; all units have watts.
  FluidPlatform(const Problem& problem, simgrid::s4u::NetZone& zone, bool energy);
  FluidPlatform(const FluidPlatform&) = delete;
  FluidPlatform& operator=(const FluidPlatform&) = delete;

  simgrid::s4u::Host* host(UnitId unit) const { return units_[unit.index()]; }  // or a copy engine's
  simgrid::s4u::Host* host(MemoryId memory) const { return memories_[memory.index()]; }
  // Heat holds it back, or no longer.
  void SetHeldBack(UnitId unit, bool held_back);
  // Has a profile seen tasks share the unit? Then what they all get of it together is said, 1 being what one
  // gets alone.
  bool HasTotal(UnitId unit) const;
  void SetTotal(UnitId unit, double total) { totals_[unit.index()] = total; }

 private:
  simgrid::s4u::Host* AddUnit(simgrid::s4u::NetZone& zone, UnitId id);
  simgrid::s4u::Host* AddOther(simgrid::s4u::NetZone& zone, const std::string& name) const;
  void AddHosts(simgrid::s4u::NetZone& zone);
  void SetSpeeds(simgrid::s4u::Host& host, UnitId unit) const;
  void AddNetwork(simgrid::s4u::NetZone& zone);

  const Problem& problem_;
  bool energy_;
  std::vector<simgrid::s4u::Host*> units_;     // per unit and engine
  std::vector<unsigned long> states_;          // per unit: the pstate of the state that it is in
  std::vector<double> totals_;                 // per unit
  std::vector<simgrid::s4u::Host*> memories_;  // per memory
};

}  // namespace tandem
