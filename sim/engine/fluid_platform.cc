#include "sim/engine/fluid_platform.h"

#include <algorithm>
#include <cmath>

#include "policies/problem/copy_routes.h"
#include "policies/problem/slowdowns.h"
#include "profiles/base/check.h"

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

FluidPlatform::Speeds FluidPlatform::SpeedsOf(UnitId unit) const {
  Speeds speeds;
  std::vector<double> by_date = {1};
  for (const UnitSpeed& speed : problem_.scenario().speeds) {
    if (speed.unit != unit) continue;
    speeds.by_date.push_back(speed);
    by_date.push_back(speed.speed);
  }
  std::stable_sort(speeds.by_date.begin(), speeds.by_date.end(),
                   [](const UnitSpeed& a, const UnitSpeed& b) { return a.at < b.at; });
  std::vector<double> by_heat = {1};
  for (const UnitHeat& heat : problem_.scenario().heat) {
    if (heat.unit == unit) by_heat.push_back(heat.speed);
  }
  for (const double dated : by_date) {
    for (const double left : by_heat) {
      const double speed = dated * left;
      if (std::find(speeds.all.begin(), speeds.all.end(), speed) == speeds.all.end())
        speeds.all.push_back(speed);
    }
  }
  speeds.top = *std::max_element(speeds.all.begin(), speeds.all.end());
  return speeds;
}

bool FluidPlatform::HasTotal(UnitId unit) const {
  return problem_.platform().unit(unit).time_shared && problem_.slowdowns().KnowSharing(unit);
}

// A pstate for each state of the unit, first that of which it says no name, and behind each one for every
// other speed that the scenario has of it, by date and by heat: of a host whose speed a profile sets
// SimGrid's energy plugin takes what is left of it for its load. What a state makes of times is for profiles
// to say.
sg4::Host* FluidPlatform::AddUnit(sg4::NetZone& zone, UnitId id) {
  Unit unit = problem_.platform().unit(id);
  Speeds& of_unit = speeds_.emplace_back(SpeedsOf(id));
  const std::vector<double>& of_each = of_unit.all;
  std::vector<double> speeds;
  std::vector<Watts> draws;
  const std::string in = unit.state;
  const auto add = [&](const std::string& state) {
    unit.state = state;
    if (state == in) of_unit.first = speeds.size();
    const Watts watts = unit.Draws();
    if (!energy_ || (watts.idle && watts.busy)) {
      speeds.insert(speeds.end(), of_each.begin(), of_each.end());
      draws.insert(draws.end(), of_each.size(), watts);
    }
  };
  add("");
  for (const StateWatts& state : unit.states) add(state.name);
  sg4::Host* const host = MakeHost(zone, "unit" + std::to_string(id.index()), speeds);
  host->set_core_count(static_cast<int>(unit.AtFullSpeed()));
  if (HasTotal(id)) {
    host->set_sharing_policy(sg4::Host::SharingPolicy::NONLINEAR,
                             [&total = totals_[id.index()]](double all, int) { return all * total; });
  }
  if (energy_) SetWatts(*host, draws, unit.AtFullSpeed());
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
  for (std::size_t u = 0; u < problem_.units(); ++u) slowed_.push_back(IsSlowed(UnitId(u)) ? 1 : 0);
  const bool any_slowed = std::find(slowed_.begin(), slowed_.end(), 1) != slowed_.end();
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
    if (any_slowed) begins_.push_back(AddOther(zone, "begin" + std::to_string(l)));
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

bool FluidPlatform::IsSlowed(UnitId unit) const {
  if (speeds_[unit.index()].all.size() > 1) return true;
  for (std::size_t s = 0; s < problem_.segments().size(); ++s) {
    if (problem_.slowdowns().Background(SegmentId(s), unit) != 1) return true;
  }
  return false;
}

void FluidPlatform::AddCopies(sg4::NetZone& zone, UnitId unit) {
  for (std::size_t l = 0; l < over_.size(); ++l) AddWayToSlots(zone, *begins_[l], over_[l], unit);
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
    if (!loads.empty()) AddWayToSlots(zone, *host(MemoryId(0)), loads, unit);
    if (MovesOwn(unit) && (loads.empty() || memory != MemoryId(0)))
      AddWayToSlots(zone, *host(memory), {of_memory_[memory.index()]}, unit);
    if (slowed_[u] != 0) AddCopies(zone, unit);
  }
}

