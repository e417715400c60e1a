#include "policies/engine/set_aside.h"

#include <algorithm>

namespace tandem {

// Nearly always it comes last.
void SetAsideTasks::AddUnbegun(const Task& task) {
  Tasks& tasks = unbegun_[task.stream];
  auto at = tasks.end();
  if (!tasks.empty() && InTaskOrder(task, tasks.back())) {
    at = std::upper_bound(tasks.begin(), tasks.end(), task, InTaskOrder);
  }
  tasks.insert(at, task);
  ++size_;
  Begun(task);  // it is not offered any more
}

void SetAsideTasks::AddWaitingForTurn(const Task& task) {
  turns_.push_back(task);
  ++size_;
}

bool SetAsideTasks::Remove(const Task& task) {
  Begun(task);
  const auto same = [&](const Task& other) {
    return SameRequest(other, task) && other.segment == task.segment;
  };
  if (const auto of_stream = unbegun_.find(task.stream); of_stream != unbegun_.end()) {
    Tasks& tasks = of_stream->second;
    const auto found = std::lower_bound(tasks.begin(), tasks.end(), task, InTaskOrder);
    if (found != tasks.end() && same(*found)) {
      tasks.erase(found);
      if (tasks.empty()) unbegun_.erase(of_stream);
      --size_;
      return true;
    }
  }
  const auto removed = static_cast<std::int64_t>(std::erase_if(turns_, same));
  size_ -= removed;
  return removed > 0;
}

std::optional<Task> SetAsideTasks::TakeTurn(const Task& task, SegmentId segment) {
  const auto found = std::find_if(turns_.begin(), turns_.end(), [&](const Task& other) {
    return SameRequest(other, task) && other.segment == segment;
  });
  if (found == turns_.end()) return std::nullopt;
  const Task next = *found;
  turns_.erase(found);
  --size_;
  return next;
}

void SetAsideTasks::OfferOf(StreamId stream, Tasks& tasks,
                            const std::function<bool(const Task&, std::int64_t)>& may,
                            std::vector<Task>& into) {
  std::vector<std::int32_t>& offered = offered_[stream];
  while (!tasks.empty() && may(tasks.front(), static_cast<std::int64_t>(offered.size()))) {
    const Task first = tasks.front();
    offered.push_back(first.index);
    while (!tasks.empty() && SameRequest(tasks.front(), first)) {
      into.push_back(tasks.front());
      tasks.pop_front();
      --size_;
    }
  }
}

std::vector<Task> SetAsideTasks::Offer(const std::function<bool(const Task&, std::int64_t)>& may) {
  std::vector<Task> all;
  for (auto& [stream, tasks] : unbegun_) OfferOf(stream, tasks, may, all);
  std::erase_if(unbegun_, [](const auto& of_stream) { return of_stream.second.empty(); });
  std::sort(all.begin(), all.end(), InTaskOrder);
  return all;
}

void SetAsideTasks::Begun(const Task& task) {
  const auto of_stream = offered_.find(task.stream);
  if (of_stream != offered_.end()) std::erase(of_stream->second, task.index);
}

}  // namespace tandem
