#include "policies/kinds/fifo_queue.h"

#include <algorithm>

namespace tandem {

FifoQueue::FifoQueue(std::size_t units, const std::vector<std::vector<char>>& takes) : lines_of_(units) {
  std::map<std::vector<char>, std::int32_t> known;
  for (const std::vector<char>& of_segment : takes) {
    const auto [found, is_new] = known.try_emplace(of_segment, static_cast<std::int32_t>(lines_.size()));
    line_of_.push_back(found->second);
    if (!is_new) continue;
    lines_.emplace_back();
    for (std::size_t u = 0; u < units; ++u) {
      if (of_segment[u]) lines_of_[u].push_back(found->second);
    }
  }
}

// Nearly always it comes last: only what one instant makes ready may come in any order.
void FifoQueue::Add(const Task& task, Nanos now) {
  std::deque<Entry>& line = lines_[static_cast<std::size_t>(line_of_[task.segment.index()])];
  const Entry entry{now, task};
  auto at = line.end();
  while (at != line.begin() && entry < *(at - 1)) --at;
  line.insert(at, entry);
}

void FifoQueue::DropRemoved(std::deque<Entry>& line) {
  while (!removed_.empty() && !line.empty() && removed_.erase(KeyOf(line.front().task)) > 0) {
    line.pop_front();
  }
}

bool FifoQueue::Take(UnitId unit, Task& task) {
  std::deque<Entry>* first = nullptr;
  for (const std::int32_t l : lines_of_[unit.index()]) {
    std::deque<Entry>& line = lines_[static_cast<std::size_t>(l)];
    DropRemoved(line);
    if (!line.empty() && (!first || line.front() < first->front())) first = &line;
  }
  if (!first) return false;
  task = first->front().task;
  first->pop_front();
  return true;
}

void FifoQueue::Remove(const Task& task) { removed_.insert(KeyOf(task)); }

}  // namespace tandem
