// Units that leave and come back, and the tasks that this leaves without a unit: what was under way there,
// which any unit that can may begin again; and what the policy hands out for a unit that is away and none of
// those that asked could run.
#pragma once

#include <functional>
#include <optional>
#include <vector>

#include "policies/problem/places.h"
#include "policies/problem/task.h"
#include "scenarios/scenario/scenario.h"

namespace tandem {

class Absences {
 public:
  static constexpr Nanos kNever{INT64_MAX};

  Absences(const Scenario& scenario, const Places& places);

  bool on() const { return on_; }  // else no unit ever leaves
  bool IsAway(UnitId unit) const { return on_ && away_[unit.index()] != 0; }
  const std::vector<UnitId>& away() const { return now_away_; }  // ascending

  struct Change {
    UnitId unit;
    bool leaves = false;
  };
  Nanos NextDate() const { return next_ < changes_.size() ? changes_[next_].first : kNever; }
  std::optional<Change> Take(Nanos now);  // the next one that is due
  Nanos AwayFor(UnitId unit, Nanos until) const;

  // For whom the policy has handed out what the slot has.
  void Serve(PlaceId place, UnitId unit) { serves_[place.index()] = unit; }
  UnitId Served(PlaceId place) const { return serves_[place.index()]; }

  struct Lost {
    Task task;
    UnitId served;
    std::int32_t batch = 1;
  };
  void Lose(const Lost& lost);
  // The first in task order that may be begun.
  std::optional<Lost> BeginAgain(const std::function<bool(const Lost&)>& may);

  void Strand(const Task& task);
  bool Forget(const Task& stranded);  // false where it is not here
  // Takes those out that may run, in task order.
  std::vector<Task> TakeStranded(const std::function<bool(const Task&)>& may);

  std::int64_t size() const { return size_; }

 private:
  bool on_;
  std::vector<UnitAbsence> all_;
  std::vector<std::pair<Nanos, Change>> changes_;  // ascending; who comes back before who leaves
  std::size_t next_ = 0;
  std::vector<char> away_;  // per unit
  std::vector<UnitId> now_away_;
  std::vector<UnitId> serves_;  // per place
  std::vector<Lost> lost_;      // in task order
  std::vector<Task> stranded_;
  std::int64_t size_ = 0;  // of both
};

}  // namespace tandem
