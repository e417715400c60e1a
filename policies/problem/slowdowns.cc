#include "policies/problem/slowdowns.h"

#include <algorithm>
#include <cmath>
#include <map>

namespace tandem {

// Reads one profile.
class Slowdowns::Reader {
 public:
  Reader(EntryReader& entries, Slowdowns& into)
      : entries_(entries), profile_(entries.profile()), into_(into) {}

  // `weights`: how particular the entries are that count so far, of this profile or another.
  void ReadBackground(std::vector<int>& weights) {
    std::vector<std::int64_t> load(entries_.cuts().units());
    for (const UnitLoad& entry : entries_.cuts().scenario().loads) load[entry.unit.index()] = entry.load_pct;
    for (const BackgroundEntry& entry : profile_.background) {
      const UnitId unit = entries_.FindUnit(entry.unit);
      if (!unit.valid() || load[unit.index()] != entry.load_pct) continue;
      entries_.Set(into_.background_, weights, unit, entries_.WorkOf(entry.model, entry.layers),
                   entry.slowdown, 1);
    }
  }
  void ReadTraffic(std::vector<int>& weights) {
    for (const TrafficEntry& entry : profile_.traffic) {
      const UnitId unit = entries_.FindUnit(entry.unit);
      if (unit.valid())
        entries_.Set(into_.traffic_, weights, unit, entries_.WorkOf(entry.model, entry.layers),
                     entry.bytes_per_s, -1);
    }
  }
  void ReadCoRunning() {
    for (const CoRunningEntry& entry : profile_.co_running) {
      const UnitId unit = entries_.FindUnit(entry.unit), beside = entries_.FindUnit(entry.beside);
      if (!unit.valid() || !beside.valid() || unit == beside) continue;
      into_.on_ = true;
      OfPair& pair = into_.beside_[{unit, beside}];
      EntryWork work = entries_.WorkOf(entry.model, entry.layers);
      if (entry.beside_traffic_bytes_per_s) {
        AddToCurve(pair, std::move(work), *entry.beside_traffic_bytes_per_s, entry.slowdown);
      } else {
        pair.entries.push_back(
            {std::move(work), entries_.WorkOf(entry.beside_model, entry.beside_layers), entry.slowdown});
      }
    }
  }
  void ReadTogether() {
    for (const TogetherEntry& entry : profile_.together) {
      const UnitId unit = entries_.FindUnit(entry.unit);
      Group group{{}, entry.slowdown};
      for (const std::string& name : entry.beside) group.beside.push_back(entries_.FindUnit(name));
      const auto never = [&](UnitId other) { return !other.valid() || other == unit; };
      if (!unit.valid() || std::any_of(group.beside.begin(), group.beside.end(), never)) continue;
      into_.on_ = true;
      into_.together_[unit.index()].push_back({entries_.WorkOf(entry.model, entry.layers), std::move(group)});
    }
  }
  void ReadSwitches(std::vector<int>& weights) {
    for (const AfterOtherEntry& entry : profile_.after_other) {
      const UnitId unit = entries_.FindUnit(entry.unit);
      if (!unit.valid()) continue;
      into_.switches_ = true;
      entries_.Set(into_.after_other_, weights, unit, entries_.WorkOf(entry.model, entry.layers),
                   entry.slowdown, 1);
    }
  }
  // The points of one unit and segment are a curve, however the list has them.
  void ReadRepeats() {
    std::map<std::pair<std::string, std::vector<std::string>>, std::vector<std::size_t>> segments;
    if (!profile_.repeated.empty()) into_.repeats_of_.resize(into_.model_of_.size() * into_.units_, -1);
    for (const RepeatedEntry& entry : profile_.repeated) {
      const UnitId unit = entries_.FindUnit(entry.unit);
      if (!unit.valid()) continue;
      const auto [of, is_new] = segments.try_emplace({entry.model, entry.layers});
      if (is_new) of->second = entries_.SegmentsOf(entry.model, entry.layers);
      if (of->second.empty()) continue;
      std::int32_t& curve = into_.repeats_of_[of->second.front() * into_.units_ + unit.index()];
      if (curve < 0) {
        curve = static_cast<std::int32_t>(into_.repeats_.size());
        into_.repeats_.emplace_back();
        for (const std::size_t s : of->second) into_.repeats_of_[s * into_.units_ + unit.index()] = curve;
      }
      AddPoint(into_.repeats_[static_cast<std::size_t>(curve)], static_cast<double>(entry.every.count()),
               entry.slowdown);
    }
  }
  // The points of one unit and model are a curve, however the list has them.
  void ReadPauses(std::vector<int>& weights) {
    std::map<std::pair<std::string, std::string>, std::size_t> curves;
    for (const AfterIdleEntry& entry : profile_.after_idle) {
      const UnitId unit = entries_.FindUnit(entry.unit);
      if (!unit.valid()) continue;
      if (into_.pauses_.empty()) into_.pauses_.emplace_back();
      const auto [curve, is_new] = curves.try_emplace({entry.unit, entry.model}, into_.pauses_.size());
      if (is_new) {
        into_.pauses_.emplace_back();
        entries_.Set(into_.pause_, weights, unit, entries_.WorkOf(entry.model, {}),
                     static_cast<double>(curve->second), 0);
      }
      AddPoint(into_.pauses_[curve->second], static_cast<double>(entry.idle.count()), entry.slowdown);
    }
  }

