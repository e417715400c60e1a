#include "scenarios/check/batch_queue.h"

#include <algorithm>
#include <tuple>
#include <utility>

namespace tandem {
namespace {

bool InOrder(const CheckedRequest* a, const CheckedRequest* b) {
  return std::tie(a->release, a->index, a->stream) < std::tie(b->release, b->index, b->stream);
}

}  // namespace

BatchQueue::Position BatchQueue::Find(const CheckedRequest& request) {
  return std::find_if(waiting_.begin(), waiting_.end(),
                      [&](const Waiting& waiting) { return waiting.request == &request; });
}

// Of these the oldest of the most urgent; the end where there are none.
template <class Among>
BatchQueue::Position BatchQueue::NextOf(Among among) {
  const auto priority = [&](const Waiting& of) { return run_->stream(of.request->stream).priority; };
  Position next = waiting_.end();
  for (Position at = waiting_.begin(); at != waiting_.end(); ++at) {
    if (among(*at) && (next == waiting_.end() || priority(*at) > priority(*next))) next = at;
  }
  return next;
}

void BatchQueue::Release(const CheckedRequest& request) {
  const auto behind = std::upper_bound(
      waiting_.begin(), waiting_.end(), &request,
      [](const CheckedRequest* one, const Waiting& waiting) { return InOrder(one, waiting.request); });
  waiting_.insert(behind, {&request, request.release});
  has_grown_ = true;
}

// Those of its stream behind it move up: each has the wait of the one before it.
bool BatchQueue::Drop(const CheckedRequest& request) {
  const Position gone = Find(request);
  if (gone == waiting_.end()) return false;
  Waiting place = *gone;
  for (Position at = gone; at != waiting_.end(); ++at) {
    if (at == gone || at->request->stream != request.stream) continue;
    std::swap(place.since, at->since);
    std::swap(place.due, at->due);
  }
  waiting_.erase(gone);
  return true;
}

void BatchQueue::LetGoBefore(Nanos date) {
  const bool over = std::any_of(waiting_.begin(), waiting_.end(), [&](const Waiting& waiting) {
    return !waiting.due && waiting.since + rule_->wait < date;
  });
  for (Waiting& waiting : waiting_) waiting.due = waiting.due || over;
}

// As many as fill sizes, largest first, with those that may go already; then all, where one's wait is over.
void BatchQueue::LetGo(Nanos now) {
  if (std::exchange(has_grown_, false)) {
    const auto all = static_cast<std::int64_t>(waiting_.size());
    std::int64_t left = rule_->preferred.empty() ? all % rule_->most : all;
    for (auto size = rule_->preferred.rbegin(); size != rule_->preferred.rend(); ++size) left %= *size;
    std::int64_t more =
        all - left -
        std::count_if(waiting_.begin(), waiting_.end(), [](const Waiting& waiting) { return waiting.due; });
    for (; more > 0; --more) NextOf([](const Waiting& waiting) { return !waiting.due; })->due = true;
  }
  LetGoBefore(now + Nanos{1});
}

std::string BatchQueue::Take(const TracedBatch& batch, bool& hopeless) {
  const auto size = static_cast<std::int64_t>(batch.members.size());
  hopeless = true;
  if (size > rule_->most)
    return std::to_string(size) + " went together, at most " + std::to_string(rule_->most) + " may";
  const Position first = Find(*batch.first);
  if (first == waiting_.end()) return "it was begun before it was there, or twice";
  if (!first->due) return "it was begun before it had waited for others as long as its stream says";
  hopeless = false;
  const std::int64_t known = run_->LargestBatch(batch.first->stream, batch.task->unit);
  const std::int64_t all = std::min({static_cast<std::int64_t>(waiting_.size()), rule_->most, known});
  std::int64_t asked = all;
  for (const std::int64_t preferred : rule_->preferred) asked = preferred <= all ? preferred : asked;
  // Memory may have no room for more.
  if (size != asked && (size > asked || !LimitsMemory()))
    return std::to_string(size) + " went together, it should be " + std::to_string(asked);
  waiting_.erase(first);
  for (std::int64_t left = size - 1; left > 0 && !waiting_.empty(); --left) {
    const Position next = NextOf([](const Waiting&) { return true; });
    if (!batch.members.contains(next->request))
      return "an older one, or a more urgent one, was left behind: " + run_->Name(*next->request);
    waiting_.erase(next);
  }
  return {};
}

bool BatchQueue::LimitsMemory() const {
  const auto& memories = run_->platform().memories;
  return std::any_of(memories.begin(), memories.end(),
                     [](const Memory& memory) { return memory.capacity_bytes.has_value(); });
}

}  // namespace tandem
