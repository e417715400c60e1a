#include <algorithm>
#include <functional>
#include <map>
#include <set>
#include <string>
#include <tuple>

#include "scenarios/calibration/trace.h"
#include "scenarios/trace/time_by_cause.h"

namespace tandem {
namespace {

// First release and last completion, as Outcome has them.
Outcome WindowOf(const TracedRun& run) {
  Outcome window;
  bool first = true;
  const auto released = [&](Nanos release) {
    window.first_release = first ? release : std::min(window.first_release, release);
    first = false;
  };
  for (const TracedSpan& span : run.spans) {
    released(span.release);
    window.last_completion = std::max(window.last_completion, span.end);
  }
  for (const TracedDrop& drop : run.drops) released(drop.release);
  return window;
}

// The run in the middle: of two, the shorter.
const TracedRun& MedianRun(std::vector<const TracedRun*> runs) {
  std::stable_sort(runs.begin(), runs.end(),
                   [](const TracedRun* a, const TracedRun* b) { return MakespanOf(*a) < MakespanOf(*b); });
  return *runs[(runs.size() - 1) / 2];
}

// The units that the tracks of a run belong to, in order of first appearance.
class UnitsOfRun {
 public:
  explicit UnitsOfRun(const TracedRun& run) {
    for (const TracedTrack& track : run.tracks) {
      const auto found = std::find(names.begin(), names.end(), track.unit);
      const auto unit = static_cast<std::size_t>(found - names.begin());
      if (track.unit.empty()) {  // copy engines follow
        place_of_track_.push_back({std::string::npos, 0});
        continue;
      }
      if (found == names.end()) {
        names.push_back(track.unit);
        slots.push_back(0);
      }
      place_of_track_.push_back({unit, static_cast<std::int32_t>(slots[unit]++)});
    }
  }

  // Unit and slot; an engine is a unit behind the last.
  std::pair<UnitId, std::int32_t> PlaceOf(std::int32_t track) const {
    const auto [unit, slot] = place_of_track_[static_cast<std::size_t>(track)];
    if (unit != std::string::npos) return {UnitId(unit), slot};
    return {UnitId(names.size() + static_cast<std::size_t>(track)), 0};
  }

  std::vector<std::string> names;
  std::vector<std::int64_t> slots;

 private:
  std::vector<std::pair<std::size_t, std::int32_t>> place_of_track_;
};

// Which unit runs which segment, as far as both runs show it. Which part of split layers it was matters not.
using Shown = std::set<std::tuple<std::string, std::vector<std::string>, std::string>>;

void Show(const TracedRun& run, Shown& shown) {
  for (const TracedSpan& span : run.spans) {
    const TraceSegment& segment = run.segments[static_cast<std::size_t>(span.segment)];
    shown.emplace(segment.model, segment.layers, run.tracks[static_cast<std::size_t>(span.track)].unit);
  }
}

struct UnitSpent {
  std::string unit;
  std::int64_t slots = 1;
  UnitTime time;
  Nanos transfer{0}, last_end{0};
};

// Gathers what the units of one run did.
class SpentInRun {
 public:
  SpentInRun(const TracedRun& run, const Shown& shown)
      : run_(run), shown_(shown), units_(run), time_(units_.slots, Runs(), FirstSegments()) {
    for (std::size_t u = 0; u < units_.names.size(); ++u) {
      spent_.push_back({units_.names[u], units_.slots[u], {}, {}, {}});
    }
  }

  std::vector<UnitSpent> Result() {
    std::vector<TracedSpan> spans = run_.spans;
    std::stable_sort(spans.begin(), spans.end(),
                     [](const TracedSpan& a, const TracedSpan& b) { return a.end < b.end; });
    for (const TracedSpan& span : spans) Add(span);
    for (const TracedDrop& drop : run_.drops) {
      time_.Ended({Stream(drop.stream), static_cast<std::int32_t>(drop.index), drop.release, drop.at, true});
    }
    const std::vector<UnitTime> times = time_.Result(WindowOf(run_));
    for (std::size_t u = 0; u < spent_.size(); ++u) spent_[u].time = times[u];
    return std::move(spent_);
  }

