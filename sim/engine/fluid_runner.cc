#include "sim/engine/fluid_runner.h"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <set>
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

// More levels of urgency than SimGrid's numbers tell apart.
constexpr std::size_t kMostLevels = 2;

double GrainsANano(double bytes_per_s) { return bytes_per_s / kNanosASecond * kGrains; }

class FluidRunner final : public Runner {
 public:
  explicit FluidRunner(const Problem& problem);

  void Run(Dispatcher& dispatcher) override;
  void Start(const Occupation& occupation, Nanos work) override;
  void SetRate(const Occupation&) override {}  // its own physics say how fast anything is
  void Stop(const Occupation& occupation) override;
  void WakeAt(Nanos date) override { wake_up_ = date; }

 private:
  struct Way {
    sg4::Host *from = nullptr, *to = nullptr;
    double grains = 0, pace = 0;  // 0: as fast as it goes
  };
  struct Slot {
    PlaceId place;
    sg4::Host* host = nullptr;
    sg4::ExecPtr work;
    sg4::CommPtr flow;
    sg4::ActivityPtr ended;     // SimGrid touches an activity after its callback: it goes with the next one
    Way way;                    // of its flow
    bool flow_follows = false;  // it begins when the work, which is its latency, has ended
    int open = 0;               // of the two
    Nanos end{0};
  };

  void AddHosts(sg4::NetZone& zone);
  void SetSpeeds(sg4::Host& host, UnitId unit) const;
  void HoldBack();
  void AddNetwork(sg4::NetZone& zone);
  void StartWork(Slot& slot, double nanos, double share = 1);
  double ShareOf(const Occupation& occupation) const;
  void StartFlow(Slot& slot);
  void StartCopy(Slot& slot, const Step& step, Nanos work);
  void StartTask(Slot& slot, const Occupation& occupation, Nanos work);
  void Completed(const sg4::Activity* activity);
  void Settle();
  void SetTimer();
  bool AllReported() const;

  const Problem& problem_;
  sg4::Engine& engine_;
  Dispatcher* dispatcher_ = nullptr;
  std::vector<sg4::Host*> units_;     // per unit and engine
  std::vector<sg4::Host*> memories_;  // per memory
  std::vector<Slot> slots_;           // per place
  std::unordered_map<const sg4::Activity*, Slot*> running_;
  std::vector<PlaceId> ended_, due_;
  std::vector<sg4::ActivityPtr> stopped_;
  Nanos wake_up_ = kNever;
  Timer* timer_ = nullptr;
};

FluidRunner::FluidRunner(const Problem& problem) : problem_(problem), engine_(MakeSimGridEngine()) {
  sg4::NetZone* const zone = MakeZone(engine_);
  AddHosts(*zone);
  AddNetwork(*zone);
  zone->seal();
  const auto completed = [this](const sg4::Activity& activity) { Completed(&activity); };
  sg4::Exec::on_completion_cb(completed);
#if SIMGRID_VERSION >= 33500
  sg4::Comm::on_completion_cb(completed);  // before, one signal was all activities'
#endif
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

// A unit is a host of as many cores as tasks that it runs at full speed; more of them share it.
void FluidRunner::AddHosts(sg4::NetZone& zone) {
  const Places& places = problem_.places();
  for (std::size_t u = 0; u < places.units(); ++u) {
    const bool engine = u >= problem_.units();
    std::vector<double> speeds = {1};
    for (const UnitHeat& heat : problem_.scenario().heat) {
      if (!engine && heat.unit == UnitId(u)) speeds.push_back(heat.speed);
    }
    sg4::Host* const host = MakeHost(zone, "unit" + std::to_string(u), speeds);
    if (!engine) SetSpeeds(*host, UnitId(u));
    host->set_core_count(engine ? 1 : static_cast<int>(problem_.platform().units[u].AtFullSpeed()));
    host->seal();
    units_.push_back(host);
  }
  for (std::size_t p = 0; p < places.size(); ++p) {
    Slot& slot = slots_.emplace_back();
    slot.place = PlaceId(p);
    slot.host = units_[places.UnitOf(slot.place).index()];
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
    memories_.push_back(MakeHost(zone, name, {1})->seal());
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

// The second speed of a unit's host is the one to which heat holds it back.
void FluidRunner::HoldBack() {
  for (const UnitHeat& heat : problem_.scenario().heat) {
    sg4::Host& host = *units_[heat.unit.index()];
    const unsigned long wanted = dispatcher_->SpeedByHeat(heat.unit) < 1 ? 1 : 0;
    if (host.get_pstate() != wanted) host.set_pstate(wanted);
  }
}

void FluidRunner::Run(Dispatcher& dispatcher) {
  dispatcher_ = &dispatcher;
  dispatcher.OnInstant(*this, Nanos{0}, {});
  HoldBack();
  SetTimer();
  engine_.run();
  TANDEM_CHECK(running_.empty(), "SimGrid ends everything that it starts");
}

// Of a unit that preempts: a thousand times as much as the next less urgent stream has.
double FluidRunner::ShareOf(const Occupation& occupation) const {
  if (!problem_.platform().unit(occupation.unit).preempts) return 1;
  std::set<std::int64_t> less_urgent;
  for (const Stream& stream : problem_.scenario().streams) {
    if (stream.priority < problem_.scenario().streams[occupation.task.stream.index()].priority)
      less_urgent.insert(stream.priority);
  }
  return std::pow(kFullRate, static_cast<double>(std::min(less_urgent.size(), kMostLevels)));
}

void FluidRunner::StartWork(Slot& slot, double nanos, double share) {
  ++slot.open;
  slot.work = sg4::Exec::init();
  running_[slot.work.get()] = &slot;
  slot.work->set_flops_amount(nanos)->set_host(slot.host);
  if (share != 1) slot.work->set_priority(share);
  slot.work->start();
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
  StartWork(slot, nanos, ShareOf(occupation));
}

void FluidRunner::Start(const Occupation& occupation, Nanos work) {
  Slot& slot = slots_[occupation.place.index()];
  slot.open = 0;
  slot.flow_follows = false;
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
    HoldBack();
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
  return dispatcher.TakeOutcome();
}

}  // namespace tandem
