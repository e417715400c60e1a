#include "scenarios/trace/time_by_cause.h"

#include <algorithm>

namespace tandem {

TimeByCause::TimeByCause(std::vector<std::int64_t> slots,
                         std::function<bool(std::int32_t segment, UnitId)> runs,
                         std::function<std::vector<std::int32_t>(StreamId)> first_segments,
                         std::vector<UnitAbsence> away)
    : slots_(std::move(slots)),
      runs_(std::move(runs)),
      first_segments_(std::move(first_segments)),
      away_(std::move(away)) {
  for (const std::int64_t count : slots_) used_.emplace_back(static_cast<std::size_t>(count));
}

void TimeByCause::Wait(std::vector<Intervals>& per_segment, std::int32_t segment, Interval interval) {
  if (interval.begin >= interval.end) return;
  const auto at = static_cast<std::size_t>(segment);
  if (per_segment.size() <= at) per_segment.resize(at + 1);
  Intervals& intervals = per_segment[at];
  // Tasks of one segment mostly wait at the same time: kept short as it grows.
  if (!intervals.empty() && interval.begin >= intervals.back().begin &&
      interval.begin <= intervals.back().end) {
    intervals.back().end = std::max(intervals.back().end, interval.end);
  } else {
    intervals.push_back(interval);
  }
}

void TimeByCause::Add(const Span& span) {
  const TaskKey task(span.stream, span.index, span.segment);
  if (span.unit.index() >= slots_.size()) {
    if (span.kind == SpanKind::kLost) {
      brought_since_.erase(task);
    } else {
      brought_since_.try_emplace(task, span.start);
    }
    return;
  }
  Slot& slot = used_[span.unit.index()][static_cast<std::size_t>(span.slot)];
  const bool lost = span.kind == SpanKind::kLost;
  const Cause cause = span.kind == SpanKind::kCompute ? Cause::kWorking
                      : lost                          ? Cause::kLost
                                                      : Cause::kMoving;
  slot.time[cause] += span.end - span.start;
  if (slot.last == task) {
    slot.taken.back().end = span.end;
  } else {
    Take(slot, span);
  }
  if (!lost) return;
  slot.last = {};
  lost_until_[task] = span.end;
}

// With the first that a slot does of a task.
void TimeByCause::Take(Slot& slot, const Span& span) {
  const TaskKey task(span.stream, span.index, span.segment);
  slot.last = task;
  Nanos begin = span.start;
  if (const auto brought = brought_since_.extract(task)) begin = std::min(begin, brought.mapped());
  if (!slot.taken.empty() && slot.taken.back().end >= begin) {
    slot.taken.back().end = span.end;
  } else {
    slot.taken.push_back({begin, span.end});
  }
  if (const auto lost = lost_until_.find(task); lost != lost_until_.end())
    return Wait(waited_, span.segment, {lost->second, begin});
  Wait(waited_, span.segment, {span.ready, begin});
  Wait(unready_, span.segment, {span.release, span.ready});
}

void TimeByCause::Ended(const RequestEnd& end) {
  if (!end.dropped) return;
  for (const std::int32_t segment : first_segments_(end.stream))
    Wait(waited_, segment, {end.release, end.at});
}

void TimeByCause::Merge(Intervals& intervals) {
  std::sort(intervals.begin(), intervals.end());
  Intervals merged;
  for (const Interval& next : intervals) {
    if (!merged.empty() && next.begin <= merged.back().end) {
      merged.back().end = std::max(merged.back().end, next.end);
    } else {
      merged.push_back(next);
    }
  }
  intervals = std::move(merged);
}

Nanos TimeByCause::Common(const Intervals& a, const Intervals& b) {
  Nanos total{0};
  for (std::size_t i = 0, k = 0; i < a.size() && k < b.size();) {
    const Nanos begin = std::max(a[i].begin, b[k].begin), end = std::min(a[i].end, b[k].end);
    if (begin < end) total += end - begin;
    a[i].end < b[k].end ? ++i : ++k;
  }
  return total;
}

TimeByCause::Intervals TimeByCause::Without(const Intervals& some, const Intervals& others) {
  Intervals left;
  for (Interval each : some) {
    for (const Interval& other : others) {
      if (other.end <= each.begin || other.begin >= each.end) continue;
      if (each.begin < other.begin) left.push_back({each.begin, other.begin});
      each.begin = std::max(each.begin, std::min(other.end, each.end));
    }
    if (each.begin < each.end) left.push_back(each);
  }
  return left;
}

TimeByCause::Intervals TimeByCause::For(UnitId unit, const std::vector<Intervals>& per_segment) const {
  Intervals all;
  for (std::size_t s = 0; s < per_segment.size(); ++s) {
    if (per_segment[s].empty() || !runs_(static_cast<std::int32_t>(s), unit)) continue;
    all.insert(all.end(), per_segment[s].begin(), per_segment[s].end());
  }
  Merge(all);
  return all;
}

void TimeByCause::AddUnit(UnitId unit, Interval window, UnitTime& time) const {
  const Intervals waited = For(unit, waited_);
  Intervals either = For(unit, unready_);
  either.insert(either.end(), waited.begin(), waited.end());
  Merge(either);
  Intervals away;
  for (const UnitAbsence& absence : away_) {
    if (absence.unit == unit) away.push_back({absence.from, absence.until.value_or(window.end)});
  }
  for (const Slot& slot : used_[unit.index()]) {
    Intervals idle;
    Nanos from = window.begin, taken{0};
    for (const Interval& task : slot.taken) {
      if (task.begin > from) idle.push_back({from, std::min(task.begin, window.end)});
      taken += task.end - task.begin;
      from = std::max(from, task.end);
    }
    if (from < window.end) idle.push_back({from, window.end});
    const Nanos working = slot.time[Cause::kWorking], moving = slot.time[Cause::kMoving];
    const Nanos lost = slot.time[Cause::kLost];
    time[Cause::kAway] += Common(idle, away);
    idle = Without(idle, away);
    const Nanos held_back = Common(idle, waited), either_way = Common(idle, either);
    time[Cause::kWorking] += working;
    time[Cause::kMoving] += moving;
    time[Cause::kLost] += lost;
    time[Cause::kInput] += taken - working - moving - lost;
    time[Cause::kHeldBack] += held_back;
    time[Cause::kBlocked] += either_way - held_back;
    time[Cause::kNothing] += Common(idle, {window}) - either_way;
  }
}

std::vector<UnitTime> TimeByCause::Result(const Outcome& outcome) const {
  const Interval window{outcome.first_release, outcome.last_completion};
  std::vector<UnitTime> times(slots_.size());
  for (std::size_t u = 0; u < times.size(); ++u) AddUnit(UnitId(u), window, times[u]);
  return times;
}

}  // namespace tandem
