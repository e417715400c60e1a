// What each unit did with its time, and why it did nothing: gathered from the spans of a run.
#pragma once

#include <array>
#include <cstdint>
#include <functional>
#include <map>
#include <string_view>
#include <tuple>
#include <utility>
#include <vector>

#include "scenarios/scenario/scenario.h"
#include "scenarios/trace/outcome.h"
#include "scenarios/trace/span.h"

namespace tandem {

enum class Cause : std::uint8_t {
  kWorking,   // compute and dispatch
  kMoving,    // copies and loads that the slot itself makes
  kInput,     // has a task whose inputs others bring in, or whose model is not there yet
  kHeldBack,  // idle while a task waited that the unit could run: the policy kept it for later or for others
  kBlocked,   // idle while requests waited for tasks of theirs on other units
  kNothing,   // idle: nothing was there to do
  kLost,      // at what it lost when it left
  kAway,      // it was not there
};
inline constexpr std::size_t kCauses = 8;
inline constexpr std::array<std::string_view, kCauses> kCauseNames = {
    "working", "moving", "input", "held_back", "blocked", "nothing", "lost", "away"};

struct UnitTime {
  std::array<Nanos, kCauses> of{};  // all slots together
  Nanos& operator[](Cause cause) { return of[static_cast<std::size_t>(cause)]; }
  Nanos operator[](Cause cause) const { return of[static_cast<std::size_t>(cause)]; }
};

class TimeByCause final : public SpanSink {
 public:
  // Slots per unit of the platform; which unit can run a segment; the segments with which a request of the
  // stream begins; when units are not there.
  TimeByCause(std::vector<std::int64_t> slots, std::function<bool(std::int32_t segment, UnitId)> runs,
              std::function<std::vector<std::int32_t>(StreamId)> first_segments,
              std::vector<UnitAbsence> away = {});

  void Add(const Span& span) override;
  void Ended(const RequestEnd& end) override;

  // After the run, per unit: from the first release to the last completion, and nothing outside. The causes
  // of a unit add up to the makespan times its slots.
  std::vector<UnitTime> Result(const Outcome& outcome) const;

 private:
  struct Interval {
    Nanos begin{0}, end{0};
    friend auto operator<=>(const Interval&, const Interval&) = default;
  };
  using Intervals = std::vector<Interval>;  // disjoint and ascending, once merged

  using TaskKey = std::tuple<StreamId, std::int32_t, std::int32_t>;  // index and segment
  struct Slot {
    UnitTime time;  // of working, moving and what was lost
    TaskKey last;
    Intervals taken;
  };

  void Take(Slot& slot, const Span& span);
  static void Merge(Intervals& intervals);
  static Nanos Common(const Intervals& a, const Intervals& b);
  static Intervals Without(const Intervals& some, const Intervals& others);
  Intervals For(UnitId unit, const std::vector<Intervals>& per_segment) const;
  void Wait(std::vector<Intervals>& per_segment, std::int32_t segment, Interval interval);
  void AddUnit(UnitId unit, Interval window, UnitTime& time) const;

  std::vector<std::int64_t> slots_;
  std::function<bool(std::int32_t, UnitId)> runs_;
  std::function<std::vector<std::int32_t>(StreamId)> first_segments_;
  std::vector<std::vector<Slot>> used_;  // per unit
  std::vector<Intervals> waited_;        // per segment: ready and not started
  std::vector<Intervals> unready_;       // per segment: released and not ready
  // Of tasks whose inputs copy engines bring in: when the first began, which is all that spans tell of since
  // when the slot was theirs.
  std::map<TaskKey, Nanos> brought_since_;
  std::map<TaskKey, Nanos> lost_until_;  // of tasks that were lost: since when they wait again
  std::vector<UnitAbsence> away_;
};

}  // namespace tandem
