#include "policies/explain/kept_for_critical.h"

#include <algorithm>
#include <set>

#include "policies/engine/exclusion.h"
#include "scenarios/scenario/scenario.h"
#include "scenarios/trace/stretches.h"

namespace tandem {
namespace {

// The interval without those.
Stretches Without(Nanos from, Nanos to, Stretches others) {
  Stretches left;
  for (const auto& [begin, end] : Apart(std::move(others))) {
    if (from < begin) left.emplace_back(from, std::min(begin, to));
    from = std::max(from, end);
  }
  if (from < to) left.emplace_back(from, to);
  return left;
}

}  // namespace

KeptForCritical::KeptForCritical(const Problem& problem, const SpansByTask& index, const RoomInUse& room,
                                 const SpanLog& log) {
  const Scenario& scenario = problem.scenario();
  if (!HasCritical(scenario)) return;
  excluded_ = ExcludedUnits(problem.platform());
  kept_.resize(problem.units());
  for (const Span& span : log.spans()) {
    const Stream& stream = scenario.streams[span.stream.index()];
    if (span.kind != SpanKind::kCompute || !stream.critical || stream.batching) continue;
    const SpansByTask::TaskName task = SpansByTask::NameOf(span);
    const auto& lost = index.LostBefore(task);
    const Nanos until = lost.empty() ? span.taken : lost.front().from;
    AddWait(problem, SegmentId(static_cast<std::size_t>(span.segment)),
            Without(span.ready, until, room.LackedFor(task, span.unit, span.ready, until)));
  }
  for (const RequestEnd& end : log.ends()) {
    if (!end.dropped || !scenario.streams[end.stream.index()].critical) continue;
    for (const SegmentId source : problem.cut(end.stream).sources)
      AddWait(problem, source, Without(end.release, end.at, {}));
  }
  for (Times& times : kept_) times = Apart(std::move(times));
}

void KeptForCritical::AddWait(const Problem& problem, SegmentId segment, const Times& times) {
  if (times.empty()) return;
  std::set<UnitId> units;
  for (std::size_t u = 0; u < problem.units(); ++u) {
    if (!problem.Runs(segment, UnitId(u))) continue;
    units.insert(UnitId(u));
    units.insert(excluded_[u].begin(), excluded_[u].end());
  }
  for (const UnitId unit : units)
    kept_[unit.index()].insert(kept_[unit.index()].end(), times.begin(), times.end());
}

std::vector<std::pair<Nanos, Nanos>> KeptForCritical::During(UnitId unit, Nanos from, Nanos to) const {
  if (unit.index() >= kept_.size()) return {};
  const Times& times = kept_[unit.index()];
  const auto first =
      std::partition_point(times.begin(), times.end(), [&](const auto& time) { return time.second <= from; });
  const auto last =
      std::partition_point(first, times.end(), [&](const auto& time) { return time.first < to; });
  return {first, last};
}

}  // namespace tandem
