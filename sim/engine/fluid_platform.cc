#include "sim/engine/fluid_platform.h"

#include <simgrid/kernel/ProfileBuilder.hpp>

#include "policies/problem/slowdowns.h"
#include "profiles/base/json_write.h"

namespace tandem {

namespace sg4 = simgrid::s4u;

FluidPlatform::FluidPlatform(const Problem& problem, sg4::NetZone& zone, bool energy)
    : problem_(problem), energy_(energy), totals_(problem.units(), 1) {
  AddHosts(zone);
  AddNetwork(zone);
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

void FluidPlatform::AddNetwork(sg4::NetZone& zone) {
  const Platform& platform = problem_.platform();
  const auto link_of = [&](const std::string& name, double bytes_per_s) {
    sg4::Link* const link = MakeLink(zone, name, GrainsANano(bytes_per_s));
    link->seal();
    return link;
  };
  std::vector<sg4::Link*> memories, hubs;
  for (std::size_t m = 0; m < platform.memories.size(); ++m) {
    const std::string name = "memory" + std::to_string(m);
    memories_.push_back(AddOther(zone, name));
    const auto& bandwidth = platform.memories[m].bandwidth_bytes_per_s;
    memories.push_back(bandwidth ? link_of(name + "link", *bandwidth) : nullptr);
  }
  for (std::size_t h = 0; h < platform.hubs.size(); ++h)
    hubs.push_back(link_of("hub" + std::to_string(h), platform.hubs[h].bandwidth_bytes_per_s));
  for (std::size_t l = 0; l < platform.links.size(); ++l) {
    const Link& link = platform.links[l];
    std::vector<sg4::LinkInRoute> way;
    way.emplace_back(link_of("link" + std::to_string(l), link.bandwidth_bytes_per_s));
    if (link.hub.valid()) way.emplace_back(hubs[link.hub.index()]);
    for (const MemoryId end : {link.from, link.to}) {
      if (memories[end.index()] != nullptr) way.emplace_back(memories[end.index()]);
    }
    AddRoute(zone, *memories_[link.from.index()], *memories_[link.to.index()], way);
  }
  for (std::size_t u = 0; u < problem_.units(); ++u) {
    const std::size_t memory = problem_.MemoryOf(UnitId(u)).index();
    if (memories[memory] != nullptr)
      AddRoute(zone, *memories_[memory], *units_[u], {sg4::LinkInRoute(memories[memory])});
  }
}

// Behind the pstate of a unit's state is the one to which heat holds it back.
void FluidPlatform::SetHeldBack(UnitId unit, bool held_back) {
  const unsigned long wanted = states_[unit.index()] + (held_back ? 1 : 0);
  sg4::Host* const host = units_[unit.index()];
  if (host->get_pstate() != wanted) host->set_pstate(wanted);
}

}  // namespace tandem
