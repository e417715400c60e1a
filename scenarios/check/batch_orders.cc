#include "scenarios/check/batch_orders.h"

#include <algorithm>

namespace tandem {
namespace {

constexpr std::size_t kMostTried = 20000, kMostInRounds = 64;

}  // namespace

void OrdersOfInstant::Comes(const CheckedRequest& request, bool follows) {
  if (follows && in_rounds_) {
    events_.push_back({&request, nullptr});
  } else {
    come_.push_back(&request);
  }
}

void OrdersOfInstant::IsDropped(const CheckedRequest& request) {
  if (in_rounds_) {
    events_.push_back({&request, nullptr, true});
  } else {
    dropped_.push_back(&request);
  }
}

bool OrdersOfInstant::Exhausted() const {
  return tried_ >= kMostTried || (in_rounds_ && events_.size() > kMostInRounds);
}

void OrdersOfInstant::Try(BatchQueue queue, std::set<BatchQueue>& after) {
  for (const CheckedRequest* request : come_) queue.Release(*request);
  for (const CheckedRequest* request : dropped_) {
    if (!Leaves(*request, queue)) return;
  }
  seen_.clear();
  Follow({std::vector<char>(events_.size()), std::move(queue)}, after);
}

bool OrdersOfInstant::Leaves(const CheckedRequest& request, BatchQueue& queue) {
  if (queue.Drop(request)) return true;
  if (wrong_.first == nullptr) wrong_ = {&request, "it was dropped when it did not wait"};
  return false;
}

// Units are asked when of all that has come by then those are let go that may be.
bool OrdersOfInstant::Begins(const TracedBatch& batch, BatchQueue& queue, bool& hopeless) {
  queue.LetGo(date_);
  std::string what = queue.Take(batch, hopeless);
  if (what.empty()) return true;
  if (wrong_.first == nullptr) wrong_ = {batch.first, std::move(what)};
  return false;
}

bool OrdersOfInstant::Happens(const Event& event, BatchQueue& queue, bool& hopeless) {
  if (event.batch != nullptr) return Begins(*event.batch, queue, hopeless);
  if (event.drop) return Leaves(*event.request, queue);
  queue.Release(*event.request);
  return true;
}

// False: nothing else need be tried. Where all has come beforehand what is left is the same in any order.
bool OrdersOfInstant::Follow(State state, std::set<BatchQueue>& after) {
  if (Exhausted()) return false;
  if (std::count(state.happened.begin(), state.happened.end(), 0) == 0) {
    state.queue.LetGo(date_);
    after.insert(std::move(state.queue));
    return in_rounds_;
  }
  if (events_.size() > 1 && !seen_.insert(state).second) return true;
  for (std::size_t e = 0; e < events_.size(); ++e) {
    if (state.happened[e] != 0) continue;
    State next = state;
    next.happened[e] = 1;
    bool hopeless = false;
    ++tried_;
    if (Happens(events_[e], next.queue, hopeless)) {
      if (!Follow(std::move(next), after)) return false;
    } else if (hopeless && !in_rounds_) {
      return false;
    }
  }
  return true;
}

}  // namespace tandem
