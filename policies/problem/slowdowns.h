// What a scenario's profiles know of work that slows down, or gets faster: under a load from outside, beside
// other units' work, after a pause. Names are resolved once per Problem; docs/semantics.md says which of
// several entries counts.
#pragma once

#include <map>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "policies/problem/cuts.h"
#include "policies/problem/entry_reader.h"
#include "policies/problem/sharing_costs.h"

namespace tandem {

class Slowdowns {
 public:
  // Keeps nothing of them. `profiles`: the scenario's, or what a draw makes of these.
  Slowdowns(const Cuts& cuts, const std::vector<Profile>& profiles);

  bool on() const { return on_; }  // else nothing ever slows down while it runs

  // By the load of the unit.
  double Background(SegmentId segment, UnitId unit) const {
    return background_.empty() ? 1 : background_[At(segment, unit)];
  }
  // By a profile; else, under a load, it is an estimate.
  bool BackgroundIsMeasured(SegmentId segment, UnitId unit) const {
    return !measured_.empty() && measured_[At(segment, unit)] != 0;
  }

  // Bytes a second that it moves while it runs; nothing: no profile tells.
  std::optional<double> Traffic(SegmentId segment, UnitId unit) const {
    if (traffic_.empty()) return std::nullopt;
    const double traffic = traffic_[At(segment, unit)];
    return traffic < 0 ? std::nullopt : std::optional(traffic);
  }

  // What work meets while something else runs beside it.
  struct Beside {
    double slowdown = 1;
    std::int32_t curve = -1;  // else it is this one that counts, at the traffic of all that run beside
    double traffic = 0;       // of this one
  };
  // `a` on `unit` while `b` runs on `beside`, which is another unit.
  Beside Of(SegmentId a, UnitId unit, SegmentId b, UnitId beside) const;
  // Do profiles tell it of each of `works` beside each of `others`? Else it is taken to be 1.
  bool KnowBeside(const std::vector<SegmentId>& works, UnitId unit, const std::vector<SegmentId>& others,
                  UnitId beside) const;
  // Linear between the measured points, 1 without traffic, constant beyond the last point.
  double At(std::int32_t curve, double traffic) const;

  // What work meets while several units work, two or more, whatever each of them alone would cost.
  struct Group {
    std::vector<UnitId> beside;
    double slowdown = 1;
  };
  // Of the groups of which all work (`working`, per unit) the one of most units, of those the most particular
  // about the work; null: none.
  const Group* Together(SegmentId segment, UnitId unit, const std::vector<char>& working) const;
  // What is met in all, of one after the other; curves are read off at all that runs beside.
  class Met {
   public:
    void Begin(double before);  // keeps its room
    void Add(const Group& group) { slowdown_ *= group.slowdown; }
    void Add(const Beside& met);
    double Slowdown(const Slowdowns& known) const;

   private:
    double slowdown_ = 1, traffic_ = 0;
    std::vector<std::int32_t> curves_;
  };
  // What so much work takes, rounded up, while all of these units, of which it is one, do the same.
  Nanos AllAtOnce(SegmentId segment, UnitId unit, Nanos work, std::span<const UnitId> units) const;

  // What a task meets on a unit whose time is shared while so many are there, itself among them; `apart`:
  // each in a program of its own. Where only the other way is known, that counts.
  double Sharing(SegmentId segment, UnitId unit, std::int64_t at_once, bool apart) const {
    return sharing_.Of(segment, unit, at_once, apart);
  }
  // The same where it is known which others there are: each of them counts for its part of the number.
  bool sharing_by_pairs() const { return sharing_.by_pairs(); }  // else they are all alike
  double SharingWith(SegmentId segment, UnitId unit, std::span<const SegmentId> others, bool apart) const {
    return sharing_.With(segment, unit, others, apart);
  }
  // Do profiles tell it of any task there? Else each gets a fair part.
  bool KnowSharing(UnitId unit) const { return sharing_.Know(unit); }
  // What is said of groups that share a unit's time and that nobody measured is off by so much, per segment
  // and unit: of a draw.
  void GroupsThatShareAreOff(std::vector<double> by) { sharing_.GroupsAreOff(std::move(by)); }

  // Does it count what a unit did, or did not do, before it takes a task?
  bool AtStart() const { return pauses() || switches() || repeats(); }
  bool pauses() const { return !pauses_.empty(); }  // else a pause before it changes no work
  // What so much work takes, rounded up, where the unit has idled for so long.
  Nanos AfterIdle(SegmentId segment, UnitId unit, Nanos work, Nanos idled) const;

  bool switches() const { return switches_; }  // else what a unit did before changes no work
  // What so much work takes, rounded up, where the unit has done another model's since it last did this.
  Nanos AfterOther(SegmentId segment, UnitId unit, Nanos work) const;

  bool repeats() const { return !repeats_.empty(); }  // else it is all the same when it did this last
  // What so much work takes, rounded up, where the unit took a task of this segment last so long before;
  // nothing: that is too long ago to count.
  std::optional<Nanos> Repeated(SegmentId segment, UnitId unit, Nanos work, Nanos since) const;

 private:
  struct Entry {
    EntryWork work, beside;
    double slowdown = 1;
  };
  struct Curve {
    EntryWork work;
    SlowdownPoints points;
  };
  struct GroupEntry {
    EntryWork work;
    Group group;
  };
  class Reader;

  // What profiles know of a unit beside another one.
  struct OfPair {
    std::vector<Entry> entries;
    std::vector<std::int32_t> curves;
  };

  std::size_t At(SegmentId segment, UnitId unit) const { return segment.index() * units_ + unit.index(); }
  const OfPair& Pair(UnitId unit, UnitId beside) const;
  double SlowdownBeside(const std::vector<Entry>& entries, SegmentId a, SegmentId b, bool named) const;

  std::size_t units_;
  bool on_ = false;
  std::vector<ModelId> model_of_;  // per segment
  // What is there per segment and unit is empty where no profile, and for the first no load, has any.
  std::vector<double> background_;                      // per segment and unit
  std::vector<char> measured_;                          // the same: is that slowdown a profile's?
  std::map<std::pair<UnitId, UnitId>, OfPair> beside_;  // of those that profiles know
  std::vector<Curve> curves_;                           // of all pairs
  std::vector<double> traffic_;                         // per segment and unit; negative: unknown
  std::vector<std::vector<GroupEntry>> together_;       // per unit
  SharingCosts sharing_;
  std::vector<SlowdownPoints> pauses_;  // of all units and models; the first: nothing is known
  std::vector<double> pause_;           // per segment and unit: which of them, a whole number
  bool switches_ = false;
  std::vector<double> after_other_;       // per segment and unit
  std::vector<SlowdownPoints> repeats_;   // by how long before; of all units and segments
  std::vector<std::int32_t> repeats_of_;  // per segment and unit: which of them; -1: none
};

// The least that anything in the scenario may be slowed down by while it runs, at most 1, its unit's speed
// counted; and by what its unit did before: nothing for a while, or another model.
double LeastSlowdown(const Scenario& scenario);
double LeastAtStart(const Scenario& scenario);

}  // namespace tandem
