// Requests that are begun together: who waits for company, who goes along, and that all end at once.
#include <algorithm>

#include "policies/engine/dispatcher.h"

namespace tandem {

// Released, and known to the policy as one that is not to be waited for.
void Dispatcher::WaitForCompany(const Task& task) {
  batches_.Released(task);
  policy_->SetAside(task);
}

void Dispatcher::HandOutDue() {
  for (const Task& task : batches_.Due(now)) {
    if (set_aside_.HasOf(task.stream)) {
      SetAside(task);
    } else {
      Ready(task);
    }
  }
}

// The slot has taken the first of a batch.
void Dispatcher::TakeAlong(Occupation& slot) {
  slot.batch = 1;
  if (!batches_.Forms(slot.task.stream)) return;
  Task next;
  bool due = false;
  for (std::int64_t more = batches_.Begin(slot.task, slot.unit);
       more > 0 && batches_.Next(slot.task, next, due); --more) {
    if (ledger_.on() && !HasRoom(next, slot.unit)) return;
    policy_->Drop(next);
    if (due && !set_aside_.Remove(next) && !absences_.Forget(next)) --ready_tasks_;
    if (drops_.Watches(next.stream)) drops_.Started(next.stream, next.index);
    if (stages_.Watches(next.stream)) stages_.Taken(next, now);
    batches_.Join(slot.task, next);
    ++slot.batch;
  }
}

// Requests that went along with one that has ended.
void Dispatcher::EndCompany(const Task& first) {
  for (const Task& task : batches_.Ended(first)) EndRequest<kAnyRun>(task, true, &first);
}

// Once in each stream that had a request in it.
void Dispatcher::CountBatch(const Occupation& slot) {
  std::vector<StreamId> counted = {slot.task.stream};
  for (const Task& task : batches_.With(slot.task)) {
    if (std::find(counted.begin(), counted.end(), task.stream) == counted.end())
      counted.push_back(task.stream);
  }
  for (const StreamId stream : counted) outcome_.streams[stream.index()].CountBatch(slot.unit, slot.batch);
}

// What requests that ran at once have occupied their unit for, in equal parts to their streams; what is over,
// to that of the first.
void Dispatcher::ShareBusy(const Occupation& slot, Nanos busy) {
  const std::vector<Task>& with = batches_.With(slot.task);
  const auto requests = static_cast<std::int64_t>(with.size()) + 1;
  const auto add = [&](const Task& task, Nanos part) {
    outcome_.streams[task.stream.index()].WorkOn(slot.unit).unprofiled_busy += part;
  };
  const Nanos each = busy / requests;
  for (const Task& task : with) add(task, each);
  add(slot.task, busy - each * (requests - 1));
}

}  // namespace tandem
