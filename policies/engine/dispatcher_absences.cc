// Units that leave and come back: what was under way there is lost and begun again, and who stands in.
#include <algorithm>

#include "policies/engine/dispatcher.h"
#include "profiles/base/check.h"
#include "profiles/base/input_error.h"
#include "profiles/base/joined.h"
#include "profiles/base/suggest.h"

namespace tandem {

void Dispatcher::UnitsComeAndGo(Runner& runner) {
  while (const auto change = absences_.Take(now)) {
    something_ready_ = true;
    if (change->leaves) {
      // A device ends what it has begun.
      if (!runner.Executes()) LoseAllOf(runner, change->unit);
      continue;
    }
    if (idle_[change->unit.index()] > 0) to_ask_.Add(change->unit);
    OfferStranded(change->unit);
  }
  for (const UnitId unit : absences_.away()) to_ask_.Remove(unit);
  // Whose copies were lost.
  for (std::size_t e = 0; e < engine_queue_.size(); ++e) {
    if (!engine_queue_[e].empty() && !slots_[places().of_units() + e].taken) StartEngine(runner, e);
  }
}

// Who leaves matters to what is at work, who comes back to what waits.
Nanos Dispatcher::NextAbsence() const {
  const bool any = working_ > 0 || waiting_slots_ > 0 || SomethingWaits();
  return any ? absences_.NextDate() : Absences::kNever;
}

void Dispatcher::LoseAllOf(Runner& runner, UnitId unit) {
  const std::size_t first = places().First(unit).index();
  for (std::size_t s = first; s < first + places().slots(unit); ++s) {
    if (slots_[s].taken) Lose(runner, slots_[s]);
  }
}

// Whatever its slot has done of the task is done in vain, but for models that are loaded and inputs that are
// there by now.
void Dispatcher::Lose(Runner& runner, Occupation& slot) {
  UnitOutcome& unit = outcome_.units[slot.unit.index()];
  ++unit.lost_tasks;
  unit.lost += now - slot.taken_at;
  if (shared_time_.on()) ShareTime(slot.unit);
  const Nanos busy = BusyWith<kAnyRun>(slot);
  unit.unprofiled_busy += busy;
  if (tells_power_) ShareBusy(slot, busy);
  StopStep(runner, slot);
  StopCopiesFor(runner, slot);
  for (std::size_t s = slot.step; slot.task.live >= 0 && s < slot.steps.size(); ++s) {
    const Step& step = slot.steps[s];
    const bool copy = step.kind == StepKind::kCopy || step.kind == StepKind::kEngineCopy;
    if (copy && step.arrives.valid())
      live_.SetPlace(slot.task.live, step.tensor, step.arrives, LiveRequests::Place::kAbsent);
  }
  if (ledger_.on()) {
    ledger_.TaskLost(slot.task, slot.unit);
    for (const Task& other : batches_.With(slot.task)) ledger_.TaskLost(other, slot.unit);
  }
  absences_.Lose({slot.task, absences_.Served(slot.place), slot.batch});
  slot.taken = false;
  slot.credit = 0;
  slot.rest_open = false;
  exclusion_.LetGo(slot);
  free_since_[slot.unit.index()] = now;
  ++idle_[slot.unit.index()];
}

// Of a slot that waits nothing is under way, and its trace says so.
void Dispatcher::StopStep(Runner& runner, Occupation& slot) {
  const Step step = slot.working && !slot.steps.empty() ? slot.steps[slot.step] : Step{};
  if (slot.working) {
    slot.working = false;
    --working_;
    runner.Stop(slot);
    outcome_.units[slot.unit.index()].busy += now - slot.step_start;
    if (step.kind == StepKind::kLoad) ledger_.Unload(problem_->model_of(slot.task.segment), slot.unit);
  } else {
    slot.step_start = now;
  }
  if (slot.waiting) {
    slot.waiting = false;
    --waiting_slots_;
  }
  if (options_.spans) Record(slot, slot, step, SpanKind::kLost);
}

// That engines were to make for the slot. Who is first now, where another was lost before it, has not begun.
void Dispatcher::StopCopiesFor(Runner& runner, const Occupation& slot) {
  for (std::size_t e = 0; e < engine_queue_.size(); ++e) {
    std::deque<EngineJob>& queue = engine_queue_[e];
    const auto job = std::find_if(queue.begin(), queue.end(),
                                  [&](const EngineJob& other) { return other.owner == &slot; });
    if (job == queue.end()) continue;
    Occupation& engine = slots_[places().of_units() + e];
    if (job == queue.begin() && engine.taken) {
      runner.Stop(engine);
      engine.working = engine.taken = false;
      engine.credit = 0;
      --working_;
      if (options_.spans) Record(engine, engine, job->steps[job->step], SpanKind::kLost);
    }
    queue.erase(job);
  }
}

// Once for each change: what it has refused is not told of over and over.
void Dispatcher::OfferStranded(UnitId unit) {
  stranded_at_[unit.index()] = changes_;
  const auto runs = [&](const Task& task) { return problem_->Runs(task.segment, unit); };
  for (const Task& task : absences_.TakeStranded(runs)) Ready(task);
}

// What an idle slot takes while units are away, or have been: what was lost comes first, then what the policy
// has for its own unit, then what it has for those that are away. `again`: it has begun before.
bool Dispatcher::TakeAmongAbsences(Occupation& slot, bool& again) {
  const UnitId unit = slot.unit;
  const auto may = [&](const Absences::Lost& lost) {
    return problem_->Runs(lost.task.segment, unit) &&
           (lost.batch == 1 || batches_.Runs(lost.task, unit, lost.batch)) && HasRoomAgain(lost, unit);
  };
  if (const auto lost = absences_.BeginAgain(may)) {
    again = true;
    slot.task = lost->task;
    slot.batch = lost->batch;
    absences_.Serve(slot.place, lost->served);
    return true;
  }
  absences_.Serve(slot.place, unit);
  if (stranded_at_[unit.index()] != changes_) OfferStranded(unit);
  if (TakeFor(unit, unit, slot.task)) return true;
  for (const UnitId other : absences_.away()) {
    if (!CanStandIn(unit, other) || !TakeFor(other, unit, slot.task)) continue;
    absences_.Serve(slot.place, other);
    return true;
  }
  return false;
}

// Can it run anything that the other one can? What is handed out to a unit that cannot is planned anew.
bool Dispatcher::CanStandIn(UnitId unit, UnitId other) {
  const auto [known, is_new] = stands_in_.try_emplace({unit, other}, false);
  for (std::size_t s = 0; is_new && !known->second && s < problem_->segments().size(); ++s)
    known->second = problem_->Runs(SegmentId(s), unit) && problem_->Runs(SegmentId(s), other);
  return known->second;
}

bool Dispatcher::HasRoomAgain(const Absences::Lost& lost, UnitId unit) {
  if (!ledger_.on()) return true;
  const std::vector<Task>& others = batches_.With(lost.task);
  const auto all = static_cast<std::int64_t>(others.size()) + 1;
  if (all > 1 && !MakeRoomFor(lost.task, unit, all)) return false;
  if (!HasRoom(lost.task, unit)) return false;
  for (const Task& other : others) ledger_.Begin(other, unit);
  return true;
}

// As TakeTask; what the policy has for `asked`, which is another unit only while that is away.
bool Dispatcher::TakeFor(UnitId asked, UnitId unit, Task& task) {
  if (set_aside_.size() > 0) OfferAgain(unit);
  while (ready_tasks_ > 0 && policy_->Take(asked, *this, task)) {
    --ready_tasks_;
    TANDEM_CHECK(problem_->Runs(task.segment, asked), "a policy gives a unit only what it can run");
    if (!problem_->Runs(task.segment, unit)) {
      Strand(task);
    } else if (!ledger_.on() || HasRoom(task, unit)) {
      return true;
    } else {
      SetAside(task);
    }
  }
  return false;
}

// Whoever is away in the end does not come back.
void Dispatcher::FailForAbsence(const std::string& text) const {
  const std::vector<UnitAbsence>& all = problem_->scenario().away;
  std::vector<std::string> places, names;
  for (std::size_t a = 0; a < all.size(); ++a) {
    if (all[a].until || !absences_.IsAway(all[a].unit)) continue;
    places.push_back("/away/" + std::to_string(a));
    names.push_back(Quoted(problem_->platform().unit(all[a].unit).name));
  }
  const bool one = names.size() == 1;
  throw InputError(problem_->scenario().file + ":" + Joined(places) + ": " + text +
                   (one ? "unit " : "units ") + Joined(names) + (one ? " stays" : " stay") +
                   " away, and no other can run them; say when it is back, as in \"until_ms\", or let what "
                   "only it can run end before it leaves");
}

// The policy handed it out for a unit that is away, and who asked cannot run it.
void Dispatcher::Strand(const Task& task) {
  absences_.Strand(task);
  policy_->SetAside(task);
  something_ready_ = true;  // no unit waits for its request any more
}

}  // namespace tandem
