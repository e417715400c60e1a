#include "device/service/running_medians.h"

#include <cmath>

#include "profiles/base/statistics.h"

namespace tandem {

RunningMedians::RunningMedians(const Problem& problem, double drift)
    : problem_(&problem), drift_(drift), last_(problem.segments().size() * problem.units()) {}

std::optional<RunningMedians::Place> RunningMedians::Add(SegmentId segment, UnitId unit, Nanos took) {
  Last& last = last_[segment.index() * problem_->units() + unit.index()];
  if (last.took.size() < kWindow) {
    last.took.push_back(took);
  } else {
    last.took[last.next] = took;
  }
  last.next = (last.next + 1) % kWindow;
  // Now and then is often enough.
  if (last.took.size() < kLeast || last.next % kLeast != 0) return std::nullopt;
  const Place place{segment, unit, Profiled(segment, unit), LowerMedian(last.took)};
  const auto profiled = static_cast<double>(place.profiled.count());
  const bool away = std::abs(static_cast<double>(place.measured.count()) - profiled) > drift_ * profiled;
  const bool tell = away && !last.told;
  last.told = away;
  return tell ? std::optional(place) : std::nullopt;
}

std::vector<RunningMedians::Place> RunningMedians::All() const {
  std::vector<Place> places;
  for (std::size_t at = 0; at < last_.size(); ++at) {
    if (last_[at].took.size() < kLeast) continue;
    const SegmentId segment(at / problem_->units());
    const UnitId unit(at % problem_->units());
    places.push_back({segment, unit, Profiled(segment, unit), LowerMedian(last_[at].took)});
  }
  return places;
}

}  // namespace tandem
