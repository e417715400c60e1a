// The library that LoadSimGrid loads: it takes all else of tandem from the program.
//
// One simulated second is one nanosecond: dates are integers in doubles, and events 1 ns apart stay apart.
#include <algorithm>
#include <cmath>
#include <cstdint>

#include "policies/engine/copy_shares.h"
#include "policies/engine/occupation.h"
#include "policies/engine/rates.h"
#include "policies/engine/runner.h"
#include "profiles/base/check.h"
#include "profiles/base/input_error.h"
#include "sim/engine/fluid_runner.h"
#include "sim/engine/simgrid_engine.h"
#include "sim/engine/simgrid_library.h"

namespace tandem {
namespace {

namespace sg4 = simgrid::s4u;
// In thousandths of a nanosecond a double still counts this exactly.
constexpr Nanos kLongestSlowed{(std::int64_t{1} << 53) / kFullRate};

SimGridModel* CpuModel(const sg4::Engine& engine) {
  for (SimGridModel* model : ModelsOf(engine)) {
    if (model->get_name() == "Cpu_Cas01") return model;
  }
  throw EnvironmentError("SimGrid " + VersionOfSimGrid() +
                         " has no processor model of the kind that tandem needs");
}

[[noreturn, gnu::noinline]] void FailTooLong(const std::string& file) {
  throw InputError(
      file + ": a task of more than 2.5 hours, slowed down by load or by its neighbours, is longer than " +
      "SimGrid's numbers stay exact; the virtual engine takes it");
}

class SimGridRunner final : public Runner {
 public:
  SimGridRunner(const Problem& problem, const SimGridOptions& options);

  void Run(Dispatcher& dispatcher) override;
  void Start(const Occupation& slot, Nanos work) override;
  void SetRate(const Occupation& slot) override;
  void Stop(const Occupation& slot) override;
  void WakeAt(Nanos date) override;

  void ReadJoules(Outcome& outcome) const;

 private:
  struct Slot {
    PlaceId place;
    sg4::Host* host = nullptr;
    sg4::ExecPtr running;
    sg4::ExecPtr ended;  // SimGrid touches an Exec after its completion callback: it goes with the next one
    Nanos end{0};
    bool rests = false;  // what it has under way goes on as another Exec
  };

  void AddHosts(const Problem& problem, sg4::NetZone& zone);
  inline void StartExec(Slot& slot, double amount, Rate rate);
  void Completed(Slot& slot, const sg4::Activity& activity);
  void Timed();
  void Settle();
  void TakeEnded();
  void SetTimer();
  // Have all that end at this date been reported?
  bool AllReported() const { return HasReported(*model_); }

