#include "policies/engine/dispatcher.h"

#include <algorithm>

#include "profiles/base/check.h"

namespace tandem {
namespace {

constexpr std::int64_t kProgressEvery = 1 << 16;  // requests
constexpr Nanos kNeverTaken = -2 * kLongestTime;
// What a unit that is away seems to have left to do: when it comes back is nothing that a policy knows.
constexpr Nanos kFarAway{3'600'000'000'000};

SpanKind KindOf(const Step& step) {
  return step.kind == StepKind::kCompute ? SpanKind::kCompute
         : step.kind == StepKind::kLoad  ? SpanKind::kLoad
                                         : SpanKind::kTransfer;
}

}  // namespace

Dispatcher::Dispatcher(const Problem& problem, Policy& policy, const RunOptions& options)
    : problem_(&problem),
      policy_(&policy),
      options_(options),
      releases_(problem.scenario(), options.from_outside, options.followers),
      drops_(problem.scenario()),
      ages_(problem.scenario(), !options.from_outside),
      stages_(problem.scenario(), !options.from_outside),
      batches_(problem),
      live_(problem),
      handed_(problem, options.hands_on && !options.from_outside),
      transfers_(problem, handed_, options.moves),
      ledger_(problem),
      rates_(problem, options.slowdowns, policy.LeavesAlone()),
      copies_(problem),
      slowdowns_(options.slowdowns ? options.slowdowns : &problem.slowdowns()),
      hand_overs_(options.hand_overs ? options.hand_overs : &problem.hand_overs()),
      shared_time_(problem),
      seen_(policy.Learns() ? std::optional<WorkSeen>(problem) : std::nullopt),
      exclusion_(problem.platform()),
      absences_(problem.scenario(), problem.places()),
      changes_rates_(rates_.on() || copies_.on() || (seen_ && seen_->changes_rates())),
      tells_power_(std::all_of(problem.platform().units.begin(), problem.platform().units.end(),
                               [](const Unit& unit) { return unit.Draws().idle.has_value(); })),
      notes_ends_(tells_power_ || batches_.on() || handed_.on()),
      holds_back_(HasCritical(problem.scenario())),
      as_profiled_(!options.work_time && !slowdowns_->AtStart() && !transfers_.maps() &&
                   !hand_overs_->any() && !seen_),
      to_ask_(problem.units()),
      has_declined_(problem.units()),
      next_progress_(kProgressEvery),
      plain_(IsPlain()) {
  slots_.resize(places().size());
  for (std::size_t p = 0; p < slots_.size(); ++p) {
    Occupation& slot = slots_[p];
    slot.place = PlaceId(p);
    slot.unit = places().UnitOf(slot.place);
    slot.slot = places().SlotOf(slot.place);
  }
  for (std::size_t u = 0; u < problem.units(); ++u) {
    idle_.push_back(static_cast<std::int32_t>(places().slots(UnitId(u))));
    to_ask_.Add(UnitId(u));
  }
  free_since_.resize(problem.units());
  if (slowdowns_->switches()) {
    models_.assign(problem.units(), {{}, 0, std::vector<std::int64_t>(problem.segments().size())});
  }
  if (slowdowns_->repeats()) last_taken_.assign(problem.units() * problem.segments().size(), kNeverTaken);
  offered_at_.resize(problem.units());
  stranded_at_.resize(problem.units());
  engine_queue_.resize(places().units() - problem.units());
  for (const Stream& stream : problem.scenario().streams) {
    deadline_.push_back(stream.deadline.value_or(Runner::kNever));
  }
  outcome_.streams.resize(problem.scenario().streams.size());
  outcome_.units.resize(problem.units());
}

inline Nanos Dispatcher::WorkUnderWay(UnitId unit) const {
  Nanos total{0};
  for (const Occupation& slot : SlotsOf(unit)) {
    if (!slot.taken) continue;
    total += slot.later;
    if (slot.working) total += slot.progress.Left(now);
  }
  return total;
}

Nanos Dispatcher::KeepsOffFor(UnitId unit) const { return WorkUnderWay(unit); }

Nanos Dispatcher::Remaining(UnitId unit) const {
  return (absences_.IsAway(unit) ? kFarAway : Nanos{0}) + WorkUnderWay(unit);
}

template <bool kPlain>
[[gnu::always_inline]] inline void Dispatcher::StepEnded(Runner& runner, Occupation& slot) {
  if (!kPlain && slot.unit.index() >= problem_->units()) return EngineEnded(runner, slot);
  if (options_.spans) {
    const Step step = slot.steps.empty() ? Step{} : slot.steps[slot.step];
    Record(slot, slot, step, KindOf(step));
  }
  outcome_.units[slot.unit.index()].busy += now - slot.step_start;
  if (!kPlain) slot.worked += now - slot.step_start;
  if (!kPlain && seen_) seen_->Ended(slot, now);
  if (kPlain || slot.steps.empty()) return EndTask<kPlain>(runner, slot);
  EndOfStep(slot, slot.steps[slot.step]);
  ++slot.step;
  Advance(runner, slot);
}

template <bool kPlain>
[[gnu::always_inline]] inline void Dispatcher::End(Runner& runner, PlaceId place) {
  Occupation& slot = slots_[place.index()];
  TANDEM_CHECK(slot.working, "what ends was started");
  if (!kPlain && shared_time_.on()) ShareTime(slot.unit);
  slot.working = false;
  --working_;
  if (!kPlain && changes_rates_ && !runner.Executes()) slot.credit = slot.progress.Surplus(now);
  StepEnded<kPlain>(runner, slot);
}

void Dispatcher::Begin(Task& task) {
  task.live = live_.Begin(task.stream, task.release);
  if (handed_.Reads(task.stream)) handed_.Place(task, live_);
}

template <bool kPlain>
inline void Dispatcher::Release(Task& task) {
  StreamOutcome& stream = outcome_.streams[task.stream.index()];
  if (stream.released++ == 0) stream.first_release = task.release;
  stream.last_release = task.release;
  const Cut& cut = problem_->cut(task.stream);
  if (!kPlain && cut.sources.size() > 1) Begin(task);
  task.segment = cut.sources[0];
  if (kPlain) return Ready(task);
  if (drops_.Watches(task.stream)) drops_.Released(task, Origin(task));
  if (batches_.Forms(task.stream)) return WaitForCompany(task);
  for (const SegmentId source : cut.sources) {
    task.segment = source;
    if (set_aside_.HasOf(task.stream)) {
      SetAside(task);  // behind those that came before
    } else {
      Ready(task);
    }
  }
}

// What the ends of this instant made ready and what is released now, in task order.
template <bool kPlain>
void Dispatcher::HandOutReady() {
  if (!kPlain && ready_.size() > 1) std::sort(ready_.begin(), ready_.end(), InTaskOrder);
  auto next = ready_.begin();
  Task task;
  while (releases_.IsDue(now)) {
    releases_.Take(now, task);
    while (!kPlain && next != ready_.end() && InTaskOrder(*next, task)) Ready(*next++);
    Release<kPlain>(task);
  }
  if (kPlain) return;
  while (next != ready_.end()) Ready(*next++);
  ready_.clear();
}

void Dispatcher::DropLate() {
  Task task;
  while (drops_.Take(now, task)) {
    for (const SegmentId source : problem_->cut(task.stream).sources) {
      task.segment = source;
      policy_->Drop(task);
      if (batches_.Forms(task.stream) && !batches_.Dropped(task)) continue;
      if (!set_aside_.Remove(task) && !absences_.Forget(task)) --ready_tasks_;
    }
    something_ready_ = true;  // what it kept back may be for any unit
    EndRequest<kAnyRun>(task, false);
    if (releases_.HasFresh()) HandOutReady<kAnyRun>();
  }
}

// Asks the policy until it hands out a task that may begin; for the others there is no room.
template <bool kPlain>
[[gnu::always_inline]] inline bool Dispatcher::TakeTask(UnitId unit, Task& task) {
  if (!kPlain && set_aside_.size() > 0) OfferAgain(unit);
  while ((kPlain || ready_tasks_ > 0) && policy_->Take(unit, *this, task)) {
    --ready_tasks_;
    TANDEM_CHECK(problem_->Runs(task.segment, unit), "a policy gives a unit only what it can run");
    if (kPlain || !ledger_.on() || HasRoom(task, unit)) return true;
    SetAside(task);
  }
  return false;
}

// Does it read what the request has made that it follows?
bool Dispatcher::TakeStage(const Task& task) {
  if (stages_.Watches(task.stream)) stages_.Taken(task, now);
  return handed_.Reads(task.stream);
}

// The slot has its task from now on.
template <bool kPlain>
inline void Dispatcher::Occupy(Occupation& slot) {
  Task& task = slot.task;
  if (!kPlain) ++changes_;
  if (kPlain || --idle_[slot.unit.index()] == 0) to_ask_.Remove(slot.unit);
  slot.taken = true;
  slot.taken_at = now;
  if (kPlain) {
    slot.ready = task.release;
    return;
  }
  slot.worked = Nanos{0};
  if (shared_time_.on()) shared_time_.Begin(slot.place);
  const Cut& cut = problem_->cut(task.stream);
  if (drops_.Watches(task.stream)) drops_.Started(task.stream, task.index);
  const bool reads = stages_.on() && TakeStage(task);
  if (task.live < 0 && (cut.segments > 1 || reads)) Begin(task);
  if (ledger_.on() && cut.segments > 1) ledger_.Taken(task);
  slot.ready =
      task.live < 0
          ? task.release
          : live_.ReadySince(task.live, static_cast<std::int32_t>(task.segment.index() - cut.first.index()));
}

template <bool kPlain>
inline void Dispatcher::StartStep(Runner& runner, Occupation& slot, Nanos work) {
  const Nanos at = now;
  slot.step_start = at;
  if (!kPlain) exclusion_.Hold(slot);
  if (!kPlain && seen_) seen_->Began(slot, at);
  if (!kPlain && work == Nanos{0} && !runner.Executes()) {
    ended_at_once_.push_back(slot.place);
    return;
  }
  CheckWithinTime(at + work);
  if (!kPlain && shared_time_.on()) ShareTime(slot.unit);
  slot.working = true;
  ++working_;
  slot.progress = Progress(at, work, kPlain ? 0 : slot.credit);
  runner.Start(slot, work);
  if (!kPlain) slot.credit = 0;
}

template void Dispatcher::StartStep<Dispatcher::kAnyRun>(Runner&, Occupation&, Nanos);

template <bool kPlain>
inline bool Dispatcher::TakeOne(Runner& runner, UnitId unit) {
  std::size_t s = kPlain ? unit.index() : places().First(unit).index();
  while (!kPlain && slots_[s].taken) ++s;
  Occupation& slot = slots_[s];
  const Task& task = slot.task;
  bool again = false;
  if (!kPlain && absences_.on() ? !TakeAmongAbsences(slot, again) : !TakeTask<kPlain>(unit, slot.task)) {
    return false;
  }
  const Nanos profiled = problem_->Work(task.segment, unit);
  Occupy<kPlain>(slot);
  if (kPlain) {
    StartStep<kPlain>(runner, slot, profiled);
    return true;
  }
  // It waits no more: who was kept from others' tasks for it may have them now, in this round already.
  if (holds_back_ && problem_->scenario().streams[task.stream.index()].critical) AskAllAgain();
  if (batches_.on() && !again) TakeAlong(slot);
  const Nanos work = as_profiled_ && slot.batch == 1 ? profiled : WorkOf(slot);
  slot.later = Nanos{0};
  if (transfers_.Plain(task.segment, unit)) {
    slot.steps.clear();
    StartStep<kAnyRun>(runner, slot, work);
  } else {
    transfers_.Plan(slot, work, live_);
    for (const Step& step : slot.steps)
      slot.later += step.kind == StepKind::kEngineCopy ? Nanos{0} : step.work;
    Advance(runner, slot);
  }
  return true;
}

void Dispatcher::Decline(UnitId unit) {
  to_ask_.Remove(unit);
  if (!has_declined_.Has(unit)) declined_.push_back(unit);
  has_declined_.Add(unit);
}

// All idle units are to be asked but for those that declined and these: so nobody goes through all of them.
void Dispatcher::AskAllAgain() {
  for (const UnitId unit : declined_) {
    has_declined_.Remove(unit);
    if ((plain_ || idle_[unit.index()] > 0) && !absences_.IsAway(unit)) to_ask_.Add(unit);
  }
  declined_.clear();
}

// The idle units in the order of the platform, one task each, and so on round until none takes one.
template <bool kPlain>
[[gnu::always_inline]] inline void Dispatcher::Decide(Runner& runner) {
  for (bool again = true; again;) {
    if (something_ready_ && !declined_.empty()) AskAllAgain();
    something_ready_ = false;
    again = false;
    for (UnitId unit = to_ask_.First(); unit.valid() && (kPlain ? ready_tasks_ > 0 : SomethingWaits());
         unit = to_ask_.First(unit.index() + 1)) {
      if (!kPlain && !exclusion_.Free(unit)) continue;
      if (TakeOne<kPlain>(runner, unit)) {
        again = !kPlain;  // else it had one slot, and the others were asked or are still to be
      } else {
        Decline(unit);
      }
    }
    again = again || something_ready_;  // something that was set aside is ready again
  }
}

template <bool kPlain>
void Dispatcher::Instant(Runner& runner, Nanos instant, std::span<const PlaceId> ended) {
  now = instant;
  outcome_.end = instant;
  for (const PlaceId place : ended) End<kPlain>(runner, place);
  do {
    for (std::size_t i = 0; !kPlain && i < ended_at_once_.size(); ++i)
      StepEnded<kPlain>(runner, slots_[ended_at_once_[i].index()]);
    if (!kPlain) ended_at_once_.clear();
    if (cut_short_) return;
    if (!kPlain && absences_.on()) UnitsComeAndGo(runner);
    if (!kPlain && waiting_slots_ > 0) RetryWaiting(runner);
    if ((!kPlain && !ready_.empty()) || releases_.IsDue(now)) HandOutReady<kPlain>();
    if (!kPlain && drops_.NextDate() <= now) DropLate();
    if (!kPlain && batches_.on()) HandOutDue();
    if (!kPlain) ++changes_;
    Decide<kPlain>(runner);
    CountProgress();
    if (!kPlain && ended_at_once_.size() > 1) std::sort(ended_at_once_.begin(), ended_at_once_.end());
  } while (!kPlain && !ended_at_once_.empty());
  if (!kPlain && changes_rates_) UpdateRates(runner);
  AskForWakeUp<kPlain>(runner);
}

void Dispatcher::OnInstant(Runner& runner, Nanos instant, std::span<const PlaceId> ended) {
  if (plain_) return Instant<kPlainRun>(runner, instant, ended);
  Instant<kAnyRun>(runner, instant, ended);
}

void Dispatcher::UpdateRates(Runner& runner) {
  if (!runner.Executes()) {
    rates_.Warm(slots_, now);
    rates_.TakeTurns(slots_, now);
  }
  // What copies take on a device shows there.
  const bool copies = copies_.on() && !runner.Executes();
  const auto alone = [&](const Occupation& slot) {
    const bool of_unit = slot.place.index() < places().of_units();
    return slot.working && of_unit && rates_.on() ? rates_.Of(slot, slots_, now) : kFullRate;
  };
  if (copies) {
    rates_now_.clear();
    for (const Occupation& slot : slots_) rates_now_.push_back(alone(slot));
    copies_.Divide(slots_, rates_now_);
  }
  for (std::size_t s = 0; s < (copies ? slots_.size() : places().of_units()); ++s) {
    Occupation& slot = slots_[s];
    if (!slot.working) continue;
    const Rate rate = copies ? rates_now_[s] : alone(slot);
    if (rate == slot.progress.rate()) continue;
    slot.progress.SetRate(now, rate);
    if (!slot.progress.rests()) CheckWithinTime(slot.progress.End());
    runner.SetRate(slot);
  }
  if (seen_) seen_->Meet(slots_, now, !runner.Executes());
}

template <bool kPlain>
[[gnu::always_inline]] inline void Dispatcher::AskForWakeUp(Runner& runner) {
  Nanos date = releases_.NextDate();
  if (!kPlain) date = std::min(date, std::min(drops_.NextDate(), batches_.NextDate()));
  // What speeds change to matters to what is at work.
  if (!kPlain && working_ > 0 && rates_.on() && !runner.Executes())
    date = std::min(date, rates_.NextChange(now));
  if (!kPlain && absences_.on()) date = std::min(date, NextAbsence());
  if (date == wake_up_) return;
  wake_up_ = date;
  runner.WakeAt(date);
}

void Dispatcher::CountProgress() {
  if (!options_.progress || ended_requests_ < next_progress_) return;
  next_progress_ = ended_requests_ + kProgressEvery;
  cut_short_ = !options_.progress(ended_requests_);
}

}  // namespace tandem
