// The best schedule of a few jobs, by branch and bound over what runs where and in which order, with the
// proof that there is no better one. For small cases: bounds and searches are judged by it.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "policies/bounds/least_times.h"
#include "policies/problem/problem.h"
#include "policies/problem/task.h"

namespace tandem {

inline constexpr std::size_t kMostExactJobs = 64;
// What is solved in passing, in milliseconds, beside a bound or a search.
inline constexpr std::size_t kFewExactJobs = 24;
inline constexpr std::int64_t kFewExactNodes = 20'000;

struct ExactJob {
  std::vector<Nanos> time;          // per unit; negative: it cannot run there
  std::vector<std::int32_t> after;  // earlier jobs of the list, which must have ended
  Nanos release{0};
  std::optional<Nanos> due;  // the date by which it must have ended
  std::int32_t request = 0;  // ascending along the list: equal requests stand for each other
};

struct ExactCase {
  std::vector<ExactJob> jobs;
  std::vector<std::int64_t> slots;  // per unit
};

struct ExactStart {
  UnitId unit;
  std::int32_t slot = 0;
  Nanos start{0}, end{0};
};

struct ExactAnswer {
  std::vector<ExactStart> schedule;  // per job; empty: none was found that is in time
  Nanos end{0};                      // of the schedule
  Nanos bound{0};                    // no schedule ends earlier
  bool proved = false;               // the schedule is the best; without one, there is none
  std::int64_t nodes = 0;            // partial schedules that were looked at
};

// At most kMostExactJobs jobs. Jobs run to their end; whether a job waits for a unit or a unit for a job is
// part of the choice.
ExactAnswer SolveExactly(const ExactCase& jobs, std::int64_t most_nodes);

// A problem written out as jobs.
struct ProblemCase {
  ExactCase jobs;
  std::vector<Task> tasks;  // per job; `live` is not used
  Nanos first_release{0};
  // Do the jobs say all? Else copies, loads or slowdowns come on top, and an answer is a lower bound alone.
  bool faithful = true;
};

enum class Deadlines : std::uint8_t { kIgnored, kKept };

// With the problem's present residents. Nothing where there are too many tasks, where requests may be dropped
// or a stream ends by the clock, where several requests of a closed stream are in flight and others follow,
// or where a deadline to be kept counts from another request's completion.
std::optional<ProblemCase> WriteOut(const Problem& problem, Deadlines deadlines = Deadlines::kIgnored,
                                    OpenEdges edges = OpenEdges::kNo);

}  // namespace tandem
