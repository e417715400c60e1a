#include "policies/engine/dispatcher.h"

#include <algorithm>

#include "profiles/base/check.h"
#include "profiles/base/input_error.h"

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
      rates_(problem, options.slowdowns),
      copies_(problem),
      slowdowns_(options.slowdowns ? options.slowdowns : &problem.slowdowns()),
      hand_overs_(options.hand_overs ? options.hand_overs : &problem.hand_overs()),
      seen_(policy.Learns() ? std::optional<WorkSeen>(problem) : std::nullopt),
      exclusion_(problem.platform()),
      absences_(problem.scenario(), problem.places()),
      changes_rates_(rates_.on() || copies_.on() || (seen_ && seen_->changes_rates())),
      shares_time_(std::any_of(problem.platform().units.begin(), problem.platform().units.end(),
                               [](const Unit& unit) { return unit.time_shared; })),
      tells_power_(std::all_of(problem.platform().units.begin(), problem.platform().units.end(),
                               [](const Unit& unit) { return unit.Draws().idle.has_value(); })),
      notes_ends_(tells_power_ || batches_.on() || handed_.on()),
      holds_back_(HasCritical(problem.scenario())),
      as_profiled_(!options.work_time && !slowdowns_->AtStart() && !transfers_.maps() &&
                   !hand_overs_->any() && !seen_),
      to_ask_(problem.units()),
      has_declined_(problem.units()),
      next_progress_(kProgressEvery) {
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

[[gnu::always_inline]] inline void Dispatcher::StepEnded(Runner& runner, Occupation& slot) {
  if (slot.unit.index() >= problem_->units()) return EngineEnded(runner, slot);
  if (options_.spans) {
    const Step step = slot.steps.empty() ? Step{} : slot.steps[slot.step];
    Record(slot, slot, step, KindOf(step));
  }
  outcome_.units[slot.unit.index()].busy += now - slot.step_start;
  if (seen_) seen_->Ended(slot, now);
  if (slot.steps.empty()) return EndTask(runner, slot);
  EndOfStep(slot, slot.steps[slot.step]);
  ++slot.step;
  Advance(runner, slot);
}

inline void Dispatcher::End(Runner& runner, PlaceId place) {
  Occupation& slot = slots_[place.index()];
  TANDEM_CHECK(slot.working, "what ends was started");
  slot.working = false;
  --working_;
  if (changes_rates_ && !runner.Executes()) slot.credit = slot.progress.Surplus(now);
  StepEnded(runner, slot);
}

void Dispatcher::EndRequest(const Task& task, bool completed, const Task* with) {
  StreamOutcome& stream = outcome_.streams[task.stream.index()];
  if (completed) {
    const Nanos latency = now - task.release;
    if (!options_.from_outside) stream.latencies.push_back(latency);
    stream.last_completion = now;
    outcome_.last_completion = now;
    if (releases_.HangsOn(task.stream)) NoteEndToEnd(task, latency);
    if (latency > deadline_[task.stream.index()]) ++stream.missed;
  } else {
    ++stream.dropped;
    ++stream.missed;
  }
  if (ages_.Watches(task.stream)) NoteAge(task, completed);
  if (stages_.Watches(task.stream)) stages_.Ended(task, completed, Origin(task), now, outcome_);
  if (options_.spans) Tell(task, completed, with);
  if (task.live >= 0) Forget(task);
  ++ended_requests_;
  releases_.Ended(task.stream, task.index, completed, now);
  if (batches_.on()) EndCompany(task);
}

// Since the release of whom it hangs on in the end. It is missed once, though it may be late by two
// deadlines.
void Dispatcher::NoteEndToEnd(const Task& task, Nanos latency) {
  StreamOutcome& stream = outcome_.streams[task.stream.index()];
  const Nanos passed = now - Origin(task);
  if (!options_.from_outside) stream.end_to_end.push_back(passed);
  const auto& deadline = problem_->scenario().streams[task.stream.index()].end_to_end_deadline;
  if (deadline && passed > *deadline && latency <= deadline_[task.stream.index()]) ++stream.missed;
}

void Dispatcher::NoteAge(const Task& task, bool completed) {
  ages_.Ended(task.stream, Origin(task), now, completed, outcome_.streams[task.stream.index()]);
}

// What the task took of a unit that is time-shared, which draws its power once, however many slots share it.
Nanos Dispatcher::WorkDone(const Occupation& slot) const {
  if (slot.steps.empty()) return slot.batch > 1 ? slot.work : problem_->Work(slot.task.segment, slot.unit);
  Nanos done{0};
  for (const Step& step : slot.steps) done += step.kind == StepKind::kEngineCopy ? Nanos{0} : step.work;
  return done;
}

inline Nanos Dispatcher::BusyWith(const Occupation& slot) const {
  const bool shared = shares_time_ && problem_->platform().unit(slot.unit).time_shared;
  return shared ? WorkDone(slot) : now - slot.taken_at;
}

// What only some runs want to know of tasks that end.
void Dispatcher::NoteEnd(const Occupation& slot) {
  const Task& task = slot.task;
  if (batches_.Forms(task.stream)) CountBatch(slot);
  if (handed_.on()) handed_.Made(task, slot.unit);
  if (!tells_power_) return;
  if (slot.batch > 1) return ShareBusy(slot, BusyWith(slot));
  StreamWork& work = outcome_.streams[task.stream.index()].WorkOn(slot.unit);
  if (const auto joules = problem_->Joules(task.segment, slot.unit)) {
    work.task_joules += *joules;
  } else {
    work.unprofiled_busy += BusyWith(slot);
  }
}

// The slot is free.
void Dispatcher::EndTask(Runner& runner, Occupation& slot) {
  const Task& task = slot.task;
  UnitOutcome& unit = outcome_.units[slot.unit.index()];
  ++unit.tasks;
  if (const auto joules = problem_->Joules(task.segment, slot.unit); joules && slot.batch == 1) {
    unit.task_joules += *joules;
  } else {
    unit.unprofiled_busy += BusyWith(slot);
  }
  if (notes_ends_) NoteEnd(slot);
  if (ledger_.on()) RoomOfAllIsBack(task, slot.unit);
  slot.taken = false;
  slot.credit = 0;
  free_since_[slot.unit.index()] = now;
  exclusion_.LetGo(slot);
  ++idle_[slot.unit.index()];
  to_ask_.Add(slot.unit);
  const UnitId served = absences_.on() ? absences_.Served(slot.place) : slot.unit;
  times = seen_ && served == slot.unit ? seen_->Times(slot) : std::nullopt;
  if (policy_->Ended(task, served, *this)) something_ready_ = true;
  if (task.live < 0 && slot.steps.empty()) return EndRequest(task, true);
  HandOn(runner, task, slot.unit, slot.batch);
}

// What the task made lies in its unit's memory, and those that read it become ready. Outputs that engines
// bring back to the first memory count as one more part of the request, which ends with the last.
void Dispatcher::HandOn(Runner& runner, const Task& task, UnitId unit, std::int64_t batch) {
  std::vector<Step> way_back = transfers_.WayBack(task, unit, batch);
  std::erase_if(way_back, [](const Step& step) { return step.kind != StepKind::kEngineCopy; });
  if (task.live >= 0) {
    transfers_.Made(task, unit, live_);
    MakeFollowersReady(task);
    if (!way_back.empty()) live_.AddPart(task.live);
    if (live_.PartEnded(task.live)) EndRequest(task, true);
  } else if (way_back.empty()) {
    EndRequest(task, true);
  }
  if (way_back.empty()) return;
  const std::size_t engine = way_back[0].engine.index() - problem_->units();
  engine_queue_[engine].push_back({task, now, now, std::move(way_back), 0, nullptr});
  if (engine_queue_[engine].size() == 1) StartEngine(runner, engine);
}

void Dispatcher::MakeFollowersReady(const Task& task) {
  const Cut& cut = problem_->cut(task.stream);
  for (const SegmentId next : problem_->segment(task.segment).feeds) {
    const auto local = static_cast<std::int32_t>(next.index() - cut.first.index());
    if (!live_.InputMade(task.live, local, now)) continue;
    ready_.push_back(task);
    ready_.back().segment = next;
  }
}

void Dispatcher::OutputsArrived(const Task& task) {
  if (task.live < 0 || live_.PartEnded(task.live)) EndRequest(task, true);
}

// The state of a request that has ended.
void Dispatcher::Forget(const Task& task) {
  if (ledger_.on()) {
    ledger_.RequestEnded(task);
    something_ready_ = something_ready_ || set_aside_.size() + absences_.size() > 0;
  }
  live_.End(task.live);
}

void Dispatcher::Begin(Task& task) {
  task.live = live_.Begin(task.stream, task.release);
  if (handed_.Reads(task.stream)) handed_.Place(task, live_);
}

inline void Dispatcher::Release(Task& task) {
  StreamOutcome& stream = outcome_.streams[task.stream.index()];
  if (stream.released++ == 0) stream.first_release = task.release;
  stream.last_release = task.release;
  if (!any_released_) outcome_.first_release = task.release;
  any_released_ = true;
  const Cut& cut = problem_->cut(task.stream);
  if (cut.sources.size() > 1) Begin(task);
  task.segment = cut.sources[0];
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
void Dispatcher::HandOutReady() {
  if (ready_.size() > 1) std::sort(ready_.begin(), ready_.end(), InTaskOrder);
  auto next = ready_.begin();
  while (releases_.IsDue(now)) {
    Task task = releases_.Take(now);
    while (next != ready_.end() && InTaskOrder(*next, task)) Ready(*next++);
    Release(task);
  }
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
    EndRequest(task, false);
    if (releases_.HasFresh()) HandOutReady();
  }
}

// Asks the policy until it hands out a task that may begin; for the others there is no room.
[[gnu::always_inline]] inline bool Dispatcher::TakeTask(UnitId unit, Task& task) {
  if (set_aside_.size() > 0) OfferAgain(unit);
  while (ready_tasks_ > 0 && policy_->Take(unit, *this, task)) {
    --ready_tasks_;
    TANDEM_CHECK(problem_->Runs(task.segment, unit), "a policy gives a unit only what it can run");
    if (!ledger_.on() || HasRoom(task, unit)) return true;
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
inline void Dispatcher::Occupy(Occupation& slot) {
  Task& task = slot.task;
  ++changes_;
  if (--idle_[slot.unit.index()] == 0) to_ask_.Remove(slot.unit);
  slot.taken = true;
  slot.taken_at = now;
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

inline bool Dispatcher::TakeOne(Runner& runner, UnitId unit) {
  std::size_t s = places().First(unit).index();
  while (slots_[s].taken) ++s;
  Occupation& slot = slots_[s];
  const Task& task = slot.task;
  bool again = false;
  if (absences_.on() ? !TakeAmongAbsences(slot, again) : !TakeTask(unit, slot.task)) return false;
  Occupy(slot);
  // It waits no more: who was kept from others' tasks for it may have them now.
  if (holds_back_ && problem_->scenario().streams[task.stream.index()].critical) something_ready_ = true;
  if (batches_.on() && !again) TakeAlong(slot);
  const Nanos work = as_profiled_ && slot.batch == 1 ? problem_->Work(task.segment, unit) : WorkOf(slot);
  if (slot.batch > 1) slot.work = work;  // what WorkDone asks for
  slot.later = Nanos{0};
  if (transfers_.Plain(task.segment, unit)) {
    slot.steps.clear();
    StartStep(runner, slot, work);
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
    if (idle_[unit.index()] > 0 && !absences_.IsAway(unit)) to_ask_.Add(unit);
  }
  declined_.clear();
}

// The idle units in the order of the platform, one task each, and so on round until none takes one.
void Dispatcher::Decide(Runner& runner) {
  for (bool again = true; again;) {
    if (something_ready_ && !declined_.empty()) AskAllAgain();
    something_ready_ = false;
    again = false;
    for (UnitId unit = to_ask_.First(); unit.valid() && SomethingWaits();
         unit = to_ask_.First(unit.index() + 1)) {
      if (!exclusion_.Free(unit)) continue;
      if (TakeOne(runner, unit)) {
        again = true;
      } else {
        Decline(unit);
      }
    }
    again = again || something_ready_;  // something that was set aside is ready again
  }
}

void Dispatcher::OnInstant(Runner& runner, Nanos instant, std::span<const PlaceId> ended) {
  now = instant;
  outcome_.end = instant;
  for (const PlaceId place : ended) End(runner, place);
  do {
    for (std::size_t i = 0; i < ended_at_once_.size(); ++i)
      StepEnded(runner, slots_[ended_at_once_[i].index()]);
    ended_at_once_.clear();
    if (cut_short_) return;
    if (absences_.on()) UnitsComeAndGo(runner);
    if (waiting_slots_ > 0) RetryWaiting(runner);
    if (!ready_.empty() || releases_.IsDue(now)) HandOutReady();
    if (drops_.NextDate() <= now) DropLate();
    if (batches_.on()) HandOutDue();
    ++changes_;
    Decide(runner);
    CountProgress();
    if (ended_at_once_.size() > 1) std::sort(ended_at_once_.begin(), ended_at_once_.end());
  } while (!ended_at_once_.empty());
  if (changes_rates_) UpdateRates(runner);
  AskForWakeUp(runner);
}

void Dispatcher::UpdateRates(Runner& runner) {
  if (!runner.Executes()) {
    rates_.Warm(slots_, now);
    rates_.TakeTurns(slots_, now);
  }
  // What copies take on a device shows there.
  const bool copies = copies_.on() && !runner.Executes();
  if (copies) copies_.Divide(slots_);
  for (std::size_t s = 0; s < (copies ? slots_.size() : places().of_units()); ++s) {
    Occupation& slot = slots_[s];
    if (!slot.working) continue;
    Rate rate = rates_.on() && s < places().of_units() ? rates_.Of(slot, slots_, now) : kFullRate;
    if (copies) rate = copies_.Of(slot.place, rate);
    if (rate == slot.progress.rate()) continue;
    slot.progress.SetRate(now, rate);
    CheckWithinTime(slot.progress.End());
    runner.SetRate(slot);
  }
  if (seen_) seen_->Meet(slots_, now, !runner.Executes());
}

[[gnu::always_inline]] inline void Dispatcher::AskForWakeUp(Runner& runner) {
  Nanos date = std::min(std::min(releases_.NextDate(), drops_.NextDate()), batches_.NextDate());
  // What speeds change to matters to what is at work.
  if (working_ > 0 && rates_.on() && !runner.Executes()) date = std::min(date, rates_.NextChange(now));
  if (absences_.on()) date = std::min(date, NextAbsence());
  if (date == wake_up_) return;
  wake_up_ = date;
  runner.WakeAt(date);
}

void Dispatcher::CountProgress() {
  if (!options_.progress || ended_requests_ < next_progress_) return;
  next_progress_ = ended_requests_ + kProgressEvery;
  cut_short_ = !options_.progress(ended_requests_);
}

void Dispatcher::CheckNothingWaits() const {
  const std::int64_t waiting = ready_tasks_ + waiting_slots_ + set_aside_.size() + absences_.size();
  if (waiting == 0) return;
  const std::string text = std::to_string(waiting) + " tasks wait for ever: ";
  if (!absences_.away().empty()) FailForAbsence(text);
  throw InputError(problem_->scenario().file + ": " + text + "the policy gives them to no unit");
}

Outcome Dispatcher::TakeOutcome() {
  outcome_.complete = !cut_short_;
  rates_.AddHeldBack(outcome_);
  ages_.Finish(outcome_);
  outcome_.loads = transfers_.LoadCounts();
  for (std::size_t s = 0; s < outcome_.streams.size(); ++s)
    outcome_.streams[s].skipped = releases_.Skipped(StreamId(s));
  for (std::size_t u = 0; absences_.on() && u < outcome_.units.size(); ++u)
    outcome_.units[u].away = absences_.AwayFor(UnitId(u), outcome_.end);
  if (!cut_short_) {
    CheckNothingWaits();
    TANDEM_CHECK(working_ == 0, "a run ends when nothing is running");
  }
  return std::move(outcome_);
}

}  // namespace tandem
