// How fast each running task progresses while units slow each other down or something else loads them.
#pragma once

#include <cstdint>
#include <optional>
#include <unordered_map>
#include <vector>

#include "policies/engine/occupation.h"
#include "policies/engine/turns.h"
#include "policies/engine/warmth.h"
#include "policies/problem/problem.h"
#include "policies/problem/slowdowns.h"
#include "scenarios/trace/outcome.h"

namespace tandem {

// The fastest that anything in the scenario can progress: beyond the full rate only where a slowdown is below
// 1, never beyond 10 times.
Rate TopRate(const Scenario& scenario);

// The rate of a task is 1000 / (slowdown by background load x slowdowns by what runs on other units), rounded
// down, at least 1; by as many as work on a unit that is time-shared, too, and times its unit's speed, by
// date and by heat. Where the unit preempts and a more urgent task works there, or where it is another slot's
// turn, or nobody's as yet, it is 0. Where several units are known together, that counts for them. Known
// slowdowns multiply; where curves over traffic count, the traffic of all those that run beside adds up and
// the steepest of their curves is read off there.
class TaskRates {
 public:
  // `slowdowns`: instead of the problem's. `apart`: those that share a unit's time are programs of their own.
  explicit TaskRates(const Problem& problem, const Slowdowns* slowdowns = nullptr, bool apart = false);
  // By what profiles know of work beside work alone: without loads from outside, speeds and heat.
  static TaskRates AsProfiled(const Problem& problem);

  // Else every rate is full, always.
  bool on() const { return on_; }
  // Who works from `now` on, which makes units warm.
  void Warm(const std::vector<Occupation>& all, Nanos now);
  // The same, for units whose slots take turns; never called: each has its part of the time at every moment.
  void TakeTurns(const std::vector<Occupation>& all, Nanos now);
  Rate Of(const Occupation& slot, const std::vector<Occupation>& all, Nanos now);
  // When a unit's speed changes next; kNever: it does no more.
  Nanos NextChange(Nanos now) const;
  // To what heat holds it back; 1: to nothing.
  double SpeedByHeat(UnitId unit) const;
  void AddHeldBack(Outcome& outcome) const;

 private:
  double SetSpeed(UnitId unit, Nanos now) const;  // by date
  double SpeedOf(UnitId unit, Nanos now) const;
  std::optional<double> SharedBy(const Occupation& slot, const std::vector<Occupation>& all) const;
  std::optional<double> ByTurns(const Occupation& slot, const std::vector<Occupation>& all) const;
  const Slowdowns::Beside& Beside(const Occupation& slot, const Occupation& other);

  const Slowdowns* slowdowns_;
  Rate top_;
  std::vector<char> time_shared_;      // per unit
  std::vector<char> preempts_;         // the same
  std::vector<std::int64_t> urgency_;  // per stream
  bool shared_;                        // any of them
  bool apart_;
  std::vector<UnitSpeed> speeds_;  // by date
  struct Heated {
    UnitId unit;
    Warmth warmth;
  };
  std::vector<Heated> heated_;
  struct Sliced {
    UnitId unit;
    Turns turns;
    std::vector<std::int32_t> working;  // slots
  };
  std::vector<Sliced> sliced_;
  std::vector<std::int32_t> turns_of_;  // per unit its position there; -1: its slots take none
  bool turns_taken_ = false;            // a device's slots take theirs by themselves
  bool warmed_ = false;                 // a device becomes warm by itself
  bool loads_ = true;                   // do loads from outside count?
  bool on_;
  std::size_t units_, jobs_;                                     // jobs: segments on units
  std::unordered_map<std::uint64_t, Slowdowns::Beside> beside_;  // per pair of jobs that has met
  // Of one call, kept for their room.
  Slowdowns::Met met_;
  std::vector<char> working_;  // per unit: does it count by itself?
};

}  // namespace tandem
