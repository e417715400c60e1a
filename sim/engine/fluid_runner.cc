#include "sim/engine/fluid_runner.h"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <unordered_map>
#include <utility>

#include "profiles/base/check.h"
#include "sim/engine/fluid_platform.h"

namespace tandem {
namespace {

namespace sg4 = simgrid::s4u;

// What ends so little behind a nanosecond ends at it: that is SimGrid's rounding.
constexpr double kRounding = 1e-3;

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
  struct Slot {
    PlaceId place;
    UnitId unit;
    sg4::Host* host = nullptr;
    bool shares = false;       // is it told how much of its unit it gets?
    SegmentId segment;         // of its task
    std::int64_t urgency = 0;  // the same
    sg4::ExecPtr work;
    double rest = 0;  // what is left of the work while it rests, in nanoseconds alone
    sg4::CommPtr flow;
    sg4::ActivityPtr ended;     // SimGrid touches an activity after its callback: it goes with the next one
    FluidFlow way;              // of its flow
    double slowdown = 1;        // of all that it does, by a load from outside
    bool flow_follows = false;  // it begins when the work, which is its latency, has ended
    int open = 0;               // of the two
    Nanos end{0};
  };

  void AddSlots();
  void SetSpeeds(Nanos now);
  void Brake(const Slot& slot, double speed) const;
  void StartWork(Slot& slot, Nanos work);
  void StartExec(Slot& slot, double amount);
  void Rest(Slot& slot);
  bool Works(const Slot& slot) const { return slot.work && running_.count(slot.work.get()) > 0; }
  double SharedBy(const Slot& slot, const std::vector<SegmentId>& sharing, std::size_t own) const;
  void Share(const Slot& of);
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
  FluidPlatform platform_;
  Dispatcher* dispatcher_ = nullptr;
  std::vector<Slot> slots_;  // per place
  std::unordered_map<const sg4::Activity*, Slot*> running_;
  std::vector<PlaceId> ended_, due_;
  Cancelled stopped_;
  Nanos wake_up_ = kNever;
  SimGridTimer* timer_ = nullptr;
};

bool AllHaveWatts(const Platform& platform) {
  return std::all_of(platform.units.begin(), platform.units.end(), [](const Unit& unit) {
    const Watts draws = unit.Draws();
    return draws.idle && draws.busy;
  });
}

sg4::Engine& EngineOf(bool energy) {
  sg4::Engine& engine = MakeSimGridEngine();
  if (energy) CountEnergy();
  return engine;
}

FluidRunner::FluidRunner(const Problem& problem)
    : problem_(problem),
      energy_(AllHaveWatts(problem.platform())),
      engine_(EngineOf(energy_)),
      platform_(problem, *MakeZone(engine_), energy_) {
  AddSlots();
  OnCompletion([this](const sg4::Activity& activity) { Completed(&activity); });
}

void FluidRunner::AddSlots() {
  const Places& places = problem_.places();
  for (std::size_t p = 0; p < places.size(); ++p) {
    Slot& slot = slots_.emplace_back();
    slot.place = PlaceId(p);
    slot.unit = places.UnitOf(slot.place);
    slot.host = platform_.host(slot.unit);
    if (slot.unit.index() >= problem_.units()) continue;
    const Unit& unit = problem_.platform().unit(slot.unit);
    slot.shares = unit.preempts || platform_.HasTotal(slot.unit);
  }
}

// As far as units have come by this instant: the dispatcher asks for one whenever a speed changes.
void FluidRunner::SetSpeeds(Nanos now) {
  for (std::size_t u = 0; u < problem_.units(); ++u) {
    const UnitId unit(u);
    if (!platform_.SetSpeed(unit, now, dispatcher_->SpeedByHeat(unit))) continue;
    for (const Slot& slot : slots_) {
      if (slot.unit == unit && slot.way.brake != nullptr) Brake(slot, platform_.speed(unit));
    }
  }
}

// What a slot moves goes as fast as the slot does.
void FluidRunner::Brake(const Slot& slot, double speed) const {
  slot.way.brake->set_bandwidth(slot.way.pace / slot.slowdown * speed);
}

// Of the makespan: before and after it all units are idle.
void FluidRunner::ReadJoules(Outcome& outcome) const {
  if (!energy_) return;
  const double outside =
      (sg4::Engine::get_clock() - static_cast<double>(outcome.makespan().count())) / kNanosPerSecond;
  for (std::size_t u = 0; u < outcome.units.size(); ++u) {
    const Watts draws = problem_.platform().units[u].Draws();
    outcome.units[u].plugin_joules = JoulesOf(*platform_.host(UnitId(u))) - *draws.idle * outside;
  }
}

void FluidRunner::Run(Dispatcher& dispatcher) {
  dispatcher_ = &dispatcher;
  dispatcher.OnInstant(*this, Nanos{0}, {});
  SetSpeeds(Nanos{0});
  SetTimer();
  engine_.run();
  TANDEM_CHECK(running_.empty(), "SimGrid ends everything that it starts");
}

// By how much the slot's task is slowed down by those that share its unit, of which it is one.
double FluidRunner::SharedBy(const Slot& slot, const std::vector<SegmentId>& sharing, std::size_t own) const {
  const Slowdowns& known = problem_.slowdowns();
  const bool apart = dispatcher_->leaves_alone();
  if (sharing.size() == 1 || !known.sharing_by_pairs())
    return known.Sharing(slot.segment, slot.unit, static_cast<std::int64_t>(sharing.size()), apart);
  std::vector<SegmentId> others = sharing;
  others.erase(others.begin() + static_cast<std::ptrdiff_t>(own));
  return known.SharingWith(slot.segment, slot.unit, others, apart);
}

// As TaskRates has it: those of a unit share it, by what a profile knows of as many at once, or of these
// models; where it preempts, the most urgent ones do, and the work of all others rests. A priority is a
// weight, so each gets its part of what all together get.
void FluidRunner::Share(const Slot& of) {
  if (!of.shares) return;
  const bool preempts = problem_.platform().unit(of.unit).preempts;
  std::int64_t most_urgent = INT64_MIN;
  std::vector<SegmentId> sharing;  // in the order of their slots
  for (const Slot& slot : slots_) {
    if (slot.unit != of.unit || (!Works(slot) && slot.rest == 0)) continue;
    if (preempts && slot.urgency > most_urgent) sharing.clear();
    most_urgent = std::max(most_urgent, slot.urgency);
    if (!preempts || slot.urgency == most_urgent) sharing.push_back(slot.segment);
  }
  double total = 0;
  std::size_t shares = 0;
  for (Slot& slot : slots_) {
    if (slot.unit != of.unit || (!Works(slot) && slot.rest == 0)) continue;
    if (preempts && slot.urgency != most_urgent) {
      Rest(slot);
      continue;
    }
    if (slot.rest > 0) StartExec(slot, std::exchange(slot.rest, 0));
    const double part = kFullRate / SharedBy(slot, sharing, shares++);
    slot.work->update_priority(part);
    total += part;
  }
  if (!sharing.empty()) platform_.SetTotal(of.unit, total / kFullRate);
}

// Until it goes on as another one. What is left of it by SimGrid's rounding alone ends now.
void FluidRunner::Rest(Slot& slot) {
  if (slot.rest > 0) return;
  const double left = slot.work->get_remaining();
  if (left <= kRounding) return;
  slot.rest = left;
  running_.erase(slot.work.get());
  stopped_.Cancel(std::move(slot.work));
}

void FluidRunner::StartExec(Slot& slot, double amount) {
  slot.work = sg4::Exec::init();
  running_[slot.work.get()] = &slot;
  slot.work->set_flops_amount(amount)->set_host(slot.host);
  slot.work->start();
}

void FluidRunner::StartWork(Slot& slot, Nanos work) {
  ++slot.open;
  StartExec(slot, static_cast<double>(work.count()) * slot.slowdown);
  Share(slot);
}

// The narrowest link at its start bounds a flow as long as it lasts: that has to be what the unit's top speed
// leaves.
void FluidRunner::StartFlow(Slot& slot) {
  slot.flow = sg4::Comm::sendto_init();
  running_[slot.flow.get()] = &slot;
  const auto grains = static_cast<std::uint64_t>(std::llround(std::max(slot.way.grains, 1.0)));
  slot.flow->set_payload_size(grains);
  if (slot.way.brake != nullptr) Brake(slot, platform_.TopSpeed(slot.unit));
  slot.flow->set_source(slot.way.from);
  slot.flow->set_destination(slot.way.to);
  if (slot.flow->get_state() != sg4::Activity::State::STARTED) slot.flow->start();
  if (slot.way.brake != nullptr) Brake(slot, platform_.speed(slot.unit));
}

// Its latency, then as many bytes as take what is left of its time where nothing else is under way.
void FluidRunner::StartCopy(Slot& slot, const Step& step, Nanos work) {
  const Nanos latency = std::min(problem_.platform().links[step.link.index()].latency, work);
  if (latency < work) {
    ++slot.open;
    slot.way = platform_.CopyFlow(step, slot.place, work - latency);
  }
  slot.flow_follows = latency > Nanos{0} && latency < work;
  if (latency > Nanos{0}) return StartWork(slot, latency);
  StartFlow(slot);
}

// What it moves it moves at an even pace: a load the weights, a task what a profile has seen.
void FluidRunner::StartTask(Slot& slot, const Occupation& occupation, Nanos work) {
  const SegmentId segment = occupation.task.segment;
  const bool loads = !occupation.steps.empty() && occupation.steps[occupation.step].kind == StepKind::kLoad;
  const std::optional<FluidFlow> flow = loads
                                            ? platform_.LoadFlow(problem_.model_of(segment), slot.place, work)
                                            : platform_.TaskFlow(segment, slot.place, work);
  if (flow) {
    ++slot.open;
    slot.way = *flow;
    StartFlow(slot);
  }
  StartWork(slot, work);
}

void FluidRunner::Start(const Occupation& occupation, Nanos work) {
  Slot& slot = slots_[occupation.place.index()];
  slot.open = 0;
  slot.rest = 0;
  slot.flow_follows = false;
  slot.segment = occupation.task.segment;
  slot.urgency = problem_.scenario().streams[occupation.task.stream.index()].priority;
  if (slot.unit.index() < problem_.units())  // copy engines go by nothing
    slot.slowdown = problem_.slowdowns().Background(slot.segment, slot.unit);
  const bool steps = occupation.step < occupation.steps.size();
  if (steps && occupation.steps[occupation.step].link.valid())
    return StartCopy(slot, occupation.steps[occupation.step], work);
  StartTask(slot, occupation, work);
}

void FluidRunner::Stop(const Occupation& occupation) {
  Slot& slot = slots_[occupation.place.index()];
  std::erase(ended_, slot.place);
  slot.open = 0;
  slot.rest = 0;
  slot.flow_follows = false;
  for (const sg4::ActivityPtr& activity : {sg4::ActivityPtr(slot.work), sg4::ActivityPtr(slot.flow)}) {
    if (!activity || running_.erase(activity.get()) == 0) continue;
    stopped_.Cancel(activity);
  }
  Share(slot);
}

bool FluidRunner::AllReported() const {
  const auto& models = ModelsOf(engine_);
  return std::all_of(models.begin(), models.end(), [](SimGridModel* model) { return HasReported(*model); });
}

void FluidRunner::Completed(const sg4::Activity* activity) {
  const auto found = running_.find(activity);
  if (found == running_.end()) return;
  Slot& slot = *found->second;
  running_.erase(found);
  if (activity == slot.work.get()) Share(slot);
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
    SetSpeeds(now);
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
  timer_ = SimGridTimer::set(at, [this] {
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
