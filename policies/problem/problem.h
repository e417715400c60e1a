// Room policies/problem: a scenario as plain tables: cuts, times, residents, routes. No names and no JSON
// any more.
//
// A scenario made ready to be scheduled: what can run where and how long it takes. One Problem per cut and
// choice of residents.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "policies/problem/cuts.h"
#include "policies/problem/hand_overs.h"
#include "policies/problem/places.h"
#include "policies/problem/residents.h"
#include "policies/problem/times.h"

namespace tandem {

class Slowdowns;

class Problem : public Cuts, public Times, public Residents {
 public:
  // Throws InputError where a stream runs nowhere at this granularity. `scenario` outlives the Problem and
  // has a platform and costs.
  Problem(const Scenario& scenario, Granularity granularity, std::shared_ptr<const CutPlan> cuts = nullptr);

  // The same where units hold other models.
  Problem With(Residents residents) const;
  // The same where units whose residents are open hold what is sent to them: each segment to its unit.
  Problem WithSent(const std::vector<UnitId>& unit_of) const;

  // May the unit take the segment, as things are loaded or can be loaded?
  bool Runs(SegmentId segment, UnitId unit) const { return Time(segment, unit) >= Nanos{0}; }
  bool RunsSomewhere(SegmentId segment) const;
  // The profiled time alone; kCannot where it cannot run.
  Nanos Time(SegmentId segment, UnitId unit) const { return time_[At(segment, unit)]; }
  // What the task occupies a slot for, but for copies and loads; of a segment that runs there.
  Nanos Work(SegmentId segment, UnitId unit, bool mapped = false) const {
    return Dispatch(unit) + (mapped ? MappedTime(segment, unit) : Time(segment, unit));
  }
  // What it reads and makes in the unit's memory.
  std::int64_t TaskBytes(SegmentId segment, UnitId unit) const {
    return tandem::TaskBytes(*this, *this, segment, unit);
  }
  const Slowdowns& slowdowns() const { return *slowdowns_; }
  const HandOvers& hand_overs() const { return *hand_overs_; }
  const Places& places() const { return places_; }

 private:
  void ApplyResidents();
  void CheckAllRun() const;
  std::string WhyNowhere(SegmentId segment) const;

  Places places_;
  std::vector<Nanos> time_;  // per segment and unit; kCannot where residents forbid it
  std::shared_ptr<const Slowdowns> slowdowns_;
  std::shared_ptr<const HandOvers> hand_overs_;
};

}  // namespace tandem
