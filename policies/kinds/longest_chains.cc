#include "policies/kinds/longest_chains.h"

#include <algorithm>

namespace tandem {

Nanos OccupationOf(const Problem& problem, SegmentId segment, UnitId unit) {
  if (!problem.Runs(segment, unit)) return Problem::kCannot;
  return problem.Dispatch(unit) + problem.Time(segment, unit);
}

std::vector<Nanos> LongestChains(const Problem& problem) {
  std::vector<Nanos> chains(problem.segments().size());
  for (std::size_t s = chains.size(); s-- > 0;) {  // a segment feeds later ones alone
    Nanos fastest = Problem::kCannot, longest{0};
    for (std::size_t u = 0; u < problem.units(); ++u) {
      const Nanos work = OccupationOf(problem, SegmentId(s), UnitId(u));
      if (work >= Nanos{0} && (fastest < Nanos{0} || work < fastest)) fastest = work;
    }
    for (const SegmentId next : problem.segment(SegmentId(s)).feeds) {
      longest = std::max(longest, chains[next.index()]);
    }
    chains[s] = std::min(longest + std::max(fastest, Nanos{0}), kLongestTime);
  }
  return chains;
}

}  // namespace tandem
