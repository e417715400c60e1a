// Who can take what, and when and where it is the policy's alone to say who does.
#include <algorithm>
#include <map>
#include <utility>

#include "scenarios/check/rules.h"
#include "scenarios/trace/stretches.h"

namespace tandem {
namespace {

// Those of its sizes that the unit has a time for, or one request alone.
bool MayTakeBatches(const CheckedRun& run, StreamId stream, UnitId unit) {
  const bool alone = run.scenario().Time(run.stream(stream).model, unit, 1).has_value();
  return alone || run.LargestBatch(stream, unit) > 1;
}

}  // namespace

const PolicyDeclaration* PolicyOf(const CheckedRun& run) {
  if (run.run().rule) return FindPolicy(*run.run().rule);
  for (const PolicySpec& spec : run.scenario().policies) {
    if (spec.label == run.run().policy) return spec.declaration;
  }
  return FindPolicy(run.run().policy);
}

bool CanTake(const CheckedRun& run, const CheckedTask& task, UnitId unit) {
  const CheckedWork& work = run.work(task);
  return work.time[unit.index()] >= Nanos{0} && (!work.copies || run.reached[unit.index()] != 0) &&
         run.may_hold[unit.index()][run.segment(task).model.index()] != 0;
}

bool SurelyTakes(const CheckedRun& run, const CheckedTask& task, UnitId unit) {
  const bool limited = run.platform().memories[run.memory_of(unit).index()].capacity_bytes.has_value();
  const bool held = run.holds[unit.index()][run.segment(task).model.index()] != 0;
  return CanTake(run, task, unit) && (held || !limited);
}

bool Contains(const Times& times, Nanos date) {
  const auto after =
      std::partition_point(times.begin(), times.end(), [&](const auto& time) { return time.second <= date; });
  return after != times.end() && after->first <= date;
}

bool Meets(const Times& times, Nanos from, Nanos to) {
  const auto after =
      std::partition_point(times.begin(), times.end(), [&](const auto& time) { return time.second <= from; });
  return after != times.end() && after->first <= to;
}

// From when a unit leaves until all that came before it was back has ended: nothing is left by then that was
// lost, or that another unit may have for it.
Times TimesOfAbsences(const CheckedRun& run) {
  if (run.scenario().away.empty()) return {};
  const Nanos end = run.run().end + Nanos{1};
  std::vector<std::pair<Nanos, Nanos>> ends;  // per request: release and end
  for (const CheckedRequest& request : run.requests) ends.emplace_back(request.release, request.end);
  std::sort(ends.begin(), ends.end());
  Nanos latest{0};
  for (auto& [release, until] : ends) until = latest = std::max(latest, until);
  Times times;
  for (const UnitAbsence& absence : run.scenario().away) {
    if (absence.from >= end) continue;
    // What was lost is not told where it was not begun again.
    if (!run.run().complete) return {{Nanos{0}, end}};
    Nanos until = absence.until.value_or(end);
    const auto behind = std::partition_point(ends.begin(), ends.end(),
                                             [&](const auto& request) { return request.first <= until; });
    if (behind != ends.begin()) until = std::max(until, std::prev(behind)->second);
    times.emplace_back(absence.from, until + Nanos{1});
  }
  return Apart(std::move(times));
}

std::vector<const CheckedTask*> FirstAttempts(const CheckedRun& run) {
  std::map<std::pair<std::int32_t, std::int32_t>, const CheckedTask*> lost;  // by request and segment
  for (const CheckedTask& task : run.lost) lost.try_emplace({task.request, task.segment}, &task);
  std::vector<const CheckedTask*> attempts;
  attempts.reserve(run.tasks.size());
  for (const CheckedTask& task : run.tasks) {
    const auto before = task.begun < task.taken ? lost.find({task.request, task.segment}) : lost.end();
    attempts.push_back(before == lost.end() ? &task : before->second);
  }
  return attempts;
}

std::vector<char> UnitsOfBatches(const CheckedRun& run) {
  std::vector<char> take(run.platform().units.size());
  for (std::size_t s = 0; s < run.scenario().streams.size(); ++s) {
    if (!run.stream(StreamId(s)).batching) continue;
    for (std::size_t u = 0; u < take.size(); ++u)
      take[u] = take[u] != 0 || MayTakeBatches(run, StreamId(s), UnitId(u)) ? 1 : 0;
  }
  return WithSharers(run.platform(), std::move(take));
}

}  // namespace tandem
