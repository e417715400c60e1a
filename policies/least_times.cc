#include "policies/least_times.h"

#include <algorithm>

namespace tandem {

LeastTimes::LeastTimes(const Problem& problem) : problem_(&problem) {
  for (std::size_t s = 0; s < problem.segments().size(); ++s) {
    for (std::size_t u = 0; u < problem.units(); ++u) {
      occupation_.push_back(LeastOccupation(SegmentId(s), UnitId(u)));
    }
  }
  for (const Cut& cut : problem.cuts()) chain_.push_back(LongestChain(cut));
}

Nanos LeastTimes::LeastOccupation(SegmentId segment, UnitId unit) const {
  Nanos time =
      problem_->MayChooseResidents(unit) ? problem_->Profiled(segment, unit) : problem_->Time(segment, unit);
  if (time < Nanos{0}) return Problem::kCannot;
  if (problem_->scenario().transfer == TransferMode::kZeroCopy) {
    time = std::min(time, problem_->MappedTime(segment, unit));
  }
  return problem_->Dispatch(unit) + time;
}

Nanos LeastTimes::LongestChain(const Cut& cut) const {
  std::vector<Nanos> start(static_cast<std::size_t>(cut.segments));
  Nanos longest{0};
  for (std::size_t i = 0; i < start.size(); ++i) {
    const SegmentId segment(cut.first.index() + i);
    Nanos fastest = Problem::kCannot;
    for (std::size_t u = 0; u < problem_->units(); ++u) {
      const Nanos time = Occupation(segment, UnitId(u));
      if (time >= Nanos{0} && (fastest < Nanos{0} || time < fastest)) fastest = time;
    }
    const Nanos end = std::min(start[i] + std::max(fastest, Nanos{0}), kLongestTime);
    longest = std::max(longest, end);
    for (const SegmentId next : problem_->segment(segment).feeds) {
      Nanos& begins = start[next.index() - cut.first.index()];
      begins = std::max(begins, end);
    }
  }
  return longest;
}

}  // namespace tandem
