#include "policies/bounds/fixed_service.h"

#include <algorithm>
#include <cmath>

#include "policies/engine/exclusion.h"
#include "policies/engine/memory_ledger.h"
#include "policies/kinds/critical_first.h"
#include "policies/kinds/list_policy.h"
#include "policies/problem/slowdowns.h"
#include "profiles/base/suggest.h"

namespace tandem {
namespace {

// How the policy ranks tasks of the stream; null: in no fixed order.
const ListPolicy* ListOf(const Policy& policy, StreamId stream) {
  const auto* first = dynamic_cast<const CriticalFirst*>(&policy);
  return dynamic_cast<const ListPolicy*>(first ? &first->Of(stream) : &policy);
}

}  // namespace

FixedService::FixedService(const Problem& problem, const Policy& policy, double longer)
    : problem_(problem),
      policy_(policy),
      streams_(problem.scenario().streams),
      holds_(problem),
      longer_(longer),
      excluded_(ExcludedUnits(problem.platform())),
      beside_each_other_(problem.scenario()) {
  const bool list = ListOf(policy, StreamId(0)) != nullptr;  // of all streams alike
  if (list) FindTaken();
  for (std::size_t s = 0; s < streams_.size(); ++s) {
    served_.push_back(list ? ServedBy(s) : Served{});
    if (!list) served_.back().why = "in which order a unit takes requests is not fixed by their streams";
  }
  for (std::size_t s = 0; s < streams_.size(); ++s) {
    std::string& why = served_[s].why;
    if (why.empty()) why = TroubleOf(served_[s].unit);
    if (why.empty()) why = TroubleBeside(s);
    if (why.empty()) why = TroubleBehind(s);
  }
  for (std::size_t s = 0; s < streams_.size(); ++s) {
    if (served_[s].why.empty()) served_[s].why = KeptFrom(s);
  }
}

Nanos FixedService::Longer(Nanos time) const {
  if (longer_ == 1) return time;
  return std::min(Nanos{std::llround(std::ceil(static_cast<double>(time.count()) * longer_))}, kLongestTime);
}

bool FixedService::Takes(std::size_t stream, SegmentId segment, UnitId unit) const {
  return ListOf(policy_, StreamId(stream))->RuleOf(unit, StreamId(stream), segment).takes;
}

SlotHold FixedService::HoldOf(SegmentId segment, std::size_t stream, UnitId unit) const {
  return holds_.Of(segment, unit, [&](SegmentId of, UnitId by) { return Takes(stream, of, by); });
}

void FixedService::FindTaken() {
  for (std::size_t s = 0; s < streams_.size(); ++s) {
    const ListPolicy& list = *ListOf(policy_, StreamId(s));
    taken_.emplace_back(problem_.units());
    ForEachSegment(s, [&](SegmentId segment) {
      for (std::size_t u = 0; u < problem_.units(); ++u) {
        const LaneRule rule = list.RuleOf(UnitId(u), StreamId(s), segment);
        Taken& taken = taken_[s][u];
        if (!rule.takes) continue;
        const PlaceInOrder place{!streams_[s].critical, rule.rank};
        taken.one_place = taken.one_place && (!taken.any || taken.place == place);
        taken.place = taken.any ? std::min(taken.place, place) : place;
        taken.timed = taken.timed || rule.offset != Nanos{0};
        const SlotHold hold = HoldOf(segment, s, UnitId(u));
        if (taken.held_why.empty()) taken.held_why = hold.why;
        const Nanos work = problem_.Work(segment, UnitId(u)),
                    mapped = hold.mapped ? problem_.Work(segment, UnitId(u), true) : work;
        taken.longest_task = std::max(taken.longest_task, Longer(std::max(work, mapped) + hold.copies));
        taken.any = true;
      }
    });
  }
}

Served FixedService::ServedBy(std::size_t stream) const {
  Served served;
  bool several = false;
  for (std::size_t u = 0; u < problem_.units(); ++u) {
    const Taken& taken = taken_[stream][u];
    if (!taken.any) continue;
    if (served.unit.valid()) {
      served.why = "units " + NameOf(served.unit) + " and " + NameOf(UnitId(u)) + " may both run it";
      several = true;
    }
    if (taken.timed) served.why = "its place in the order depends on time";
    if (!taken.one_place) served.why = "its parts have several ranks";
    served.unit = UnitId(u);
    served.place = taken.place;
  }
  if (several) served.unit = UnitId();
  if (!served.unit.valid()) return served;
  served.shortest_task = Nanos::max();
  ForEachSegment(stream, [&](SegmentId segment) {
    const Nanos work = Longer(problem_.Work(segment, served.unit));
    served.work += work;
    served.shortest_task = std::min(served.shortest_task, work);
  });
  return served;
}

std::string FixedService::NameOf(UnitId unit) const { return Quoted(problem_.platform().unit(unit).name); }

bool FixedService::IsServing(UnitId unit) const {
  return std::any_of(taken_.begin(), taken_.end(), [&](const auto& of) { return of[unit.index()].any; });
}

// Why what is proved here does not hold of the unit; empty: it does.
std::string FixedService::TroubleOf(UnitId unit) const {
  if (!unit.valid()) return "no unit runs it";
  const Unit& of = problem_.platform().unit(unit);
  if (of.slots > 1) return "unit " + NameOf(unit) + " has several slots";
  if (problem_.LoadsModels(unit)) return "unit " + NameOf(unit) + " loads models meanwhile";
  if (problem_.scenario().transfer != TransferMode::kNone && of.memory != MemoryId(0)) {
    return "what unit " + NameOf(unit) + " reads has to be copied, which others delay";
  }
  for (const Stream& stream : streams_) {
    if (!stream.ReadsFrom().valid() || problem_.scenario().transfer == TransferMode::kNone) continue;
    if (problem_.platform().memories.size() > 1 || problem_.hand_overs().any())
      return "what stream " + Quoted(stream.name) + " reads was made elsewhere, and is brought there";
  }
  if (MemoryLedger(problem_).on()) return "requests may have to wait for room in memory";
  const Slowdowns& slowdowns = problem_.slowdowns();
  if (slowdowns.AtStart()) return "what a task takes depends on what its unit did before it";
  if (const Stream* stream = FirstBatching(problem_.scenario()))
    return "requests of stream " + Quoted(stream->name) + " run in batches";
  if (!problem_.scenario().speeds.empty() || !problem_.scenario().heat.empty())
    return "units change their speed";
  if (!problem_.scenario().away.empty()) return "units leave and come back";
  if (!slowdowns.on()) return {};
  for (std::size_t u = 0; u < problem_.units(); ++u) {
    if (UnitId(u) != unit && IsServing(UnitId(u))) return "units slow each other down";
  }
  for (std::size_t s = 0; s < problem_.segments().size(); ++s) {
    if (slowdowns.Background(SegmentId(s), unit) != 1)
      return "a load from outside slows unit " + NameOf(unit) + " down";
  }
  return {};
}

// While a critical one waits, those that share cores or a device with its unit begin no other, and what they
// have begun goes on to its end without a break.
std::string FixedService::TroubleBeside(std::size_t stream) const {
  const UnitId unit = served_[stream].unit;
  for (const UnitId other : excluded_[unit.index()]) {
    if (!IsServing(other)) continue;
    if (!streams_[stream].critical)
      return "units " + NameOf(unit) + " and " + NameOf(other) + " keep each other waiting";
    const std::string shares = "unit " + NameOf(other) + ", which shares cores or a device with its own, ";
    if (problem_.LoadsModels(other)) return shares + "loads models meanwhile";
    const Unit& of = problem_.platform().unit(other);
    if (of.slots > 1 && of.time_shared) return shares + "shares its time among its slots";
  }
  return {};
}

std::string FixedService::TroubleBehind(std::size_t stream) const {
  for (const StreamOn& begun : Behind(stream)) {
    const std::string& why = taken_[begun.stream][begun.unit.index()].held_why;
    if (!why.empty()) return Quoted(streams_[begun.stream].name) + " may have begun a task, and " + why;
  }
  return {};
}

// A critical stream keeps every unit that could run it from others while it waits. Where that is this unit it
// comes before them, and counts as that; else the unit may be idle meanwhile.
std::string FixedService::KeptFrom(std::size_t stream) const {
  if (streams_[stream].critical) return {};
  const UnitId unit = served_[stream].unit;
  for (std::size_t s = 0; s < streams_.size(); ++s) {
    if (!streams_[s].critical || served_[s].unit == unit) continue;
    bool keeps = false;
    const auto runs = [&](UnitId by) {
      ForEachSegment(s, [&](SegmentId segment) { keeps = keeps || problem_.Runs(segment, by); });
    };
    runs(unit);
    for (const UnitId other : excluded_[unit.index()]) runs(other);
    if (keeps) {
      return "the critical stream " + Quoted(streams_[s].name) + " may keep unit " + NameOf(unit) +
             " idle, which does not run it alone";
    }
  }
  return {};
}

std::vector<std::size_t> FixedService::NotAfter(std::size_t stream) const {
  std::vector<std::size_t> others;
  for (std::size_t s = 0; s < taken_.size(); ++s) {
    const Taken& taken = TakenOf(s, stream);
    if (s != stream && taken.any && taken.place <= served_[stream].place) others.push_back(s);
  }
  return others;
}

std::vector<StreamOn> FixedService::Beside(std::size_t stream) const {
  std::vector<StreamOn> others;
  for (std::size_t s = 0; s < taken_.size(); ++s) {
    if (s == stream || !streams_[s].critical) continue;
    for (const UnitId other : excluded_[served_[stream].unit.index()]) {
      if (taken_[s][other.index()].any) others.push_back({s, other});
    }
  }
  return others;
}

std::vector<StreamOn> FixedService::Behind(std::size_t stream) const {
  const UnitId own = served_[stream].unit;
  std::vector<StreamOn> behind;
  for (std::size_t s = 0; s < taken_.size(); ++s) {
    const Taken& taken = TakenOf(s, stream);
    if (taken.any && taken.place > served_[stream].place) behind.push_back({s, own});
    for (const UnitId other : excluded_[own.index()]) {
      if (taken_[s][other.index()].any && !streams_[s].critical) behind.push_back({s, other});
    }
  }
  return behind;
}

std::vector<UnitId> FixedService::Unslowed(std::size_t stream) const {
  const UnitId own = served_[stream].unit;
  std::vector<UnitId> unslowed;
  for (std::size_t u = 0; own.valid() && u < problem_.units(); ++u) {
    const UnitId other(u);
    const bool meets = IsServing(other) && CanMeet(problem_.platform(), own, other);
    if (meets && !beside_each_other_.Known(own, other)) unslowed.push_back(other);
  }
  return unslowed;
}

// Of several that are at work on different units at once the last one to end counts.
Nanos FixedService::Blocking(std::size_t stream) const {
  Nanos longest{0};
  for (const StreamOn& begun : Behind(stream))
    longest = std::max(longest, taken_[begun.stream][begun.unit.index()].longest_task);
  return longest;
}

}  // namespace tandem