 private:
  void AddToCurve(OfPair& pair, EntryWork work, double traffic, double slowdown) {
    auto& of_pair = pair.curves;
    const auto same = [&](std::int32_t c) { return into_.curves_[static_cast<std::size_t>(c)].work == work; };
    auto found = std::find_if(of_pair.begin(), of_pair.end(), same);
    if (found == of_pair.end()) {
      found = of_pair.insert(of_pair.end(), static_cast<std::int32_t>(into_.curves_.size()));
      into_.curves_.push_back({std::move(work), {}});
    }
    AddPoint(into_.curves_[static_cast<std::size_t>(*found)].points, traffic, slowdown);
  }

  EntryReader& entries_;
  const Profile& profile_;
  Slowdowns& into_;
};

Slowdowns::Slowdowns(const Cuts& cuts, const std::vector<Profile>& profiles)
    : units_(cuts.units()), together_(units_), sharing_(units_) {
  const std::size_t segments = cuts.segments().size();
  for (std::size_t s = 0; s < segments; ++s) model_of_.push_back(cuts.model_of(SegmentId(s)));
  for (const UnitLoad& entry : cuts.scenario().loads) {
    background_.resize(segments * units_, 1);
    on_ = on_ || entry.load_pct > 0;
    for (std::size_t s = 0; s < segments; ++s) {
      background_[s * units_ + entry.unit.index()] = 100.0 / static_cast<double>(100 - entry.load_pct);
    }
  }
  std::vector<int> of_background, of_traffic, of_pause, of_switch;
  SharingCosts::Weights of_share;
  for (const Profile& profile : profiles) {
    EntryReader entries(cuts, model_of_, profile);
    Reader reader(entries, *this);
    reader.ReadBackground(of_background);
    reader.ReadTraffic(of_traffic);
    reader.ReadCoRunning();
    reader.ReadTogether();
    reader.ReadPauses(of_pause);
    sharing_.Read(entries, of_share);
    reader.ReadSwitches(of_switch);
    reader.ReadRepeats();
  }
  on_ = on_ || !sharing_.none();
  for (const int weight : of_background) measured_.push_back(weight >= 0 ? 1 : 0);
}

const Slowdowns::OfPair& Slowdowns::Pair(UnitId unit, UnitId beside) const {
  static const OfPair nothing;
  const auto found = beside_.find({unit, beside});
  return found == beside_.end() ? nothing : found->second;
}

// By the most particular entry; 0 without one. `named`: of those that name what runs beside, else the others.
double Slowdowns::SlowdownBeside(const std::vector<Entry>& entries, SegmentId a, SegmentId b,
                                 bool named) const {
  double slowdown = 0;
  int weight = -1;
  for (const Entry& entry : entries) {
    if (entry.beside.model.valid() != named) continue;
    const int entry_weight = entry.work.weight() + entry.beside.weight();
    if (entry_weight <= weight || !entry.work.Covers(a, model_of_[a.index()]) ||
        !entry.beside.Covers(b, model_of_[b.index()])) {
      continue;
    }
    weight = entry_weight;
    slowdown = entry.slowdown;
  }
  return slowdown;
}

Slowdowns::Beside Slowdowns::Of(SegmentId a, UnitId unit, SegmentId b, UnitId beside) const {
  const OfPair& pair = Pair(unit, beside);
  if (const double known = SlowdownBeside(pair.entries, a, b, true); known > 0) return {known, -1, 0};
  const double traffic = Traffic(b, beside).value_or(-1);
  Beside met;
  int weight = -1;
  for (const std::int32_t c : pair.curves) {
    const EntryWork& work = curves_[static_cast<std::size_t>(c)].work;
    if (traffic < 0 || work.weight() <= weight || !work.Covers(a, model_of_[a.index()])) continue;
    weight = work.weight();
    met = {1, c, traffic};
  }
  if (met.curve >= 0) return met;
  const double known = SlowdownBeside(pair.entries, a, b, false);
  return {known > 0 ? known : 1, -1, 0};
}

bool Slowdowns::KnowBeside(const std::vector<SegmentId>& works, UnitId unit,
                           const std::vector<SegmentId>& others, UnitId beside) const {
  const OfPair& pair = Pair(unit, beside);
  const auto has_traffic = [&](SegmentId b) { return Traffic(b, beside).has_value(); };
  const auto has_curve = [&](SegmentId a) {
    return std::any_of(pair.curves.begin(), pair.curves.end(), [&](std::int32_t c) {
      return curves_[static_cast<std::size_t>(c)].work.Covers(a, model_of_[a.index()]);
    });
  };
  const auto has_entry = [&](SegmentId a, SegmentId b) {
    return std::any_of(pair.entries.begin(), pair.entries.end(), [&](const Entry& entry) {
      return entry.work.Covers(a, model_of_[a.index()]) && entry.beside.Covers(b, model_of_[b.index()]);
    });
  };
  return std::all_of(works.begin(), works.end(), [&](SegmentId a) {
    const bool curve = has_curve(a);
    return std::all_of(others.begin(), others.end(),
                       [&](SegmentId b) { return (curve && has_traffic(b)) || has_entry(a, b); });
  });
}

double Slowdowns::At(std::int32_t curve, double traffic) const {
  return OnLine(curves_[static_cast<std::size_t>(curve)].points, traffic);
}

const Slowdowns::Group* Slowdowns::Together(SegmentId segment, UnitId unit,
                                            const std::vector<char>& working) const {
  const GroupEntry* best = nullptr;
  const auto rank = [](const GroupEntry& entry) {
    return std::pair(entry.group.beside.size(), entry.work.weight());
  };
  for (const GroupEntry& entry : together_[unit.index()]) {
    const auto& beside = entry.group.beside;
    const auto works = [&](UnitId other) { return working[other.index()] != 0; };
    if (!entry.work.Covers(segment, model_of_[segment.index()])) continue;
    if (!std::all_of(beside.begin(), beside.end(), works)) continue;
    if (!best || rank(entry) > rank(*best)) best = &entry;
  }
  return best ? &best->group : nullptr;
}

namespace {

// Rounded up, but for what a double makes of 1.1.
Nanos Longer(Nanos work, double slowdown) {
  const double takes = std::ceil(static_cast<double>(work.count()) * slowdown * (1 - 1e-12));
  return std::min(Nanos{static_cast<std::int64_t>(takes)}, kLongestTime);
}

}  // namespace

Nanos Slowdowns::AllAtOnce(SegmentId segment, UnitId unit, Nanos work, std::span<const UnitId> units) const {
  if (!on() || units.size() < 2) return work;
  std::vector<char> working(units_);
  for (const UnitId other : units) working[other.index()] = other == unit ? 0 : 1;
  Met met;
  if (const Group* group = Together(segment, unit, working)) {
    met.Add(*group);
    for (const UnitId other : group->beside) working[other.index()] = 0;
  }
  for (const UnitId other : units) {
    if (working[other.index()]) met.Add(Of(segment, unit, segment, other));
  }
  return Longer(work, met.Slowdown(*this));
}

void Slowdowns::Met::Begin(double before) {
  slowdown_ = before;
  traffic_ = 0;
  curves_.clear();
}

void Slowdowns::Met::Add(const Beside& met) {
  slowdown_ *= met.slowdown;
  traffic_ += met.traffic;
  if (met.curve >= 0) curves_.push_back(met.curve);
}

double Slowdowns::Met::Slowdown(const Slowdowns& known) const {
  double by_traffic = curves_.empty() ? 1 : 0;
  for (const std::int32_t curve : curves_) by_traffic = std::max(by_traffic, known.At(curve, traffic_));
  return slowdown_ * by_traffic;
}

Nanos Slowdowns::AfterIdle(SegmentId segment, UnitId unit, Nanos work, Nanos idled) const {
  const auto curve = pause_.empty() ? 0 : static_cast<std::size_t>(pause_[At(segment, unit)]);
  return Longer(work, OnLine(pauses_[curve], static_cast<double>(idled.count())));
}

Nanos Slowdowns::AfterOther(SegmentId segment, UnitId unit, Nanos work) const {
  return Longer(work, after_other_.empty() ? 1 : after_other_[At(segment, unit)]);
}

// The first point counts for all below it.
std::optional<Nanos> Slowdowns::Repeated(SegmentId segment, UnitId unit, Nanos work, Nanos since) const {
  const std::int32_t curve = repeats_of_[At(segment, unit)];
  if (curve < 0) return std::nullopt;
  const SlowdownPoints& points = repeats_[static_cast<std::size_t>(curve)];
  const auto at = static_cast<double>(since.count());
  if (at > points.back().first) return std::nullopt;
  return Longer(work, OnLine(points, std::max(at, points.front().first)));
}

double LeastSlowdown(const Scenario& scenario) {
  const Platform& platform = *scenario.platform;
  struct Least {
    double load = 1, together = 1, curve = 1, sharing = 1;
    std::map<UnitId, double> beside;
  };
  const UnitNames units(platform);
  std::map<UnitId, Least> least_of;  // of those of which anything is known
  const auto lower = [](double& known, double slowdown) { known = std::min(known, slowdown); };
  for (const Profile& profile : scenario.profiles) {
    for (const BackgroundEntry& e : profile.background) lower(least_of[units.Find(e.unit)].load, e.slowdown);
    for (const TogetherEntry& e : profile.together) lower(least_of[units.Find(e.unit)].together, e.slowdown);
    // Of tasks that share the unit's time, each of which counts as one alone.
    for (const SharingEntry& e : profile.sharing)
      lower(least_of[units.Find(e.unit)].sharing, e.slowdown / static_cast<double>(e.at_once));
    for (const CoRunningEntry& e : profile.co_running) {
      const UnitId other = units.Find(e.beside);
      Least& of = least_of[units.Find(e.unit)];
      if (!other.valid()) continue;
      lower(e.beside_traffic_bytes_per_s ? of.curve : of.beside.try_emplace(other, 1).first->second,
            e.slowdown);
    }
  }
  double least = 1, fastest = 1;
  for (const auto& [unit, of] : least_of) {
    if (!unit.valid()) continue;
    double of_unit = of.load * of.together * of.curve * of.sharing;
    for (const auto& [other, slowdown] : of.beside) {
      for (std::int64_t slot = 0; slot < platform.unit(other).slots; ++slot) of_unit *= slowdown;
    }
    least = std::min(least, of_unit);
  }
  for (const UnitSpeed& speed : scenario.speeds) fastest = std::max(fastest, speed.speed);
  return least / fastest;
}

double LeastAtStart(const Scenario& scenario) {
  double after_idle = 1, before = 1;
  for (const Profile& profile : scenario.profiles) {
    for (const AfterIdleEntry& entry : profile.after_idle) after_idle = std::min(after_idle, entry.slowdown);
    for (const AfterOtherEntry& entry : profile.after_other) before = std::min(before, entry.slowdown);
    for (const RepeatedEntry& entry : profile.repeated) before = std::min(before, entry.slowdown);
  }
  return after_idle * before;
}

}  // namespace tandem