 private:
  static StreamId Stream(std::int32_t position) { return StreamId(static_cast<std::size_t>(position)); }

  std::function<bool(std::int32_t, UnitId)> Runs() const {
    return [this](std::int32_t segment, UnitId unit) {
      const TraceSegment& of = run_.segments[static_cast<std::size_t>(segment)];
      return shown_.contains({of.model, of.layers, units_.names[unit.index()]});
    };
  }

  // Those of a stream's tasks that were ever ready as soon as their request was there.
  std::function<std::vector<std::int32_t>(StreamId)> FirstSegments() const {
    std::map<StreamId, std::set<std::int32_t>> firsts;
    for (const TracedSpan& span : run_.spans) {
      if (span.ready == span.release) firsts[Stream(span.stream)].insert(span.segment);
    }
    return [firsts](StreamId stream) {
      const auto found = firsts.find(stream);
      if (found == firsts.end()) return std::vector<std::int32_t>();
      return std::vector<std::int32_t>(found->second.begin(), found->second.end());
    };
  }

  void Add(const TracedSpan& from) {
    Span span;
    std::tie(span.unit, span.slot) = units_.PlaceOf(from.track);
    span.kind = from.kind;
    span.stream = Stream(from.stream);
    span.index = static_cast<std::int32_t>(from.index);
    span.segment = from.segment;
    span.release = from.release;
    span.ready = from.ready;
    span.start = from.start;
    span.end = from.end;
    time_.Add(span);
    if (span.unit.index() >= spent_.size()) return;
    UnitSpent& unit = spent_[span.unit.index()];
    unit.last_end = std::max(unit.last_end, span.end);
    if (span.kind == SpanKind::kTransfer) unit.transfer += span.end - span.start;
  }

  const TracedRun& run_;
  const Shown& shown_;
  UnitsOfRun units_;
  TimeByCause time_;
  std::vector<UnitSpent> spent_;
};

Nanos Waiting(const UnitTime& time) {
  return time[Cause::kInput] + time[Cause::kHeldBack] + time[Cause::kBlocked] + time[Cause::kLost];
}

UnitDifference Difference(const UnitSpent& predicted, const UnitSpent& measured) {
  UnitDifference difference;
  difference.unit = measured.unit;
  difference.slots = measured.slots;
  difference.compute = predicted.time[Cause::kWorking] - measured.time[Cause::kWorking];
  difference.transfer = predicted.transfer - measured.transfer;
  difference.load = predicted.time[Cause::kMoving] - measured.time[Cause::kMoving] - difference.transfer;
  difference.waiting = Waiting(predicted.time) - Waiting(measured.time);
  difference.idle = predicted.time[Cause::kNothing] - measured.time[Cause::kNothing];
  difference.last_end = measured.last_end;
  return difference;
}

}  // namespace

std::vector<MakespanDifference> ExplainMakespans(const std::vector<MatchedRuns>& runs) {
  std::vector<MakespanDifference> all;
  for (const MatchedRuns& of : runs) {
    if (of.measured.empty()) continue;
    const TracedRun& median = MedianRun(of.measured);
    Shown shown;
    Show(*of.predicted, shown);
    Show(median, shown);
    MakespanDifference difference{of.label, MakespanOf(*of.predicted) - MakespanOf(median), {}};
    const std::vector<UnitSpent> predicted = SpentInRun(*of.predicted, shown).Result();
    for (const UnitSpent& measured : SpentInRun(median, shown).Result()) {
      const auto same = std::find_if(predicted.begin(), predicted.end(),
                                     [&](const UnitSpent& unit) { return unit.unit == measured.unit; });
      if (same != predicted.end()) difference.units.push_back(Difference(*same, measured));
    }
    all.push_back(std::move(difference));
  }
  return all;
}

Nanos MakespanOf(const TracedRun& run) { return WindowOf(run).makespan(); }

}  // namespace tandem
