#include "sim/engine/fluid_runner.h"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <simgrid/kernel/ProfileBuilder.hpp>
#include <simgrid/kernel/Timer.hpp>
#include <unordered_map>

#include "profiles/base/check.h"
#include "profiles/base/json_write.h"
#include "sim/engine/simgrid_engine.h"

namespace tandem {
namespace {

namespace sg4 = simgrid::s4u;
using simgrid::kernel::timer::Timer;

// Flows are counted in thousandths of bytes, since SimGrid takes whole ones of them.
constexpr double kGrains = 1000;
constexpr double kNanosASecond = 1e9;
// What ends so little behind a nanosecond ends at it: that is SimGrid's rounding.
constexpr double kRounding = 1e-3;

double GrainsANano(double bytes_per_s) { return bytes_per_s / kNanosASecond * kGrains; }

class FluidRunner final : public Runner {
 public:
  explicit FluidRunner(const Problem& problem);

  void Run(Dispatcher& dispatcher) override;
  void Start(const Occupation& occupation, Nanos work) override;
  void SetRate(const Occupation&) override {}  // its own physics say how fast anything is
  void Stop(const Occupation& occupation) override;
  void WakeAt(Nanos date) override { wake_up_ = date; }

  void ReadJoules(Outcome& outcome) const;

 private:
  struct Way {
    sg4::Host *from = nullptr, *to = nullptr;
    double grains = 0, pace = 0;  // 0: as fast as it goes
  };
  struct Slot {
    PlaceId place;
    UnitId unit;
    sg4::Host* host = nullptr;
    std::int64_t urgency = 0;  // of its task
    sg4::ExecPtr work;
    sg4::CommPtr flow;
    sg4::ActivityPtr ended;     // SimGrid touches an activity after its callback: it goes with the next one
    Way way;                    // of its flow
    bool flow_follows = false;  // it begins when the work, which is its latency, has ended
    int open = 0;               // of the two
    Nanos end{0};
  };

  sg4::Host* AddUnit(sg4::NetZone& zone, UnitId id);
  sg4::Host* AddOther(sg4::NetZone& zone, const std::string& name) const;
  void AddHosts(sg4::NetZone& zone);
  void SetSpeeds(sg4::Host& host, UnitId unit) const;
  void SetStates();
  void AddNetwork(sg4::NetZone& zone);
  void StartWork(Slot& slot, double nanos);
  void Preempt(UnitId unit);
  void StartFlow(Slot& slot);
  void StartCopy(Slot& slot, const Step& step, Nanos work);
  void StartTask(Slot& slot, const Occupation& occupation, Nanos work);
  void Completed(const sg4::Activity* activity);
  void Settle();
  void SetTimer();
  bool AllReported() const;

