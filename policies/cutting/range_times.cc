#include "policies/cutting/range_times.h"

#include <algorithm>
#include <map>

#include "profiles/base/graph.h"
#include "profiles/costs/cheapest_cover.h"

namespace tandem {
namespace {

constexpr std::size_t kMostByCovers =
    24;  // layers of a knot with gaps of which all runs are covered one by one
constexpr std::size_t kMostRangeSteps = 2000;  // the same of a knot without gaps
constexpr std::int64_t kNoTime = kLongestTime.count();

}  // namespace

std::int64_t RangeTimes::Knot::Time(std::size_t first, std::size_t end) const {
  if (all_runs) return time[first * (places.size() + 1) + end];
  if (first == end) return 0;
  return end - first == places.size() ? whole : kNoTime;
}

RangeTimes::RangeTimes(const PieceTimes& times, std::size_t cut, UnitId unit,
                       const std::vector<std::size_t>& points)
    : points_(points) {
  const std::vector<LayerId> layers = WorkingLayers(times.model(cut));
  size_ = layers.size();
  for (const LayerId layer : layers) free_.push_back(IsFree(times.model(cut).layer(layer).op) ? 1 : 0);
  costless_ = free_;
  time_.assign(points_.size() * points_.size(), kCannot);
  least_ = time_;
  if (!times.Reachable(unit)) return;
  ReadEntries(times, cut, unit);
  TieKnots();
  AddUp();
  TakeOwnEntries();
  FindLeast();
}

void RangeTimes::FindLeast() {
  for (std::size_t first = 0; first < points_.size(); ++first) {
    std::int64_t least = kCannot;
    for (std::size_t end = points_.size(); end-- > first;) {
      const std::int64_t time = Of(first, end);
      if (time != kCannot && (least == kCannot || time < least)) least = time;
      least_[At(first, end)] = least;
    }
  }
}

void RangeTimes::ReadEntries(const PieceTimes& times, std::size_t cut, UnitId unit) {
  const Model& model = times.model(cut);
  std::vector<std::int32_t> place_of(model.size(), -1);
  std::int32_t next = 0;
  for (const LayerId layer : WorkingLayers(model)) place_of[layer.index()] = next++;
  for (const CostTable::Measured& entry : times.Entries(cut, unit)) {
    if (entry.mapped || entry.axis) continue;
    const std::int64_t time = entry.time.count();
    if (entry.layers.empty()) whole_ = time;
    Entry known{{}, time, entry.inside ? entry.inside->count() : time};
    for (const std::int32_t layer : entry.layers) {
      known.places.push_back(place_of[static_cast<std::size_t>(layer)]);
    }
    std::sort(known.places.begin(), known.places.end());
    if (known.places.empty() || known.places[0] < 0) continue;  // with an input: of no run
    if (known.places.size() == 1) costless_[static_cast<std::size_t>(known.places[0])] = 0;
    entries_.push_back(std::move(known));
  }
  std::stable_sort(entries_.begin(), entries_.end(),
                   [](const Entry& a, const Entry& b) { return a.places[0] < b.places[0]; });
}

void RangeTimes::TieKnots() {
  DisjointSets knots(size_);
  for (const Entry& entry : entries_) {
    for (const std::int32_t place : entry.places) {
      knots.Join(static_cast<std::size_t>(place), static_cast<std::size_t>(entry.places[0]));
    }
  }
  knot_of_.assign(size_, -1);
  for (std::size_t place = 0; place < size_; ++place) {
    const std::size_t first = knots.Of(place);
    if (first == place) {
      knot_of_[place] = static_cast<std::int32_t>(knots_.size());
      knots_.emplace_back();
    }
    knot_of_[place] = knot_of_[first];
    auto& places = knots_[static_cast<std::size_t>(knot_of_[place])].places;
    place_in_knot_.push_back(static_cast<std::int32_t>(places.size()));
    places.push_back(static_cast<std::int32_t>(place));
  }
  for (const Entry& entry : entries_) {
    const auto knot = knot_of_[static_cast<std::size_t>(entry.places[0])];
    knots_[static_cast<std::size_t>(knot)].entries.push_back(&entry);
  }
  for (Knot& knot : knots_) TimeKnot(knot);
}

namespace {

// Places as positions in their knot.
std::vector<std::int32_t> Inside(const std::vector<std::int32_t>& knot, const std::vector<std::int32_t>& of) {
  std::vector<std::int32_t> members;
  for (const std::int32_t place : of) {
    members.push_back(
        static_cast<std::int32_t>(std::lower_bound(knot.begin(), knot.end(), place) - knot.begin()));
  }
  return members;
}

}  // namespace

bool RangeTimes::WithoutGaps(const Knot& knot) {
  return std::all_of(knot.entries.begin(), knot.entries.end(), [&](const Entry* entry) {
    const auto members = Inside(knot.places, entry->places);
    return static_cast<std::size_t>(members.back() - members.front()) + 1 == members.size();
  });
}

// Per first place the least time up to each further one: the shortest way over entries as steps.
void RangeTimes::TimeWithoutGaps(Knot& knot) {
  const std::size_t size = knot.places.size();
  struct StepTo {
    std::size_t first;
    std::int64_t time;
  };
  std::vector<std::vector<StepTo>> ending(size + 1);  // by end
  for (const Entry* entry : knot.entries) {
    const auto members = Inside(knot.places, entry->places);
    ending[static_cast<std::size_t>(members.back()) + 1].push_back(
        {static_cast<std::size_t>(members.front()), entry->inside});
  }
  for (std::size_t first = 0; first < size; ++first) {
    knot.Time(first, first) = 0;
    for (std::size_t end = first + 1; end <= size; ++end) {
      std::int64_t least = kNoTime;
      for (const StepTo& step : ending[end]) {
        if (step.first < first) continue;
        least = std::min(least, knot.Time(first, step.first) + step.time);
      }
      knot.Time(first, end) = least;
    }
  }
}

void RangeTimes::TimeByCovers(Knot& knot) {
  const std::size_t size = knot.places.size();
  for (std::size_t first = 0; first <= size; ++first) {
    knot.Time(first, first) = 0;
    for (std::size_t end = first + 1; end <= size; ++end) knot.Time(first, end) = CoverOf(knot, first, end);
  }
}

std::int64_t RangeTimes::CoverOf(const Knot& knot, std::size_t first, std::size_t end) {
  std::vector<CoverGroup> groups;
  for (const Entry* entry : knot.entries) {
    auto members = Inside(knot.places, entry->places);
    if (static_cast<std::size_t>(members.front()) < first) continue;
    if (static_cast<std::size_t>(members.back()) >= end) continue;
    for (std::int32_t& member : members) member -= static_cast<std::int32_t>(first);
    groups.push_back({std::move(members), {Nanos{entry->inside}, std::nullopt, 1}});
  }
  const auto cost = CheapestCover(end - first, groups);
  return cost ? cost->time.count() : kNoTime;
}

// A free layer without an entry of its own may stand alone, for nothing.
void RangeTimes::TimeKnot(Knot& knot) const {
  std::vector<Entry> nothing;
  nothing.reserve(knot.places.size());
  for (const std::int32_t place : knot.places) {
    if (!Costless(static_cast<std::size_t>(place))) continue;
    nothing.push_back({{place}, 0, 0});
    knot.entries.push_back(&nothing.back());
  }
  const std::size_t size = knot.places.size();
  const bool without_gaps = WithoutGaps(knot);
  knot.all_runs = without_gaps ? size <= kMostRangeSteps : size <= kMostByCovers;
  if (knot.all_runs) {
    knot.time.assign((size + 1) * (size + 1), kNoTime);
    without_gaps ? TimeWithoutGaps(knot) : TimeByCovers(knot);
  } else {
    knot.whole = CoverOf(knot, 0, size);
  }
  knot.entries.clear();
}

void RangeTimes::AddUp() {
  for (std::size_t point = 0; point < points_.size(); ++point) AddUpFrom(point);
}

void RangeTimes::AddUpFrom(std::size_t point) {
  double sum = 0;                                        // whole numbers, exact as long as they are times
  int missing = 0;                                       // knots whose part has no time
  std::vector<std::int32_t> entered(knots_.size(), -1);  // per knot the first of its places
  const auto add = [&](std::int64_t time, int sign) {
    missing += time >= kNoTime ? sign : 0;
    sum += time >= kNoTime ? 0.0 : sign * static_cast<double>(time);
  };
  time_[At(point, point)] = 0;
  std::size_t next = point + 1;
  for (std::size_t place = points_[point]; place < size_; ++place) {
    const Knot& knot = knots_[static_cast<std::size_t>(knot_of_[place])];
    std::int32_t& start = entered[static_cast<std::size_t>(knot_of_[place])];
    if (start < 0) start = place_in_knot_[place];
    const auto from = static_cast<std::size_t>(start), at = static_cast<std::size_t>(place_in_knot_[place]);
    add(knot.Time(from, at), -1);
    add(knot.Time(from, at + 1), 1);
    if (points_[next] != place + 1) continue;
    const bool known = missing == 0 && sum < static_cast<double>(kNoTime);
    time_[At(point, next++)] = known ? static_cast<std::int64_t>(sum) : kCannot;
  }
}

// A run that an entry was measured for takes what that says, costless layers in or out of it.
void RangeTimes::TakeOwnEntries() {
  for (auto entry = entries_.rbegin(); entry != entries_.rend(); ++entry) {
    const auto& places = entry->places;
    const auto begin = static_cast<std::size_t>(places.front());
    const std::size_t end = static_cast<std::size_t>(places.back()) + 1;
    bool alone = true;  // is all between its layers costless?
    for (std::size_t place = begin; place < end && alone; ++place) {
      alone = Costless(place) ||
              std::binary_search(places.begin(), places.end(), static_cast<std::int32_t>(place));
    }
    if (!alone) continue;
    std::size_t least = begin, most = end;
    while (least > 0 && Costless(least - 1)) --least;
    while (most < size_ && Costless(most)) ++most;
    Take(least, begin, end, most, entry->time);
  }
  if (whole_ == kCannot) return;
  const auto works = [](char free) { return free == 0; };
  const auto first = std::find_if(free_.begin(), free_.end(), works) - free_.begin();
  const auto after = free_.rend() - std::find_if(free_.rbegin(), free_.rend(), works);
  Take(0, static_cast<std::size_t>(first), static_cast<std::size_t>(after), size_, whole_);
}

// For runs from first..last to end..most.
void RangeTimes::Take(std::size_t first, std::size_t last, std::size_t end, std::size_t most,
                      std::int64_t time) {
  for (std::size_t from = 0; from < points_.size(); ++from) {
    if (points_[from] < first || points_[from] > last) continue;
    for (std::size_t to = from + 1; to < points_.size(); ++to) {
      if (points_[to] >= end && points_[to] <= most) time_[At(from, to)] = time;
    }
  }
}

}  // namespace tandem
