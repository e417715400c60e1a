// Requests that are begun together: who waits for company, who goes along, and that all end at once.
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
       more > 0 && batches_.Next(slot.task.stream, next, due); --more) {
    if (ledger_.on() && !HasRoom(next, slot.unit)) return;
    policy_->Drop(next);
    if (due && !set_aside_.Remove(next) && !absences_.Forget(next)) --ready_tasks_;
    if (stages_.Watches(next.stream)) stages_.Taken(next, now);
    batches_.Join(slot.task);
    ++slot.batch;
  }
}

// Requests that went along with one that has ended.
void Dispatcher::EndCompany(const Task& first) {
  for (const Task& task : batches_.Ended(first)) EndRequest(task, true, first.index);
}

}  // namespace tandem
