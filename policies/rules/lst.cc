// Least slack: an idle unit takes the task with the least time to spare, which is its request's deadline -
// now
// - what the request still needs from this task on: the longest chain of fastest times, dispatch included.
// Requests without a deadline come last. Tie-break: task order. Source: Mok, 1983; tasks are not interrupted.
#include <algorithm>

#include "policies/kinds/list_policy.h"

namespace tandem {
namespace {

Nanos FastestTime(const Problem& problem, SegmentId segment) {
  Nanos least = Problem::kCannot;
  for (std::size_t u = 0; u < problem.units(); ++u) {
    if (!problem.Runs(segment, UnitId(u))) continue;
    const Nanos time = problem.Dispatch(UnitId(u)) + problem.Time(segment, UnitId(u));
    least = least == Problem::kCannot ? time : std::min(least, time);
  }
  return least;
}

// Per segment the longest chain from it on.
std::vector<Nanos> Chains(const Problem& problem) {
  std::vector<Nanos> chains(problem.segments().size());
  for (std::size_t s = chains.size(); s-- > 0;) {  // a segment feeds later ones alone
    Nanos longest{0};
    for (const SegmentId next : problem.segment(SegmentId(s)).feeds) {
      longest = std::max(longest, chains[next.index()]);
    }
    chains[s] = FastestTime(problem, SegmentId(s)) + longest;
  }
  return chains;
}

// `now` is the same for all that wait, so the order is by deadline less chain.
std::unique_ptr<Policy> Make(const PolicySpec&, Problem& problem) {
  const std::vector<Nanos> chains = Chains(problem);
  return std::make_unique<ListPolicy>(problem, [&](UnitId, StreamId stream, SegmentId segment) {
    const auto& deadline = problem.scenario().streams[stream.index()].deadline;
    return deadline ? LaneRule{.takes = true, .rank = 0, .offset = *deadline - chains[segment.index()]}
                    : LaneRule{.takes = true, .rank = 1};
  });
}

const PolicyRegistration kLst{
    {.name = "lst",
     .summary = "an idle unit takes the task with the least time to spare before its deadline",
     .make = Make}};

}  // namespace
}  // namespace tandem
