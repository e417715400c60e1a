// What single decisions of a run would have been worth otherwise: its schedule is held fixed, one decision is
// changed, and the whole is simulated again in virtual time.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "policies/explain/critical_path.h"
#include "policies/kinds/recording_policy.h"
#include "policies/problem/problem.h"
#include "scenarios/report/draws.h"
#include "scenarios/report/replication.h"

namespace tandem {

inline constexpr std::int64_t kMostAlternatives = 200;

// How many schedules are tried of a run of so many tasks: the more tasks, the fewer.
std::int64_t AlternativesFor(std::size_t tasks);

// Makespan and objective (in its own unit) of one schedule, and what they come out as over draws.
struct Valued {
  Nanos makespan{0};
  double objective = 0;
  std::optional<DrawnFigure<Nanos>> makespan_drawn;  // both or neither
  std::optional<DrawnFigure<double>> objective_drawn;
};

enum class Change : std::uint8_t {
  kAll,      // all that the unit ran of the model or segment goes to another unit
  kHalf,     // the second half of that
  kOne,      // one of it
  kEarlier,  // one task is taken as soon as it is ready, before what its unit ran instead
};

struct Alternative {
  Change change = Change::kAll;
  ModelId model;
  SegmentId segment;  // invalid: all segments of the model
  UnitId from, to;
  std::int64_t tasks = 0;  // that it changes
  StreamId stream;         // of kOne and kEarlier: the request
  std::int32_t index = 0;
  Valued value;
  // Of the objective, as a share of what it is with nothing changed: over draws of one luck.
  std::optional<Interval> change_drawn;
};

struct Alternatives {
  Valued base;                    // the same schedule, nothing changed
  std::int64_t tried = 0;         // schedules that were simulated, without the base
  std::int64_t impossible = 0;    // of them, those that cannot be run to an end
  std::vector<Alternative> best;  // the best first, one for each thing that moves from a unit to another
  std::string why_none;           // where nothing was tried
};

// How often those that are best, and what they are compared with, are drawn.
struct AlternativeDraws {
  std::int64_t count = 0;  // 0: never
  double probability = kUsualInterval;
  std::function<bool(std::int64_t done, std::int64_t all)> go_on;  // is asked often
};

// `taken`: what the run did, in its order; `path` its critical path. Looks at what takes or holds up most of
// the path first. `go_on` is asked often, with how many were tried.
Alternatives TryAlternatives(const Problem& problem, const std::vector<Decision>& taken,
                             const std::vector<PathPiece>& path,
                             const std::function<bool(std::int64_t)>& go_on,
                             const AlternativeDraws& draws = {});

}  // namespace tandem
