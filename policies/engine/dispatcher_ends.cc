// The end of a task, of its request and of the run: what is noted of them, and who goes on by it.
#include <algorithm>
#include <utility>

#include "policies/engine/dispatcher.h"
#include "profiles/base/check.h"
#include "profiles/base/input_error.h"

namespace tandem {

template <bool kPlain>
inline void Dispatcher::EndRequest(const Task& task, bool completed, const Task* with) {
  StreamOutcome& stream = outcome_.streams[task.stream.index()];
  if (completed) {
    const Nanos at = now, latency = at - task.release;
    if (kPlain || !options_.from_outside) stream.latencies.push_back(latency);
    stream.last_completion = at;
    if (!kPlain && releases_.HangsOn(task.stream)) NoteEndToEnd(task, latency);
    if (latency > deadline_[task.stream.index()]) ++stream.missed;
  } else {
    ++stream.dropped;
    ++stream.missed;
  }
  if (!kPlain && ages_.Watches(task.stream)) NoteAge(task, completed);
  if (!kPlain && stages_.Watches(task.stream)) stages_.Ended(task, completed, Origin(task), now, outcome_);
  if (options_.spans) Tell(task, completed, with);
  if (!kPlain && task.live >= 0) Forget(task);
  ++ended_requests_;
  releases_.Ended(task.stream, task.index, completed, now);
  if (!kPlain && batches_.on()) EndCompany(task);
}
template void Dispatcher::EndRequest<Dispatcher::kAnyRun>(const Task&, bool, const Task*);

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

// The slot of such a unit begins to work, or ends.
void Dispatcher::ShareTime(UnitId unit) {
  if (shared_time_.Has(unit)) shared_time_.Until(now, SlotsOf(unit));
}

// What the task took of its unit by now. While it waits, for what engines and other slots bring or for units
// that share its cores, it takes nothing. A plain run's tasks are one step.
template <bool kPlain>
inline Nanos Dispatcher::BusyWith(const Occupation& slot) const {
  if (kPlain) return now - slot.taken_at;
  if (shared_time_.on() && shared_time_.Has(slot.unit)) return shared_time_.Of(slot.place);
  return slot.worked + (slot.working ? now - slot.step_start : Nanos{0});
}
template Nanos Dispatcher::BusyWith<Dispatcher::kAnyRun>(const Occupation&) const;

// What only some runs want to know of tasks that end.
void Dispatcher::NoteEnd(const Occupation& slot) {
  const Task& task = slot.task;
  if (batches_.Forms(task.stream)) CountBatch(slot);
  if (handed_.on()) handed_.Made(task, slot.unit);
  if (!tells_power_) return;
  if (slot.batch > 1) return ShareBusy(slot, BusyWith<kAnyRun>(slot));
  StreamWork& work = outcome_.streams[task.stream.index()].WorkOn(slot.unit);
  if (const auto joules = problem_->Joules(task.segment, slot.unit)) {
    work.task_joules += *joules;
  } else {
    work.unprofiled_busy += BusyWith<kAnyRun>(slot);
  }
}

// The slot is free.
template <bool kPlain>
inline void Dispatcher::EndTask(Runner& runner, Occupation& slot) {
  const Task& task = slot.task;
  UnitOutcome& unit = outcome_.units[slot.unit.index()];
  ++unit.tasks;
  const std::optional<double> joules =
      kPlain || slot.batch > 1 ? std::nullopt : problem_->Joules(task.segment, slot.unit);
  if (joules) {
    unit.task_joules += *joules;
  } else {
    unit.unprofiled_busy += BusyWith<kPlain>(slot);
  }
  if (!kPlain && notes_ends_) NoteEnd(slot);
  if (!kPlain && ledger_.on()) RoomOfAllIsBack(task, slot.unit);
  slot.taken = false;
  if (!kPlain) slot.credit = 0;
  if (!kPlain) free_since_[slot.unit.index()] = now;
  if (!kPlain) exclusion_.LetGo(slot);
  if (!kPlain) ++idle_[slot.unit.index()];
  to_ask_.Add(slot.unit);
  const UnitId served = !kPlain && absences_.on() ? absences_.Served(slot.place) : slot.unit;
  if (!kPlain) times = seen_ && served == slot.unit ? seen_->Times(slot) : std::nullopt;
  if (policy_->Ended(task, served, *this)) something_ready_ = true;
  if (kPlain || (task.live < 0 && slot.steps.empty())) return EndRequest<kPlain>(task, true);
  HandOn(runner, task, slot.unit, slot.batch);
}
template void Dispatcher::EndTask<Dispatcher::kAnyRun>(Runner&, Occupation&);
template void Dispatcher::EndTask<Dispatcher::kPlainRun>(Runner&, Occupation&);

// What the task made lies in its unit's memory, and those that read it become ready. Outputs that engines
// bring back to the first memory count as one more part of the request, which ends with the last.
void Dispatcher::HandOn(Runner& runner, const Task& task, UnitId unit, std::int64_t batch) {
  std::vector<Step> way_back = transfers_.WayBack(task, unit, batch);
  std::erase_if(way_back, [](const Step& step) { return step.kind != StepKind::kEngineCopy; });
  if (task.live >= 0) {
    transfers_.Made(task, unit, live_);
    MakeFollowersReady(task);
    if (!way_back.empty()) live_.AddPart(task.live);
    if (live_.PartEnded(task.live)) EndRequest<kAnyRun>(task, true);
  } else if (way_back.empty()) {
    EndRequest<kAnyRun>(task, true);
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
  if (task.live < 0 || live_.PartEnded(task.live)) EndRequest<kAnyRun>(task, true);
}

// The state of a request that has ended.
void Dispatcher::Forget(const Task& task) {
  if (ledger_.on()) {
    ledger_.RequestEnded(task);
    something_ready_ = something_ready_ || set_aside_.size() + absences_.size() > 0;
  }
  live_.End(task.live);
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
  std::optional<Nanos> first;
  for (const StreamOutcome& stream : outcome_.streams) {
    if (stream.released == 0) continue;
    first = std::min(first.value_or(stream.first_release), stream.first_release);
    outcome_.last_completion = std::max(outcome_.last_completion, stream.last_completion);
  }
  outcome_.first_release = first.value_or(Nanos{0});
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
