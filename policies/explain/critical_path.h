// Room policies/explain: why a run takes as long as it does: critical path, waits, alternatives.
//
// What a run's makespan consists of: from the last completion back, always to what had to end before, down to
// the first release. docs/semantics.md, "The critical path", has the rules.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "policies/problem/problem.h"
#include "scenarios/scenario/scenario.h"
#include "scenarios/trace/outcome.h"
#include "scenarios/trace/span_log.h"

namespace tandem {

enum class PathCause : std::uint8_t {
  kCompute,     // profiled work
  kDispatch,    // of it
  kTransfer,    // a copy, by the task itself or by another that brings what it reads
  kLoad,        // of its model
  kContention,  // what work, copies and loads took beyond their own time
  kUnit,        // ready, but the unit (or copy engine, or one that shares cores with it) was at other work
  kRoom,        // memory had no room for its request
  kHeldBack,    // ready, the unit idle: the policy kept it for later or the unit for others
  kArrival,     // not released yet
  kLost,        // begun before, on a unit that left with it
  kAway,        // ready, the unit not there
  kCritical,    // ready, and of no critical stream: those that are went before it, or the unit was kept for
                // them
};
inline constexpr std::size_t kPathCauses = 12;
inline constexpr std::array<std::string_view, kPathCauses> kPathCauseNames = {
    "compute", "dispatch",  "transfer", "load", "contention", "unit",
    "room",    "held_back", "arrival",  "lost", "away",       "critical"};

struct PathPiece {
  PathCause cause = PathCause::kArrival;
  Nanos from{0}, to{0};
  // The task; no segment where the request was not there yet.
  StreamId stream;
  std::int32_t index = 0;
  SegmentId segment;
  UnitId unit;               // that it is at, or waits for; copy engines follow the platform's units
  std::int32_t tensor = -1;  // transfers: position in the cut
  MemoryId from_memory, to_memory;
  // kUnit and kCritical: who was there meanwhile, and how long, all slots together.
  std::vector<std::pair<SegmentId, Nanos>> behind;

  Nanos length() const { return to - from; }
};

// In order of time, each beginning where the one before ends; together the makespan. Empty where nothing was
// completed. Throws InputError where the log is full.
std::vector<PathPiece> CriticalPath(const Problem& problem, const SpanLog& log, const Outcome& outcome);

// Of the completed requests the one that is furthest past its deadline, or, where none is past it, that with
// the largest latency; of equals the first. Nothing where none was completed. A stream with a deadline from
// end to end has its latency from there, too: the release is that of the request on which it hangs in the
// end.
std::optional<RequestEnd> WorstRequest(const Scenario& scenario, const SpanLog& log);
// What its latency consists of, from its release to its completion, through all that it waited for in
// between. Throws as above.
std::vector<PathPiece> PathOfRequest(const Problem& problem, const SpanLog& log, const Outcome& outcome,
                                     const RequestEnd& request);

// Of the pieces of each cause together.
std::array<Nanos, kPathCauses> TimePerCause(const std::vector<PathPiece>& path);

// "gpu", or of a copy engine "dram-vram copy".
std::string UnitOrEngineName(const Platform& platform, UnitId unit);

}  // namespace tandem
