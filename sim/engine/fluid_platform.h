// The board of a problem as SimGrid has it where its own physics count: units are hosts, memories, hubs and
// links are links of a network. Inside the library that LoadSimGrid loads.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "policies/engine/occupation.h"
#include "policies/problem/problem.h"
#include "profiles/base/time.h"
#include "sim/engine/simgrid_engine.h"

namespace tandem {

// Flows are counted in thousandths of bytes, since SimGrid takes whole ones of them.
inline constexpr double kGrains = 1000;
inline double GrainsANano(double bytes_per_s) { return bytes_per_s / kNanosPerSecond * kGrains; }

struct FluidFlow {
  simgrid::s4u::Host *from = nullptr, *to = nullptr;
  double grains = 0;
  simgrid::s4u::Link* brake = nullptr;  // the last link of its way, where it has a pace of its own
  double pace = 0;                      // grains a nanosecond, as long as nothing slows its unit down
};

class FluidPlatform {
 public:
  // `energy`: SimGrid's plugin counts along; all units have watts.
  FluidPlatform(const Problem& problem, simgrid::s4u::NetZone& zone, bool energy);
  FluidPlatform(const FluidPlatform&) = delete;
  FluidPlatform& operator=(const FluidPlatform&) = delete;

  simgrid::s4u::Host* host(UnitId unit) const { return units_[unit.index()]; }  // or a copy engine's
  simgrid::s4u::Host* host(MemoryId memory) const { return memories_[memory.index()]; }
  // What a task moves while it works; nothing: nobody says how much that is, or what its memory gives.
  std::optional<FluidFlow> TaskFlow(SegmentId segment, PlaceId place, Nanos work) const;
  // A load's weights at an even pace over all its time, which is what they take alone: they come from the
  // first memory over the way that inputs come, or over that memory alone. Nothing: of that the platform says
  // no bandwidth.
  std::optional<FluidFlow> LoadFlow(ModelId model, PlaceId place, Nanos work) const;
  // As many bytes as take so long over the link where nothing else is under way. Where something slows the
  // unit down whose slot makes the copy it has a pace of its own.
  FluidFlow CopyFlow(const Step& step, PlaceId place, Nanos work) const;
  // By the scenario's dates, times what heat leaves of it. Does that change anything?
  bool SetSpeed(UnitId unit, Nanos now, double by_heat);
  double speed(UnitId unit) const { return speeds_[unit.index()].now; }
  double TopSpeed(UnitId unit) const { return speeds_[unit.index()].top; }
  // Has a profile seen tasks share the unit? Then what they all get of it together is said, 1 being what one
  // gets alone.
  bool HasTotal(UnitId unit) const;
  void SetTotal(UnitId unit, double total) { totals_[unit.index()] = total; }

 private:
  struct Speeds {
    std::vector<UnitSpeed> by_date;
    std::vector<double> all;  // that it may have, a pstate each
    unsigned long first = 0;  // pstate, of the state that it is in
    double now = 1, top = 1;
  };

  simgrid::s4u::Host* AddUnit(simgrid::s4u::NetZone& zone, UnitId id);
  simgrid::s4u::Host* AddOther(simgrid::s4u::NetZone& zone, const std::string& name) const;
  void AddHosts(simgrid::s4u::NetZone& zone);
  Speeds SpeedsOf(UnitId unit) const;
  bool IsSlowed(UnitId unit) const;
  void AddMemories(simgrid::s4u::NetZone& zone);
  void AddLinks(simgrid::s4u::NetZone& zone);
  void AddPlaces(simgrid::s4u::NetZone& zone);
  void AddCopies(simgrid::s4u::NetZone& zone, UnitId unit);
  void AddWayToSlots(simgrid::s4u::NetZone& zone, simgrid::s4u::Host& from,
                     std::vector<simgrid::s4u::Link*> way, UnitId unit);
  FluidFlow AtPace(simgrid::s4u::Host* from, PlaceId place, double grains, Nanos work) const;
  bool MovesOwn(UnitId unit) const;
  std::vector<simgrid::s4u::Link*> WayOfLoads(UnitId unit) const;

  const Problem& problem_;
  bool energy_;
  std::vector<simgrid::s4u::Host*> units_;  // per unit and engine
  std::vector<char> slowed_;    // per unit: may its slots be slower, or faster, than they are by themselves?
  std::vector<Speeds> speeds_;  // per unit
  std::vector<double> totals_;  // per unit
  std::vector<simgrid::s4u::Host*> memories_;           // per memory
  std::vector<simgrid::s4u::Link*> of_memory_;          // the same; null: it says no bandwidth
  std::vector<std::vector<simgrid::s4u::Link*>> over_;  // per link: what a copy over it goes over
  std::vector<simgrid::s4u::Host*> begins_;             // the same: where copies of a pace of their own begin
  // Per place, where its flows have a pace of their own: where they end, and the link by which they keep it.
  // (SimGrid 3.32 forgets the rate of a Comm between hosts.)
  std::vector<simgrid::s4u::Host*> ends_;
  std::vector<simgrid::s4u::Link*> brakes_;
  std::vector<double> load_paces_;  // per unit: grains a nanosecond at most; 0: unknown
};

}  // namespace tandem
