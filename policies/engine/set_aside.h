// Tasks for which memory has no room: of requests that may not begin yet, by stream in task order; and those
// of requests that run one task after the other, until it is their turn. No policy hands them out meanwhile.
#pragma once

#include <cstdint>
#include <deque>
#include <functional>
#include <map>
#include <optional>
#include <vector>

#include "policies/problem/task.h"

namespace tandem {

class SetAsideTasks {
 public:
  std::int64_t size() const { return size_; }
  bool HasOf(StreamId stream) const { return size_ > 0 && unbegun_.contains(stream); }

  void AddUnbegun(const Task& task);
  void AddWaitingForTurn(const Task& task);
  // False where it is not here.
  bool Remove(const Task& task);
  // The task of the request with state that has this segment, where it waits for its turn.
  std::optional<Task> TakeTurn(const Task& task, SegmentId segment);

  // Takes those out that may begin, in task order, the oldest of each stream alone: `may` is asked about the
  // first task of a request, with how many of its stream have been offered and have not begun.
  std::vector<Task> Offer(const std::function<bool(const Task&, std::int64_t offered)>& may);
  // The request of a task that was offered has begun.
  void Begun(const Task& task);

 private:
  using Tasks = std::deque<Task>;  // in task order
  static bool SameRequest(const Task& a, const Task& b) { return a.stream == b.stream && a.index == b.index; }
  void OfferOf(StreamId stream, Tasks& tasks, const std::function<bool(const Task&, std::int64_t)>& may,
               std::vector<Task>& into);

  std::map<StreamId, Tasks> unbegun_;
  std::map<StreamId, std::vector<std::int32_t>> offered_;  // requests by their indices
  std::vector<Task> turns_;
  std::int64_t size_ = 0;
};

}  // namespace tandem
