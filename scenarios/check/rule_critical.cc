// The rule on critical streams: while a task of one waits, no unit that could run it takes another stream's,
// nor one that shares cores or a device with such a unit.
#include <algorithm>
#include <set>
#include <utility>

#include "scenarios/check/rules.h"
#include "scenarios/trace/stretches.h"

namespace tandem {
namespace {

// Per unit: is it kept from others' tasks while this one waits? `takes`: who could run it.
template <class Takes>
std::vector<char> KeptWhileWaiting(const CheckedRun& run, const Takes& takes) {
  std::vector<char> can(run.platform().units.size());
  for (std::size_t u = 0; u < can.size(); ++u) can[u] = takes(UnitId(u)) ? 1 : 0;
  return WithSharers(run.platform(), std::move(can));
}

// `takes` says whether a unit could run a task, `waits` when it waits.
template <class Takes, class Waits>
std::vector<Times> KeptTimesBy(const CheckedRun& run, const std::vector<const CheckedTask*>& tasks,
                               const Takes& takes, const Waits& waits) {
  std::vector<Times> kept(run.platform().units.size());
  std::map<std::int32_t, std::vector<char>> units_of;  // per work
  for (const CheckedTask* each : tasks) {
    const CheckedTask& task = *each;
    if (!run.stream(task).critical) continue;
    const auto [units, is_new] = units_of.try_emplace(task.work);
    if (is_new) units->second = KeptWhileWaiting(run, [&](UnitId unit) { return takes(task, unit); });
    for (const auto& time : waits(task)) {
      for (std::size_t u = 0; u < kept.size(); ++u) {
        if (units->second[u] != 0) kept[u].push_back(time);
      }
    }
  }
  return kept;
}

}  // namespace

std::vector<Times> KeptTimes(const CheckedRun& run) {
  if (!HasCritical(run.scenario())) return std::vector<Times>(run.platform().units.size());
  // What waits in the end is not told.
  if (!run.run().complete) return {run.platform().units.size(), Times{{Nanos{0}, run.run().end}}};
  auto kept = KeptTimesBy(
      run, FirstAttempts(run), [&](const CheckedTask& task, UnitId unit) { return CanTake(run, task, unit); },
      [](const CheckedTask& task) {
        return Times{{task.ready, task.taken}};
      });
  for (Times& times : kept) {
    for (const CheckedRequest& request : run.requests) {
      if (request.dropped && run.stream(request.stream).critical)
        times.emplace_back(request.release, request.end);
    }
    times = Apart(std::move(times));
  }
  return kept;
}

void CheckCritical(const CheckedRun& run, Findings& findings) {
  if (!HasCritical(run.scenario())) return;
  const RoomTimes room = FindRoomTimes(run);
  const std::vector<const CheckedTask*> tasks = FirstAttempts(run);
  // What waits for company does not wait in this sense.
  auto kept = KeptTimesBy(
      run, tasks, [&](const CheckedTask& task, UnitId unit) { return SurelyTakes(run, task, unit); },
      [&](const CheckedTask& task) {
        return run.stream(task).batching ? Times() : TimesOfWait(run, room, task);
      });
  for (Times& times : kept) times = Apart(std::move(times));
  std::set<Nanos> zero;  // instants within which more may happen than the trace tells
  for (const CheckedTask* task : tasks) {
    if (task->end == task->taken) zero.insert(task->taken);
  }
  const Times absences = TimesOfAbsences(run);
  for (const CheckedTask* task : tasks) {
    if (run.stream(*task).critical || task->unclear() || zero.contains(task->taken)) continue;
    if (!Contains(kept[task->unit.index()], task->taken) || Contains(absences, task->taken)) continue;
    findings.Unwanted(run.simulated(), "critical", run.Name(*task), task->taken,
                      "unit \"" + run.platform().unit(task->unit).name +
                          "\" takes it while a task of a critical stream waits");
  }
}

}  // namespace tandem
