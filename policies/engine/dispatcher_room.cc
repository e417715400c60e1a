// Room in memory: which requests may begin, which wait for it, and when they are told of again.
#include "policies/engine/dispatcher.h"

namespace tandem {

// May the task that the policy has handed out run, where there is little room? Its request begins with it.
bool Dispatcher::HasRoom(const Task& task, UnitId unit) {
  const bool several = problem_->cut(task.stream).segments > 1;
  if (several && ledger_.InOrder(task) && !ledger_.IsNext(task)) return false;
  if (several && ledger_.HasBegun(task)) return true;
  if (!MakeRoomFor(task, unit, 1)) return false;
  ledger_.Begin(task, unit);
  if (set_aside_.size() > 0) OthersFollow(task);
  set_aside_.Begun(task);
  return true;
}

bool Dispatcher::MakeRoomFor(const Task& task, UnitId unit, std::int64_t requests) {
  if (!ledger_.MayBegin(task, unit, requests)) return false;
  for (;;) {
    const MemoryId lacks = ledger_.Lacking(task, unit, requests);
    if (!lacks.valid()) return true;
    if (!transfers_.PutOutOne(lacks, slots_, ledger_)) return false;
  }
}

// All that a request begins with may run once it has begun, whatever waits before it.
void Dispatcher::OthersFollow(const Task& task) {
  if (ledger_.InOrder(task)) return;
  for (const SegmentId source : problem_->cut(task.stream).sources) {
    Task other = task;
    other.segment = source;
    if (source != task.segment && set_aside_.Remove(other)) Ready(other);
  }
}

void Dispatcher::SetAside(const Task& task) {
  const bool in_order = problem_->cut(task.stream).segments > 1 && ledger_.InOrder(task);
  if (in_order && !ledger_.IsNext(task)) {
    set_aside_.AddWaitingForTurn(task);
  } else {
    set_aside_.AddUnbegun(task);
  }
  policy_->SetAside(task);
  something_ready_ = true;  // no unit waits for the request any more: others may have something now
}

// What could begin now is ready again: as many requests of a stream as there is room for.
void Dispatcher::OfferAgain(UnitId unit) {
  if (offered_at_[unit.index()] == changes_) return;
  offered_at_[unit.index()] = changes_;
  const auto may = [&](const Task& task, std::int64_t offered) {
    const bool of_one_task = problem_->cut(task.stream).segments == 1;
    if (of_one_task && !problem_->Runs(task.segment, unit)) return false;
    return ledger_.MayBegin(task, unit, offered + 1);
  };
  for (const Task& task : set_aside_.Offer(may)) Ready(task);
}

void Dispatcher::RoomIsBack(const Task& task, UnitId unit) {
  ledger_.TaskEnded(task, unit);
  if (absences_.size() > 0) something_ready_ = true;  // what was lost may wait for it
  if (set_aside_.size() == 0) return;
  something_ready_ = true;
  if (problem_->cut(task.stream).segments > 1 && ledger_.InOrder(task)) NextInOrder(task);
}

void Dispatcher::RoomOfAllIsBack(const Task& first, UnitId unit) {
  RoomIsBack(first, unit);
  for (const Task& other : batches_.With(first)) RoomIsBack(other, unit);
}

void Dispatcher::NextInOrder(const Task& task) {
  if (const auto next = set_aside_.TakeTurn(task, SegmentId(task.segment.index() + 1))) {
    ready_.push_back(*next);
  }
}

}  // namespace tandem
