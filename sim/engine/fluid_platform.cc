#include "sim/engine/fluid_platform.h"

#include <algorithm>
#include <cmath>
#include <simgrid/kernel/ProfileBuilder.hpp>

#include "policies/problem/copy_routes.h"
#include "policies/problem/slowdowns.h"
#include "profiles/base/json_write.h"

namespace tandem {

namespace sg4 = simgrid::s4u;
namespace {

sg4::Link* LinkOf(sg4::NetZone& zone, const std::string& name, double bytes_per_s) {
  sg4::Link* const link = MakeLink(zone, name, GrainsANano(bytes_per_s));
  link->seal();
  return link;
}

void AddWay(sg4::NetZone& zone, sg4::Host& from, sg4::Host& to, const std::vector<sg4::Link*>& links) {
  AddRoute(zone, from, to, std::vector<sg4::LinkInRoute>(links.begin(), links.end()));
}

}  // namespace

FluidPlatform::FluidPlatform(const Problem& problem, sg4::NetZone& zone, bool energy)
    : problem_(problem), energy_(energy), totals_(problem.units(), 1) {
  AddHosts(zone);
  AddMemories(zone);
  AddLinks(zone);
  AddPlaces(zone);
  zone.seal();
}

bool FluidPlatform::HasTotal(UnitId unit) const {
  return problem_.platform().unit(unit).time_shared && problem_.slowdowns().KnowSharing(unit);
}

// Dates and speeds, a line each.
void FluidPlatform::SetSpeeds(sg4::Host& host, UnitId unit) const {
  std::string lines;
  for (const UnitSpeed& speed : problem_.scenario().speeds) {
    if (speed.unit == unit) lines += std::to_string(speed.at.count()) + " " + JsonNumber(speed.speed) + "\n";
  }
  if (lines.empty()) return;
  host.set_speed_profile(
      simgrid::kernel::profile::ProfileBuilder::from_string(host.get_name() + " speeds", lines, -1));
}

// A pstate for each state of the unit, first that of which it says no name, and where heat holds it back a
// second one behind each. What a state makes of times is for profiles to say.
sg4::Host* FluidPlatform::AddUnit(sg4::NetZone& zone, UnitId id) {
  Unit unit = problem_.platform().unit(id);
  std::vector<double> of_each = {1};
  for (const UnitHeat& heat : problem_.scenario().heat) {
    if (heat.unit == id) of_each.push_back(heat.speed);
  }
  std::vector<double> speeds;
  std::vector<Watts> draws;
  unsigned long now = 0;
  const std::string in = unit.state;
  const auto add = [&](const std::string& state) {
    unit.state = state;
    if (state == in) now = speeds.size();
    const Watts watts = unit.Draws();
    if (!energy_ || (watts.idle && watts.busy)) {
      speeds.insert(speeds.end(), of_each.begin(), of_each.end());
      draws.insert(draws.end(), of_each.size(), watts);
    }
  };
  add("");
  for (const StateWatts& state : unit.states) add(state.name);
  sg4::Host* const host = MakeHost(zone, "unit" + std::to_string(id.index()), speeds);
  SetSpeeds(*host, id);
  host->set_core_count(static_cast<int>(unit.AtFullSpeed()));
  if (HasTotal(id)) {
    host->set_sharing_policy(sg4::Host::SharingPolicy::NONLINEAR,
                             [&total = totals_[id.index()]](double all, int) { return all * total; });
  }
  if (energy_) SetWatts(*host, draws, unit.AtFullSpeed());
  states_.push_back(now);
  return host->seal();
}

// Of what is no unit, and draws nothing of its own.
sg4::Host* FluidPlatform::AddOther(sg4::NetZone& zone, const std::string& name) const {
  sg4::Host* const host = MakeHost(zone, name, {1});
  if (energy_) SetWatts(*host, {{0, 0}}, 1);
  return host->seal();
}

// A unit is a host of as many cores as tasks that it runs at full speed; more of them share it.
void FluidPlatform::AddHosts(sg4::NetZone& zone) {
  const Places& places = problem_.places();
  for (std::size_t u = 0; u < places.units(); ++u) {
    units_.push_back(u < problem_.units() ? AddUnit(zone, UnitId(u))
                                          : AddOther(zone, "engine" + std::to_string(u)));
  }
}

void FluidPlatform::AddMemories(sg4::NetZone& zone) {
  const auto& memories = problem_.platform().memories;
  for (std::size_t m = 0; m < memories.size(); ++m) {
    const std::string name = "memory" + std::to_string(m);
    memories_.push_back(AddOther(zone, name));
    const auto& bandwidth = memories[m].bandwidth_bytes_per_s;
    of_memory_.push_back(bandwidth ? LinkOf(zone, name + "link", *bandwidth) : nullptr);
  }
}

void FluidPlatform::AddLinks(sg4::NetZone& zone) {
  const Platform& platform = problem_.platform();
  std::vector<sg4::Link*> hubs;
  for (std::size_t h = 0; h < platform.hubs.size(); ++h)
    hubs.push_back(LinkOf(zone, "hub" + std::to_string(h), platform.hubs[h].bandwidth_bytes_per_s));
  for (std::size_t l = 0; l < platform.links.size(); ++l) {
    const Link& link = platform.links[l];
    std::vector<sg4::Link*>& over = over_.emplace_back();
    over.push_back(LinkOf(zone, "link" + std::to_string(l), link.bandwidth_bytes_per_s));
    if (link.hub.valid()) over.push_back(hubs[link.hub.index()]);
    for (const MemoryId end : {link.from, link.to}) {
      if (of_memory_[end.index()] != nullptr) over.push_back(of_memory_[end.index()]);
    }
    AddWay(zone, *memories_[link.from.index()], *memories_[link.to.index()], over);
  }
}

// Each link once, as weights pass through all of them at the same time.
std::vector<sg4::Link*> FluidPlatform::WayOfLoads(UnitId unit) const {
  std::vector<sg4::Link*> way;
  const auto& hops = problem_.routes().Way(MemoryId(0), problem_.MemoryOf(unit));
  if (!hops) return way;
  if (hops->empty() && of_memory_[0] != nullptr) way.push_back(of_memory_[0]);
  for (const Hop& hop : *hops) {
    for (sg4::Link* const link : over_[hop.link.index()]) {
      if (std::find(way.begin(), way.end(), link) == way.end()) way.push_back(link);
    }
  }
  return way;
}

bool FluidPlatform::MovesOwn(UnitId unit) const {
  if (of_memory_[problem_.MemoryOf(unit).index()] == nullptr) return false;
  for (std::size_t s = 0; s < problem_.segments().size(); ++s) {
    if (problem_.slowdowns().Traffic(SegmentId(s), unit).value_or(0) > 0) return true;
  }
  return false;
}

// From its unit's memory comes what a task moves, from the first one what is loaded.
void FluidPlatform::AddPlaces(sg4::NetZone& zone) {
  const Places& places = problem_.places();
  ends_.resize(places.of_units());
  brakes_.resize(places.of_units());
  for (std::size_t u = 0; u < problem_.units(); ++u) {
    const UnitId unit(u);
    const MemoryId memory = problem_.MemoryOf(unit);
    std::vector<sg4::Link*> loads;
    if (problem_.LoadsModels(unit)) loads = WayOfLoads(unit);
    const auto narrower = [](const sg4::Link* a, const sg4::Link* b) {
      return a->get_bandwidth() < b->get_bandwidth();
    };
    load_paces_.push_back(
        loads.empty() ? 0 : (*std::min_element(loads.begin(), loads.end(), narrower))->get_bandwidth());
    if (!loads.empty()) AddWayToSlots(zone, MemoryId(0), loads, unit);
    if (MovesOwn(unit) && (loads.empty() || memory != MemoryId(0)))
      AddWayToSlots(zone, memory, {of_memory_[memory.index()]}, unit);
  }
}

void FluidPlatform::AddWayToSlots(sg4::NetZone& zone, MemoryId from, std::vector<sg4::Link*> way,
                                  UnitId unit) {
  way.push_back(nullptr);
  for (std::size_t s = 0; s < problem_.places().slots(unit); ++s) {
    const std::size_t place = problem_.places().At(unit, SlotId(s)).index();
    if (ends_[place] == nullptr) {
      ends_[place] = AddOther(zone, "place" + std::to_string(place));
      brakes_[place] = LinkOf(zone, "brake" + std::to_string(place), 1);
    }
    way.back() = brakes_[place];
    AddWay(zone, *host(from), *ends_[place], way);
  }
}

std::optional<FluidFlow> FluidPlatform::TaskFlow(SegmentId segment, PlaceId place, double nanos) const {
  const UnitId unit = problem_.places().UnitOf(place);
  const MemoryId memory = problem_.MemoryOf(unit);
  const double pace = GrainsANano(problem_.slowdowns().Traffic(segment, unit).value_or(0));
  if (pace <= 0 || of_memory_[memory.index()] == nullptr) return std::nullopt;
  return FluidFlow{host(memory), ends_[place.index()], nanos * pace, brakes_[place.index()], pace};
}

std::optional<FluidFlow> FluidPlatform::LoadFlow(ModelId model, PlaceId place, double nanos) const {
  const UnitId unit = problem_.places().UnitOf(place);
  const OnChip& chips = problem_.scenario().costs->on_chip();
  const auto& variant = problem_.scenario().units[unit.index()].variant;
  const std::int64_t bytes = chips.Has(unit) && variant ? chips.BytesThatStay(model, unit, *variant)
                                                        : problem_.WeightBytes(model, unit);
  const double most = load_paces_[unit.index()] * nanos;
  const double grains = std::floor(std::min(static_cast<double>(bytes) * kGrains, most));
  if (grains < 1) return std::nullopt;
  return FluidFlow{host(MemoryId(0)), ends_[place.index()], grains, brakes_[place.index()], grains / nanos};
}

// Behind the pstate of a unit's state is the one to which heat holds it back.
void FluidPlatform::SetHeldBack(UnitId unit, bool held_back) {
  const unsigned long wanted = states_[unit.index()] + (held_back ? 1 : 0);
  sg4::Host* const host = units_[unit.index()];
  if (host->get_pstate() != wanted) host->set_pstate(wanted);
}

}  // namespace tandem
