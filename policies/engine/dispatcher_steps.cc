// The steps of a task that a unit has taken: loading, waiting for inputs, copying, work.
#include <algorithm>

#include "policies/engine/dispatcher.h"
#include "profiles/base/check.h"
#include "profiles/base/input_error.h"

namespace tandem {

void Dispatcher::EndOfStep(const Occupation& slot, const Step& step) {
  if (step.kind == StepKind::kLoad) transfers_.Loaded(slot.unit, problem_->model_of(slot.task.segment));
  if (slot.task.live >= 0 && step.arrives.valid()) {
    live_.SetPlace(slot.task.live, step.tensor, step.arrives, LiveRequests::Place::kHere);
  }
}

// Goes on with the steps of a slot as far as it can at this instant.
void Dispatcher::Advance(Runner& runner, Occupation& slot) {
  for (;;) {
    if (slot.step == slot.steps.size()) {
      if (!slot.rest_open) return EndTask<kAnyRun>(runner, slot);
      PlanRest(slot);
    }
    const Step& step = slot.steps[slot.step];
    if (step.kind == StepKind::kAwait) {
      const LiveRequests::Place place = live_.PlaceOf(slot.task.live, step.tensor, step.arrives);
      if (place == LiveRequests::Place::kComing) return Wait(slot);
      if (place == LiveRequests::Place::kHere) {
        ++slot.step;
      } else {
        slot.later += transfers_.BringInstead(slot, live_);  // who was to bring it has left
      }
      continue;
    }
    if (step.kind == StepKind::kLoad && IsThere(slot)) {  // another slot has brought it
      slot.later -= step.work;
      ++slot.step;
      continue;
    }
    if (step.kind == StepKind::kEngineCopy) return QueueOnEngine(runner, slot, step);
    if (!exclusion_.Free(slot.unit)) return Wait(slot);
    if (step.kind == StepKind::kLoad && !MayLoad(slot)) return Wait(slot);
    slot.later -= step.work;
    return StartStep<kAnyRun>(runner, slot, step.work);
  }
}

void Dispatcher::PlanRest(Occupation& slot) {
  transfers_.PlanRest(slot, live_);
  for (std::size_t s = slot.step; s < slot.steps.size(); ++s) {
    if (slot.steps[s].kind != StepKind::kEngineCopy) slot.later += slot.steps[s].work;
  }
}

bool Dispatcher::IsThere(const Occupation& slot) {
  const ModelId model = problem_->model_of(slot.task.segment);
  if (!transfers_.Holds(slot.unit, model)) return false;
  transfers_.Use(slot.unit, model);
  return true;
}

// One load of a unit at a time; what another slot of it runs stays.
bool Dispatcher::MayLoad(const Occupation& slot) {
  for (const Occupation& other : SlotsOf(slot.unit)) {
    if (&other != &slot && other.Loads()) return false;
  }
  return transfers_.MakeRoom(slot, slots_, ledger_);
}

void Dispatcher::Wait(Occupation& slot) {
  slot.credit = 0;
  exclusion_.LetGo(slot);
  if (!slot.waiting) ++waiting_slots_;
  slot.waiting = true;
}

void Dispatcher::RetryWaiting(Runner& runner) {
  for (std::size_t s = 0; s < places().of_units(); ++s) {
    if (!slots_[s].waiting) continue;
    slots_[s].waiting = false;
    --waiting_slots_;
    Advance(runner, slots_[s]);
  }
}

void Dispatcher::QueueOnEngine(Runner& runner, Occupation& slot, const Step& step) {
  slot.credit = 0;
  exclusion_.LetGo(slot);
  const std::size_t engine = step.engine.index() - problem_->units();
  engine_queue_[engine].push_back({slot.task, slot.ready, slot.taken_at, {step}, 0, &slot});
  if (engine_queue_[engine].size() == 1) StartEngine(runner, engine);
}

void Dispatcher::StartEngine(Runner& runner, std::size_t engine) {
  const EngineJob& job = engine_queue_[engine].front();
  Occupation& slot = slots_[places().of_units() + engine];
  slot.task = job.task;
  slot.ready = job.ready;
  slot.taken_at = job.taken;
  slot.taken = true;
  slot.step = 0;
  slot.steps.assign(1, job.steps[job.step]);
  StartStep<kAnyRun>(runner, slot, job.steps[job.step].work);
}

void Dispatcher::EngineEnded(Runner& runner, Occupation& slot) {
  const std::size_t engine = slot.unit.index() - problem_->units();
  EngineJob job = std::move(engine_queue_[engine].front());
  engine_queue_[engine].pop_front();
  const Step& step = job.steps[job.step];
  if (options_.spans) Record(slot, slot, step, SpanKind::kTransfer);
  slot.taken = false;
  slot.credit = 0;
  if (job.owner) {
    EndOfStep(*job.owner, step);
    ++job.owner->step;
    Advance(runner, *job.owner);
  } else if (++job.step == job.steps.size()) {
    OutputsArrived(job.task);
  } else {
    const std::size_t next = job.steps[job.step].engine.index() - problem_->units();
    engine_queue_[next].push_back(std::move(job));
    if (engine_queue_[next].size() == 1 && next != engine) StartEngine(runner, next);
  }
  if (!engine_queue_[engine].empty() && !slot.taken) StartEngine(runner, engine);
}

void Dispatcher::Record(const Occupation& slot, const Occupation& owner, const Step& step, SpanKind kind) {
  Span span;
  span.unit = slot.unit;
  span.slot = slot.slot.value;
  span.kind = kind;
  span.stream = owner.task.stream;
  span.index = owner.task.index;
  span.segment = owner.task.segment.value;
  span.tensor = step.tensor;
  span.from_memory = step.from.value;
  span.to_memory = step.to.value;
  span.release = owner.task.release;
  span.ready = owner.ready;
  span.taken = owner.taken_at;
  span.start = slot.step_start;
  span.end = now;
  options_.spans->Add(span);
}

void Dispatcher::Tell(const Task& task, bool completed, const Task* with) {
  RequestEnd end{task.stream, task.index, task.release, now, !completed};
  if (with != nullptr) {
    end.with = with->index;
    end.with_stream = with->stream;
  }
  end.due = problem_->scenario().streams[task.stream.index()].Due(task.release, Origin(task));
  options_.spans->Ended(end);
}

void Dispatcher::FailTooLong() const {
  throw InputError(problem_->scenario().file +
                   ": the run takes longer than 104 days, more than times are exact for");
}

}  // namespace tandem
