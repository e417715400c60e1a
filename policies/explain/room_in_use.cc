#include "policies/explain/room_in_use.h"

#include <algorithm>

namespace tandem {

RoomInUse::RoomInUse(const Problem& problem, const SpansByTask& index, const SpanLog& log)
    : ledger_(problem), used_(problem.platform().memories.size()) {
  if (!ledger_.on()) return;
  std::map<RequestName, std::pair<SpansByTask::TaskName, Nanos>> ends;  // any task, and its slot's last span
  for (const Span& span : log.spans()) {
    if (index.IsEngine(span.unit) || index.WasLost(span)) continue;
    const RequestName request{span.stream, span.index};
    const auto [begun, is_new] = begun_.try_emplace(request, span.taken);
    begun->second = std::min(begun->second, span.taken);
    auto& end = ends[request];
    end = {SpansByTask::NameOf(span), std::max(end.second, span.end)};
  }
  std::map<RequestName, Nanos> completed;
  for (const RequestEnd& end : log.ends()) completed[{end.stream, end.index}] = end.at;
  for (const auto& [request, last] : ends) {
    const bool one_task = problem.cut(request.first).segments == 1;
    const auto end = completed.find(request);
    const Nanos until = one_task || end == completed.end() ? last.second : end->second;
    AddUse(last.first, index.UnitOf(last.first), begun_.at(request), until,
           index.BatchOf(request.first, request.second));
  }
  for (auto& changes : used_) {
    std::int64_t used = 0;
    for (auto& [date, bytes] : changes) bytes = used += bytes;
  }
}

Task RoomInUse::TaskOf(const SpansByTask::TaskName& name) {
  Task task;
  task.stream = name.stream;
  task.index = name.index;
  task.segment = SegmentId(static_cast<std::size_t>(name.segment));
  return task;
}

void RoomInUse::AddUse(const SpansByTask::TaskName& task, UnitId unit, Nanos from, Nanos to,
                       std::int64_t requests) {
  if (!unit.valid()) return;
  for (std::size_t m = 0; m < used_.size(); ++m) {
    const std::int64_t need = requests * ledger_.Need(TaskOf(task), unit, MemoryId(m));
    if (need == 0) continue;
    used_[m][from] += need;
    used_[m][to] -= need;
  }
}

std::vector<std::pair<Nanos, Nanos>> RoomInUse::LackedFor(const SpansByTask::TaskName& task, UnitId unit,
                                                          Nanos from, Nanos to) const {
  std::vector<std::pair<Nanos, Nanos>> lacked;
  const auto begun = begun_.find({task.stream, task.index});
  if (begun == begun_.end()) return lacked;
  const Nanos last = std::min(begun->second, to);
  for (std::size_t m = 0; m < used_.size(); ++m) {
    const std::int64_t need = ledger_.Need(TaskOf(task), unit, MemoryId(m));
    auto at = used_[m].upper_bound(from);
    if (at != used_[m].begin()) --at;
    for (; need > 0 && at != used_[m].end() && at->first < last; ++at) {
      const auto next = std::next(at);
      const Nanos until = next == used_[m].end() ? last : std::min(next->first, last);
      if (at->second + need > ledger_.Room(MemoryId(m))) lacked.emplace_back(at->first, until);
    }
  }
  return lacked;
}

}  // namespace tandem
