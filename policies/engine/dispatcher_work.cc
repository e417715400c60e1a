// What a task occupies its slot for beside copies and loads, where that is more than its profile says.
#include <utility>

#include "policies/engine/dispatcher.h"

namespace tandem {
namespace {

// By what the unit has done, or not done, before.
Nanos Grown(const Slowdowns& known, SegmentId segment, UnitId unit, Nanos work, const UnitBefore& before) {
  if (known.pauses()) work = known.AfterIdle(segment, unit, work, before.idled);
  if (before.since) {
    if (const auto repeated = known.Repeated(segment, unit, work, *before.since)) return *repeated;
  }
  return before.has_switched ? known.AfterOther(segment, unit, work) : work;
}

}  // namespace

// Since when the unit had nothing that it was occupied with.
Nanos Dispatcher::Idled(const Occupation& slot) const {
  for (const Occupation& other : SlotsOf(slot.unit)) {
    if (&other != &slot && other.taken) return Nanos{0};
  }
  return now - free_since_[slot.unit.index()];
}

// Has the unit done another model's work since it last did this, which it does now?
bool Dispatcher::HasSwitched(SegmentId segment, UnitId unit) {
  Models& models = models_[unit.index()];
  const ModelId model = problem_->model_of(segment);
  if (models.last.valid() && models.last != model) ++models.switches;
  models.last = model;
  return std::exchange(models.at_segment[segment.index()], models.switches) != models.switches;
}

// What the unit did before the slot's task, which it takes now.
UnitBefore Dispatcher::TakesAfter(const Occupation& slot) {
  const SegmentId segment = slot.task.segment;
  UnitBefore before;
  if (slowdowns_->pauses()) before.idled = Idled(slot);
  if (slowdowns_->switches()) before.has_switched = HasSwitched(segment, slot.unit);
  if (slowdowns_->repeats()) {
    const std::size_t at = slot.unit.index() * problem_->segments().size() + segment.index();
    before.since = now - std::exchange(last_taken_[at], now);
  }
  return before;
}

// What the task occupies its slot for, but for copies and loads.
Nanos Dispatcher::WorkOf(const Occupation& slot) {
  const Task& task = slot.task;
  const UnitId unit = slot.unit;
  const bool mapped = transfers_.ReadsMapped(task, unit, live_);
  const UnitBefore before = TakesAfter(slot);
  const auto grown = [&](Nanos work, const Slowdowns& slowdowns, const HandOvers& hand_overs) {
    return Grown(slowdowns, task.segment, unit, work, before) +
           transfers_.HandedOver(task, unit, live_, hand_overs);
  };
  const auto all = [&](Nanos work, const Slowdowns& slowdowns, const HandOvers& hand_overs) {
    if (slot.batch > 1) work = batches_.Work(task, unit, slot.batch, mapped, work);
    return grown(work, slowdowns, hand_overs);
  };
  const Nanos profiled = problem_->Work(task.segment, unit, mapped);
  if (seen_) seen_->Took(slot, all(profiled, problem_->slowdowns(), problem_->hand_overs()));
  if (slot.batch > 1 && options_.batch_time) {
    const auto batch = options_.batch_time(task, unit, slot.batch, mapped, now);
    if (batch) return grown(*batch, *slowdowns_, *hand_overs_);
  }
  const Nanos work = options_.work_time ? options_.work_time(task, unit, mapped, now) : profiled;
  return all(work, *slowdowns_, *hand_overs_);
}

}  // namespace tandem
