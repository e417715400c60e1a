// What a task occupies its slot for beside copies and loads, where that is more than its profile says.
#include <utility>

#include "policies/engine/dispatcher.h"

namespace tandem {

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

// By what the unit has taken before.
Nanos Dispatcher::AfterTasksBefore(SegmentId segment, UnitId unit, Nanos work) {
  const bool has_switched = slowdowns_->switches() && HasSwitched(segment, unit);
  if (slowdowns_->repeats()) {
    const std::size_t at = unit.index() * problem_->segments().size() + segment.index();
    const Nanos since = now - std::exchange(last_taken_[at], now);
    if (const auto repeated = slowdowns_->Repeated(segment, unit, work, since)) return *repeated;
  }
  return has_switched ? slowdowns_->AfterOther(segment, unit, work) : work;
}

// What the task occupies its slot for, but for copies and loads.
Nanos Dispatcher::WorkOf(const Occupation& slot) {
  const Task& task = slot.task;
  const UnitId unit = slot.unit;
  const bool mapped = transfers_.ReadsMapped(task, unit, live_);
  Nanos work = options_.work_time ? options_.work_time(task, unit, mapped, now)
                                  : problem_->Work(task.segment, unit, mapped);
  if (slot.batch > 1) work = batches_.Work(task, unit, slot.batch, mapped, work);
  if (slowdowns_->pauses()) work = slowdowns_->AfterIdle(task.segment, unit, work, Idled(slot));
  work = AfterTasksBefore(task.segment, unit, work);
  return work + transfers_.HandedOver(task, unit, live_);
}

}  // namespace tandem