void FluidPlatform::AddWayToSlots(sg4::NetZone& zone, sg4::Host& from, std::vector<sg4::Link*> way,
                                  UnitId unit) {
  way.push_back(nullptr);
  for (std::size_t s = 0; s < problem_.places().slots(unit); ++s) {
    const std::size_t place = problem_.places().At(unit, SlotId(s)).index();
    if (ends_[place] == nullptr) {
      ends_[place] = AddOther(zone, "place" + std::to_string(place));
      brakes_[place] = LinkOf(zone, "brake" + std::to_string(place), 1);
    }
    way.back() = brakes_[place];
    AddWay(zone, from, *ends_[place], way);
  }
}

// So that it ends with the work where nothing is in its way: SimGrid takes whole grains.
FluidFlow FluidPlatform::AtPace(sg4::Host* from, PlaceId place, double grains, Nanos work) const {
  const double whole = std::max(std::floor(grains), 1.0);
  return {from, ends_[place.index()], whole, brakes_[place.index()],
          whole / static_cast<double>(work.count())};
}

// No more than the memory gives: its work was profiled alone, however much others feel of it.
std::optional<FluidFlow> FluidPlatform::TaskFlow(SegmentId segment, PlaceId place, Nanos work) const {
  const UnitId unit = problem_.places().UnitOf(place);
  const MemoryId memory = problem_.MemoryOf(unit);
  const double pace = GrainsANano(problem_.slowdowns().Traffic(segment, unit).value_or(0));
  const sg4::Link* const given = of_memory_[memory.index()];
  if (pace <= 0 || given == nullptr) return std::nullopt;
  const double least = std::min(pace, given->get_bandwidth());
  return AtPace(host(memory), place, static_cast<double>(work.count()) * least, work);
}

std::optional<FluidFlow> FluidPlatform::LoadFlow(ModelId model, PlaceId place, Nanos work) const {
  const UnitId unit = problem_.places().UnitOf(place);
  const OnChip& chips = problem_.scenario().costs->on_chip();
  const auto& variant = problem_.scenario().units[unit.index()].variant;
  const std::int64_t bytes = chips.Has(unit) && variant ? chips.BytesThatStay(model, unit, *variant)
                                                        : problem_.WeightBytes(model, unit);
  const double most = load_paces_[unit.index()] * static_cast<double>(work.count());
  const double grains = std::min(static_cast<double>(bytes) * kGrains, most);
  if (grains < 1) return std::nullopt;
  return AtPace(host(MemoryId(0)), place, grains, work);
}

FluidFlow FluidPlatform::CopyFlow(const Step& step, PlaceId place, Nanos work) const {
  const double alone =
      GrainsANano(problem_.platform().AloneOver(problem_.platform().links[step.link.index()]));
  const double grains = static_cast<double>(work.count()) * alone;
  const UnitId unit = problem_.places().UnitOf(place);
  if (unit.index() < problem_.units() && slowed_[unit.index()] != 0)
    return AtPace(begins_[step.link.index()], place, grains, work);
  return {host(step.from), host(step.to), grains};
}

bool FluidPlatform::SetSpeed(UnitId unit, Nanos now, double by_heat) {
  Speeds& speeds = speeds_[unit.index()];
  const double before = speeds.now;
  const auto next = std::upper_bound(speeds.by_date.begin(), speeds.by_date.end(), now,
                                     [](Nanos date, const UnitSpeed& speed) { return date < speed.at; });
  speeds.now = (next == speeds.by_date.begin() ? 1 : (next - 1)->speed) * by_heat;
  const auto at = std::find(speeds.all.begin(), speeds.all.end(), speeds.now);
  TANDEM_CHECK(at != speeds.all.end(), "every speed of a unit has a pstate");
  const unsigned long wanted = speeds.first + static_cast<unsigned long>(at - speeds.all.begin());
  sg4::Host* const host = units_[unit.index()];
  if (host->get_pstate() != wanted) host->set_pstate(wanted);
  return speeds.now != before;
}

}  // namespace tandem
