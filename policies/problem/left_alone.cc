#include "policies/problem/left_alone.h"

#include <cstddef>
#include <cstdint>

#include "profiles/base/file_kinds.h"
#include "profiles/base/suggest.h"

namespace tandem {
namespace {

// Does one of the same cores, or device, whose time is shared run it, too?
bool IsStoodFor(const Problem& problem, SegmentId segment, UnitId unit) {
  const std::vector<Unit>& units = problem.platform().units;
  if (units[unit.index()].time_shared) return false;
  for (std::size_t v = 0; v < units.size(); ++v) {
    if (units[v].time_shared && problem.Runs(segment, UnitId(v)) && Exclude(units[v], units[unit.index()]))
      return true;
  }
  return false;
}

// Others than these do one task after the other, whoever has sent it.
bool WouldTakeTurns(const Unit& unit) { return unit.kind == UnitKind::kCpu || unit.kind == UnitKind::kGpu; }

std::string WaitOn(const Unit& unit, std::int64_t streams) {
  const std::string of_unit = "unit " + Quoted(unit.name) + ": ";
  if (unit.time_shared) {
    return of_unit + std::to_string(streams) + " streams that nobody manages wait there for " +
           Counted(unit.slots, "slot") +
           ", where an operating system or driver would let all of them share its time; give it a slot for "
           "each (\"slots\": " +
           std::to_string(streams) + ")";
  }
  return of_unit +
         "streams that nobody manages wait there until tasks of others have ended, as no operating system or "
         "driver would have them; \"time_shared\" with \"slots\" says how it shares, as `tandem validate "
         "--unmanaged` has it of all cores";
}

}  // namespace

UnitId FastestLeftAlone(const Problem& problem, SegmentId segment) {
  UnitId best;
  for (std::size_t u = 0; u < problem.units(); ++u) {
    const UnitId unit(u);
    if (!problem.Runs(segment, unit) || IsStoodFor(problem, segment, unit)) continue;
    if (!best.valid() || problem.Work(segment, unit) < problem.Work(segment, best)) best = unit;
  }
  return best;
}

std::vector<std::string> WaitsOfNobody(const Problem& problem) {
  std::vector<std::int64_t> streams(problem.units(), 0);
  for (std::size_t s = 0; s < problem.scenario().streams.size(); ++s) {
    const Cut& cut = problem.cut(StreamId(s));
    std::vector<char> used(problem.units(), 0);
    for (std::int32_t i = 0; i < cut.segments; ++i) {
      const UnitId unit =
          FastestLeftAlone(problem, SegmentId(cut.first.index() + static_cast<std::size_t>(i)));
      if (unit.valid()) used[unit.index()] = 1;
    }
    for (std::size_t u = 0; u < used.size(); ++u) streams[u] += used[u];
  }
  std::vector<std::string> sentences;
  for (std::size_t u = 0; u < streams.size(); ++u) {
    const Unit& unit = problem.platform().units[u];
    if (streams[u] > unit.slots && WouldTakeTurns(unit)) sentences.push_back(WaitOn(unit, streams[u]));
  }
  return sentences;
}

}  // namespace tandem
