#include "policies/kinds/critical_first.h"

#include "policies/engine/exclusion.h"

namespace tandem {
namespace {

std::vector<UnitId> KeptFor(SegmentId segment, const Problem& problem,
                            const std::vector<std::vector<UnitId>>& excluded) {
  std::set<UnitId> kept;
  for (std::size_t u = 0; u < problem.units(); ++u) {
    if (!problem.Runs(segment, UnitId(u))) continue;
    kept.insert(UnitId(u));
    kept.insert(excluded[u].begin(), excluded[u].end());
  }
  return {kept.begin(), kept.end()};
}

}  // namespace

CriticalFirst::CriticalFirst(Prepared critical, Prepared others)
    : critical_(std::move(critical)), others_(std::move(others)), kept_(critical_.problem->units()) {
  const Problem& problem = *critical_.problem;
  const auto excluded = ExcludedUnits(problem.platform());
  keeps_.resize(problem.segments().size());
  for (std::size_t s = 0; s < problem.scenario().streams.size(); ++s) {
    if (!IsCritical(StreamId(s))) continue;
    const Cut& cut = problem.cut(StreamId(s));
    for (std::int32_t i = 0; i < cut.segments; ++i) {
      const SegmentId segment(cut.first.index() + static_cast<std::size_t>(i));
      keeps_[segment.index()] = KeptFor(segment, problem, excluded);
    }
  }
}

void CriticalFirst::Count(SegmentId segment, std::int64_t by) {
  for (const UnitId unit : keeps_[segment.index()]) kept_[unit.index()] += by;
}

void CriticalFirst::NoLongerWaits(const Task& task) {
  if (waiting_.erase({task.stream, task.index, task.segment}) > 0) Count(task.segment, -1);
}

void CriticalFirst::Ready(const Task& task, const Board& board) {
  if (IsCritical(task.stream) && waiting_.insert({task.stream, task.index, task.segment}).second)
    Count(task.segment, 1);
  Of(task.stream).Ready(task, board);
}

bool CriticalFirst::Take(UnitId unit, const Board& board, Task& task) {
  if (critical_.policy->Take(unit, board, task)) {
    NoLongerWaits(task);
    return true;
  }
  return kept_[unit.index()] == 0 && others_.policy->Take(unit, board, task);
}

void CriticalFirst::Drop(const Task& task) {
  NoLongerWaits(task);
  Of(task.stream).Drop(task);
}

}  // namespace tandem