  const Problem& problem_;
  bool energy_;
  sg4::Engine& engine_;
  Dispatcher* dispatcher_ = nullptr;
  std::vector<sg4::Host*> units_;      // per unit and engine
  std::vector<unsigned long> states_;  // per unit: the pstate of the state that it is in
  std::vector<sg4::Host*> memories_;   // per memory
  std::vector<Slot> slots_;            // per place
  std::unordered_map<const sg4::Activity*, Slot*> running_;
  std::vector<PlaceId> ended_, due_;
  std::vector<sg4::ActivityPtr> stopped_;
  Nanos wake_up_ = kNever;
  Timer* timer_ = nullptr;
};

bool AllHaveWatts(const Platform& platform) {
  return std::all_of(platform.units.begin(), platform.units.end(), [](const Unit& unit) {
    const Watts draws = unit.Draws();
    return draws.idle && draws.busy;
  });
}

FluidRunner::FluidRunner(const Problem& problem)
    : problem_(problem), energy_(AllHaveWatts(problem.platform())), engine_(MakeSimGridEngine()) {
  if (energy_) CountEnergy();
  sg4::NetZone* const zone = MakeZone(engine_);
  AddHosts(*zone);
  AddNetwork(*zone);
  zone->seal();
  OnCompletion([this](const sg4::Activity& activity) { Completed(&activity); });
}

// Dates and speeds, a line each.
void FluidRunner::SetSpeeds(sg4::Host& host, UnitId unit) const {
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
sg4::Host* FluidRunner::AddUnit(sg4::NetZone& zone, UnitId id) {
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
  if (energy_) SetWatts(*host, draws, unit.AtFullSpeed());
  states_.push_back(now);
  return host->seal();
}

// Of what is no unit, and draws nothing of its own.
sg4::Host* FluidRunner::AddOther(sg4::NetZone& zone, const std::string& name) const {
  sg4::Host* const host = MakeHost(zone, name, {1});
  if (energy_) SetWatts(*host, {{0, 0}}, 1);
  return host->seal();
}

// A unit is a host of as many cores as tasks that it runs at full speed; more of them share it.
void FluidRunner::AddHosts(sg4::NetZone& zone) {
  const Places& places = problem_.places();
  for (std::size_t u = 0; u < places.units(); ++u) {
    units_.push_back(u < problem_.units() ? AddUnit(zone, UnitId(u))
                                          : AddOther(zone, "engine" + std::to_string(u)));
  }
  for (std::size_t p = 0; p < places.size(); ++p) {
    Slot& slot = slots_.emplace_back();
    slot.place = PlaceId(p);
    slot.unit = places.UnitOf(slot.place);
    slot.host = units_[slot.unit.index()];
  }
}

void FluidRunner::AddNetwork(sg4::NetZone& zone) {
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
void FluidRunner::SetStates() {
  for (std::size_t u = 0; u < problem_.units(); ++u) {
    const unsigned long wanted = states_[u] + (dispatcher_->SpeedByHeat(UnitId(u)) < 1 ? 1 : 0);
    if (units_[u]->get_pstate() != wanted) units_[u]->set_pstate(wanted);
  }
}

// Of the makespan: before and after it all units are idle.
void FluidRunner::ReadJoules(Outcome& outcome) const {
  if (!energy_) return;
  const double outside =
      (sg4::Engine::get_clock() - static_cast<double>(outcome.makespan().count())) / kNanosASecond;
  for (std::size_t u = 0; u < outcome.units.size(); ++u) {
    const Watts draws = problem_.platform().units[u].Draws();
    outcome.units[u].plugin_joules = JoulesOf(*units_[u]) - *draws.idle * outside;
  }
}

void FluidRunner::Run(Dispatcher& dispatcher) {
  dispatcher_ = &dispatcher;
  dispatcher.OnInstant(*this, Nanos{0}, {});
  SetStates();
  SetTimer();
  engine_.run();
  TANDEM_CHECK(running_.empty(), "SimGrid ends everything that it starts");
}

// As TaskRates has it: the most urgent of those at work share what the others leave, a thousandth each.
void FluidRunner::Preempt(UnitId unit) {
  if (unit.index() >= problem_.units() || !problem_.platform().unit(unit).preempts) return;
  std::int64_t most_urgent = INT64_MIN;
  int working = 0, sharing = 0;
  const auto works = [&](const Slot& slot) {
    return slot.unit == unit && slot.work && running_.count(slot.work.get()) > 0;
  };
  for (const Slot& slot : slots_) {
    if (!works(slot)) continue;
    ++working;
    if (slot.urgency > most_urgent) sharing = 0;
    most_urgent = std::max(most_urgent, slot.urgency);
    sharing += slot.urgency == most_urgent ? 1 : 0;
  }
  const int left = std::max(kFullRate - (working - sharing), 1);
  for (const Slot& slot : slots_) {
    if (works(slot))
      slot.work->update_priority(slot.urgency == most_urgent ? static_cast<double>(left) / sharing : 1);
  }
}

void FluidRunner::StartWork(Slot& slot, double nanos) {
  ++slot.open;
  slot.work = sg4::Exec::init();
  running_[slot.work.get()] = &slot;
  slot.work->set_flops_amount(nanos)->set_host(slot.host);
  slot.work->start();
  Preempt(slot.unit);
}

// SimGrid takes a pace before it knows whence and where to, and may begin once it knows.
void FluidRunner::StartFlow(Slot& slot) {
  slot.flow = sg4::Comm::sendto_init();
  running_[slot.flow.get()] = &slot;
  const auto grains = static_cast<std::uint64_t>(std::llround(std::max(slot.way.grains, 1.0)));
  slot.flow->set_payload_size(grains);
  if (slot.way.pace > 0) slot.flow->set_rate(slot.way.pace);
  slot.flow->set_source(slot.way.from);
  slot.flow->set_destination(slot.way.to);
  if (slot.flow->get_state() != sg4::Activity::State::STARTED) slot.flow->start();
}

// Its latency, then as many bytes as take what is left of its time where nothing else is under way.
void FluidRunner::StartCopy(Slot& slot, const Step& step, Nanos work) {
  const Platform& platform = problem_.platform();
  const Link& link = platform.links[step.link.index()];
  const Nanos latency = std::min(link.latency, work);
  if (latency < work) {
    ++slot.open;
    slot.way = {memories_[step.from.index()], memories_[step.to.index()],
                static_cast<double>((work - latency).count()) * GrainsANano(platform.AloneOver(link)), 0};
  }
  slot.flow_follows = latency > Nanos{0} && latency < work;
  if (latency > Nanos{0}) return StartWork(slot, static_cast<double>(latency.count()));
  StartFlow(slot);
}

// Loads have a time alone. A task moves what it moves at an even pace while it works.
void FluidRunner::StartTask(Slot& slot, const Occupation& occupation, Nanos work) {
  const UnitId unit = occupation.unit;
  const SegmentId segment = occupation.task.segment;
  const double nanos = static_cast<double>(work.count()) * problem_.slowdowns().Background(segment, unit);
  const bool computes =
      occupation.steps.empty() || occupation.steps[occupation.step].kind == StepKind::kCompute;
  const std::optional<double> traffic = problem_.slowdowns().Traffic(segment, unit);
  const MemoryId memory = problem_.MemoryOf(unit);
  if (computes && traffic && *traffic > 0 &&
      problem_.platform().memories[memory.index()].bandwidth_bytes_per_s) {
    const double pace = GrainsANano(*traffic);
    ++slot.open;
    slot.way = {memories_[memory.index()], slot.host, nanos * pace, pace};
    StartFlow(slot);
  }
  StartWork(slot, nanos);
}

void FluidRunner::Start(const Occupation& occupation, Nanos work) {
  Slot& slot = slots_[occupation.place.index()];
  slot.open = 0;
  slot.flow_follows = false;
  slot.urgency = problem_.scenario().streams[occupation.task.stream.index()].priority;
  const bool steps = occupation.step < occupation.steps.size();
  if (steps && occupation.steps[occupation.step].link.valid())
    return StartCopy(slot, occupation.steps[occupation.step], work);
  StartTask(slot, occupation, work);
}

void FluidRunner::Stop(const Occupation& occupation) {
  Slot& slot = slots_[occupation.place.index()];
  std::erase(ended_, slot.place);
  slot.open = 0;
  slot.flow_follows = false;
  for (const sg4::ActivityPtr& activity : {sg4::ActivityPtr(slot.work), sg4::ActivityPtr(slot.flow)}) {
    if (!activity || running_.erase(activity.get()) == 0) continue;
    stopped_.push_back(activity);
    activity->cancel();
  }
  Preempt(slot.unit);
}

bool FluidRunner::AllReported() const {
  const auto& models = engine_.get_all_models();
  return std::all_of(models.begin(), models.end(),
                     [](auto* model) { return model->get_finished_action_set()->empty(); });
}

void FluidRunner::Completed(const sg4::Activity* activity) {
  const auto found = running_.find(activity);
  if (found == running_.end()) return;
  Slot& slot = *found->second;
  running_.erase(found);
  if (activity == slot.work.get()) Preempt(slot.unit);
  if (slot.flow_follows) {
    slot.flow_follows = false;
    --slot.open;
    slot.ended = slot.work;
    StartFlow(slot);
  } else if (--slot.open == 0) {
    slot.ended = activity == slot.work.get() ? sg4::ActivityPtr(slot.work) : sg4::ActivityPtr(slot.flow);
    slot.end = Nanos{static_cast<std::int64_t>(std::ceil(sg4::Engine::get_clock() - kRounding))};
    ended_.push_back(slot.place);
  }
  if (AllReported()) Settle();
}

// Everything that SimGrid has for this date has been seen: is it an instant?
void FluidRunner::Settle() {
  const Nanos now{static_cast<std::int64_t>(std::floor(sg4::Engine::get_clock() + kRounding))};
  due_.clear();
  std::erase_if(ended_, [&](PlaceId place) {
    const bool due = slots_[place.index()].end <= now;
    if (due) due_.push_back(place);
    return due;
  });
  std::sort(due_.begin(), due_.end());
  const bool wake = wake_up_ <= now;
  if (wake) wake_up_ = kNever;
  if (!due_.empty() || wake) {
    dispatcher_->OnInstant(*this, now, due_);
    SetStates();
  }
  SetTimer();
}

void FluidRunner::SetTimer() {
  Nanos date = wake_up_;
  for (const PlaceId place : ended_) date = std::min(date, slots_[place.index()].end);
  if (timer_ != nullptr) timer_->remove();
  timer_ = nullptr;
  if (date == kNever) return;
  const double at = std::max(static_cast<double>(date.count()), sg4::Engine::get_clock());
  timer_ = Timer::set(at, [this] {
    timer_ = nullptr;
    if (AllReported()) Settle();
  });
}

}  // namespace

Outcome RunFluid(const Problem& problem, Policy& policy, const RunOptions& options) {
  Dispatcher dispatcher(problem, policy, options);
  FluidRunner runner(problem);
  runner.Run(dispatcher);
  Outcome outcome = dispatcher.TakeOutcome();
  runner.ReadJoules(outcome);
  return outcome;
}

}  // namespace tandem