  const std::string& file_;
  // May occupations be slowed down, and how fast do they get? Then amounts are thousandths of nanoseconds.
  Rate top_;  // 0: they may not
  bool energy_;
  sg4::Engine& engine_;
  SimGridModel* model_ = nullptr;
  Dispatcher* dispatcher_ = nullptr;
  std::vector<Slot> slots_;         // per place
  std::vector<Slot*> ended_slots_;  // ended as SimGrid reports, not yet told
  std::vector<PlaceId> ended_;
  Cancelled stopped_;
  Nanos now_{0};  // SimGrid's clock, rounded down: only a whole nanosecond can be an instant
  SimGridTimer* timer_ = nullptr;
  Nanos timer_date_ = kNever;
  Nanos wake_up_ = kNever;
};

SimGridRunner::SimGridRunner(const Problem& problem, const SimGridOptions& options)
    : file_(problem.scenario().file),
      top_(TaskRates(problem).on() || CopyShares(problem).on() ? TopRate(problem.scenario()) : 0),
      energy_(options.energy_plugin),
      engine_(MakeSimGridEngine()) {
  if (energy_) CountEnergy();
  sg4::NetZone* zone = MakeZoneWithoutRoutes(engine_);
  AddHosts(problem, *zone);
  zone->seal();
  model_ = CpuModel(engine_);
  // Registered for all of SimGrid and for ever; the Execs of this run are the only ones there will be.
  OnCompletion([this](const sg4::Activity& activity) {
    Completed(*static_cast<const sg4::Exec&>(activity).get_host()->get_data<Slot>(), activity);
  });
}

// Every slot and every copy engine is a host of one core, so that at most one Exec runs on each.
void SimGridRunner::AddHosts(const Problem& problem, sg4::NetZone& zone) {
  std::vector<double> speeds = {1};
  if (top_ > 0) speeds.clear();
  for (Rate rate = top_; rate >= 1; --rate) speeds.push_back(rate);
  const Places& places = problem.places();
  for (std::size_t p = 0; p < places.size(); ++p) {
    Slot& slot = slots_.emplace_back();
    slot.place = PlaceId(p);
    const std::size_t unit = places.UnitOf(slot.place).index(), s = places.SlotOf(slot.place).index();
    slot.host = MakeHost(zone, "unit" + std::to_string(unit) + "slot" + std::to_string(s), speeds);
    if (energy_) {
      TANDEM_CHECK(unit < problem.units() && problem.platform().units[unit].slots == 1,
                   "a host's watts are a whole unit's");
      const Watts draws = problem.platform().units[unit].Draws();
      SetWatts(*slot.host, std::vector<Watts>(speeds.size(), draws), 1);
    }
    slot.host->seal();
  }
  for (Slot& slot : slots_) slot.host->set_data(&slot);
}

void SimGridRunner::Run(Dispatcher& dispatcher) {
  dispatcher_ = &dispatcher;
  dispatcher.OnInstant(*this, Nanos{0}, {});
  SetTimer();
  engine_.run();
  for (const Slot& slot : slots_) TANDEM_CHECK(!slot.running, "SimGrid ends everything that it starts");
}

void SimGridRunner::Start(const Occupation& occupation, Nanos work) {
  Slot& slot = slots_[occupation.place.index()];
  slot.end = occupation.progress.End();
  double amount = static_cast<double>(work.count());
  if (top_ > 0) {
    if (work > kLongestSlowed) FailTooLong(file_);
    amount = static_cast<double>(work.count() * kFullRate - occupation.credit);
    slot.rests = false;
  }
  StartExec(slot, amount, kFullRate);
}

[[gnu::always_inline]] inline void SimGridRunner::StartExec(Slot& slot, double amount, Rate rate) {
  if (top_ > 0) {
    const auto state = static_cast<unsigned long>(top_ - rate);
    if (slot.host->get_pstate() != state) slot.host->set_pstate(state);
  }
  slot.running = sg4::Exec::init();
  slot.running->set_flops_amount(amount)->set_host(slot.host)->start();
}

// It may have ended inside this nanosecond as far as SimGrid's doubles tell: then its date alone changes.
void SimGridRunner::SetRate(const Occupation& occupation) {
  Slot& slot = slots_[occupation.place.index()];
  slot.end = occupation.progress.End();
  const Rate rate = occupation.progress.rate();
  if (slot.rests) {
    slot.rests = false;
    StartExec(slot, static_cast<double>(occupation.progress.Rest(now_)), rate);
  } else if (rate > 0) {
    slot.host->set_pstate(static_cast<unsigned long>(top_ - rate));
  } else if (slot.running) {
    slot.rests = true;
    stopped_.Cancel(std::move(slot.running));
  }
}

// It may have ended inside this nanosecond, and wait to be told of.
void SimGridRunner::Stop(const Occupation& occupation) {
  Slot& slot = slots_[occupation.place.index()];
  std::erase(ended_slots_, &slot);
  slot.rests = false;
  if (slot.running) stopped_.Cancel(std::move(slot.running));
}

void SimGridRunner::WakeAt(Nanos date) { wake_up_ = date; }

void SimGridRunner::Completed(Slot& slot, const sg4::Activity& activity) {
  if (slot.running.get() != &activity) return;  // it was stopped, or rests
  // With rates an occupation may end inside a nanosecond, and counts as ended at the end of it. (A double
  // cannot tell fractions apart late in a long run: hence "or equal".)
  const double early = static_cast<double>(slot.end.count()) - sg4::Engine::get_clock();
  TANDEM_CHECK(early >= 0 && early <= (top_ > 0 ? 1 : 0), "SimGrid's clock agrees with the integer end");
  slot.ended = std::move(slot.running);
  ended_slots_.push_back(&slot);
  if (AllReported()) Settle();
}

// SimGrid fires timers before it reports the ends of the same date: then those make the instant.
void SimGridRunner::Timed() {
  timer_ = nullptr;
  if (AllReported()) Settle();
}

// Everything that SimGrid has for this date has been seen.
void SimGridRunner::Settle() {
  const double clock = sg4::Engine::get_clock();
  now_ = Nanos{static_cast<std::int64_t>(clock)};
  if (static_cast<double>(now_.count()) == clock) {
    TakeEnded();
    if (!ended_.empty() || wake_up_ == now_) dispatcher_->OnInstant(*this, now_, ended_);
  }
  SetTimer();
}

// Moves the slots whose occupations end now to `ended_`, in order of place.
void SimGridRunner::TakeEnded() {
  ended_.clear();
  if (ended_slots_.size() > 1) std::sort(ended_slots_.begin(), ended_slots_.end());
  std::size_t later = 0;
  for (Slot* slot : ended_slots_) {
    if (slot->end == now_) {
      ended_.push_back(slot->place);
    } else {
      ended_slots_[later++] = slot;
    }
  }
  if (later == 0) return ended_slots_.clear();
  ended_slots_.resize(later);
}

// The next date of ours at which SimGrid has to stop: a wake-up, or the end of the nanosecond inside which
// something has ended.
void SimGridRunner::SetTimer() {
  Nanos date = wake_up_ > now_ ? wake_up_ : kNever;
  for (const Slot* slot : ended_slots_) date = std::min(date, slot->end);
  if (timer_ != nullptr && timer_date_ == date) return;
  if (timer_ != nullptr) timer_->remove();
  timer_ = nullptr;
  timer_date_ = date;
  if (date != kNever) {
    timer_ = SimGridTimer::set(static_cast<double>(date.count()), [this] { Timed(); });
  }
}

void SimGridRunner::ReadJoules(Outcome& outcome) const {
  if (!energy_) return;
  for (std::size_t u = 0; u < outcome.units.size(); ++u)
    outcome.units[u].plugin_joules = JoulesOf(*slots_[u].host);
}

Outcome RunHere(const Problem& problem, Policy& policy, const RunOptions& options,
                const SimGridOptions& simgrid) {
  if (simgrid.fluid) return RunFluid(problem, policy, options);
  Dispatcher dispatcher(problem, policy, options);
  SimGridRunner runner(problem, simgrid);
  runner.Run(dispatcher);
  Outcome outcome = dispatcher.TakeOutcome();
  runner.ReadJoules(outcome);
  return outcome;
}

}  // namespace
}  // namespace tandem

extern "C" {
extern const tandem::SimGridLibrary tandem_simgrid_library;
const tandem::SimGridLibrary tandem_simgrid_library = {tandem::VersionOfSimGrid, tandem::RunHere,
                                                       tandem::BoardOfPlatformFile};
}
