#include "scenarios/check/rates.h"

#include <algorithm>
#include <iterator>

#include "scenarios/check/rules.h"

namespace tandem {
namespace {

const std::vector<std::string> kAllLayers;

}  // namespace

CheckedRates::CheckedRates(const CheckedRun& run) : run_(run), copies_(run) {
  const PolicyDeclaration* const policy = PolicyOf(run);
  apart_ = policy != nullptr && policy->waiting == Waiting::kOwnStream;
  for (const Profile& profile : run.scenario().profiles) Read(profile);
  CollectBusy();
  held_back_.resize(run.platform().units.size());
  for (const UnitHeat& heat : run.scenario().heat)
    held_back_[heat.unit.index()] = HeldBackByHeat(heat, WorksAtSpeeds(heat.unit));
  turns_.resize(run.platform().units.size());
  for (std::size_t u = 0; u < turns_.size(); ++u) {
    const Unit& unit = run.platform().units[u];
    if (unit.slice) turns_[u] = TurnsTaken(unit, AtWork(UnitId(u)));
  }
}

// Of what the trace says that the unit's slots did.
std::vector<CheckedAtWork> CheckedRates::AtWork(UnitId unit) const {
  std::map<Nanos, std::map<std::int32_t, int>> begun;  // by date and slot, less what has ended
  for (std::size_t track = 0; track < busy_.size(); ++track) {
    if (run_.units[track] != unit) continue;
    const auto slot = static_cast<std::int32_t>(run_.run().tracks[track].slot);
    for (const Busy& busy : busy_[track]) {
      ++begun[busy.start][slot];
      --begun[busy.end][slot];
    }
  }
  std::vector<CheckedAtWork> all;
  std::map<std::int32_t, int> tasks;
  for (const auto& [date, more] : begun) {
    for (const auto& [slot, change] : more) tasks[slot] += change;
    CheckedAtWork now{date, {}};
    for (const auto& [slot, count] : tasks) {
      if (count > 0) now.slots.push_back(slot);
    }
    all.push_back(std::move(now));
  }
  return all;
}

// At what speed it works from when on, by date; 0: it idles.
std::vector<CheckedSpeed> CheckedRates::WorksAtSpeeds(UnitId unit) const {
  std::map<Nanos, bool> works;  // from then on
  for (const CheckedAtWork& now : AtWork(unit)) works[now.at] = !now.slots.empty();
  for (const UnitSpeed& speed : run_.scenario().speeds) {
    if (speed.unit != unit) continue;
    const auto after = works.upper_bound(speed.at);
    works.try_emplace(speed.at, after != works.begin() && std::prev(after)->second);
  }
  std::vector<CheckedSpeed> goes;
  for (const auto& [date, does] : works) {
    const double speed = does ? SpeedByDate(unit, date) : 0;
    if (speed != (goes.empty() ? 0 : goes.back().speed)) goes.push_back({date, speed});
  }
  return goes;
}

std::int32_t CheckedRates::HolderAt(UnitId unit, Nanos date) const {
  const std::vector<CheckedTurn>& turns = turns_[unit.index()];
  const auto next = std::upper_bound(turns.begin(), turns.end(), date,
                                     [](Nanos at, const CheckedTurn& turn) { return at < turn.at; });
  return next == turns.begin() ? -1 : std::prev(next)->slot;
}

void CheckedRates::Read(const Profile& profile) {
  const auto unit = [&](const std::string& name) { return run_.platform().FindUnit(name); };
  const auto work = [&](const std::string& model, const std::vector<std::string>& layers) {
    return WorkNamed(model, layers, profile);
  };
  for (const CoRunningEntry& e : profile.co_running) {
    neighbours_.push_back({unit(e.unit), unit(e.beside), work(e.model, e.layers),
                           work(e.beside_model, e.beside_layers), e.beside_traffic_bytes_per_s, e.slowdown});
  }
  for (const TogetherEntry& e : profile.together) {
    Group group{unit(e.unit), work(e.model, e.layers), {}, e.slowdown};
    for (const std::string& name : e.beside) group.beside.push_back(unit(name));
    groups_.push_back(std::move(group));
  }
  for (const SharingEntry& e : profile.sharing)
    sharing_.push_back({&profile, unit(e.unit), work(e.model, kAllLayers), work(e.beside_model, kAllLayers),
                        static_cast<double>(e.at_once), e.slowdown, e.apart});
  for (const TrafficEntry& e : profile.traffic)
    traffics_.push_back({unit(e.unit), work(e.model, e.layers), e.bytes_per_s});
  for (const BackgroundEntry& e : profile.background) {
    const auto same = [&](const UnitLoad& load) {
      return load.unit == unit(e.unit) && load.load_pct == e.load_pct;
    };
    const auto& loads = run_.scenario().loads;
    if (std::any_of(loads.begin(), loads.end(), same))
      loads_.push_back({unit(e.unit), work(e.model, e.layers), e.slowdown});
  }
}

void CheckedRates::AddBusy(const CheckedTask& task) {
  for (std::size_t i = task.first_span; i < task.last_span; ++i) {
    const TracedSpan& span = run_.span(i);
    const auto track = static_cast<std::size_t>(span.track);
    if (!run_.units[track].valid() || span.end <= span.start) continue;
    busy_[track].push_back({span.start, span.end, &task});
    if (span.tensor >= 0) slot_copies_.emplace(&span, &task);
  }
}

void CheckedRates::CollectBusy() {
  busy_.resize(run_.units.size());
  for (const CheckedTask& task : run_.tasks) AddBusy(task);
  for (const CheckedTask& task : run_.lost) AddBusy(task);
  for (auto& track : busy_) {
    std::sort(track.begin(), track.end(), [](const Busy& a, const Busy& b) { return a.start < b.start; });
  }
}

const CheckedRates::Load* CheckedRates::BestOf(const std::vector<Load>& loads,
                                               const CheckedTask& task) const {
  const Load* best = nullptr;
  for (const Load& load : loads) {
    if (load.unit != task.unit || !load.work.Covers(run_, task)) continue;
    if (!best || load.work.weight() > best->work.weight()) best = &load;
  }
  return best;
}

double CheckedRates::UnderLoad(const CheckedTask& task) const {
  if (const Load* known = BestOf(loads_, task)) return known->value;
  for (const UnitLoad& load : run_.scenario().loads) {
    if (load.unit == task.unit) return 100.0 / static_cast<double>(100 - load.load_pct);
  }
  return 1;
}

// The points of the most particular curve for the two units.
std::map<double, double> CheckedRates::CurveFor(const CheckedTask& task, UnitId beside) const {
  int weight = -1;
  for (const Neighbour& n : neighbours_) {
    if (n.traffic && n.unit == task.unit && n.beside == beside && n.work.Covers(run_, task))
      weight = std::max(weight, n.work.weight());
  }
  std::map<double, double> points;
  for (const Neighbour& n : neighbours_) {
    if (n.traffic && n.unit == task.unit && n.beside == beside && n.work.Covers(run_, task) &&
        n.work.weight() == weight) {
      points[*n.traffic] = n.slowdown;
    }
  }
  return points;
}

double CheckedRates::Beside(const CheckedTask& task, std::vector<const CheckedTask*> others) const {
  double slowdown = 1;
  const auto at_work = [&](UnitId unit) {
    return std::any_of(others.begin(), others.end(), [&](const auto* other) { return other->unit == unit; });
  };
  const Group* together = nullptr;
  for (const Group& group : groups_) {
    if (group.unit != task.unit || !group.work.Covers(run_, task)) continue;
    if (!std::all_of(group.beside.begin(), group.beside.end(), at_work)) continue;
    const bool more =
        !together || group.beside.size() > together->beside.size() ||
        (group.beside.size() == together->beside.size() && group.work.weight() > together->work.weight());
    if (more) together = &group;
  }
  if (together) {
    slowdown = together->slowdown;
    std::erase_if(others, [&](const CheckedTask* other) {
      return std::find(together->beside.begin(), together->beside.end(), other->unit) !=
             together->beside.end();
    });
  }
  std::vector<std::map<double, double>> curves;
  double traffic = 0;
  for (const CheckedTask* other : others) {
    const Neighbour *named = nullptr, *any = nullptr;
    for (const Neighbour& n : neighbours_) {
      if (n.traffic || n.unit != task.unit || n.beside != other->unit) continue;
      if (!n.work.Covers(run_, task) || !n.other.Covers(run_, *other)) continue;
      const Neighbour*& best = n.other.model.empty() ? any : named;
      const auto weight = [](const Neighbour& of) { return of.work.weight() + of.other.weight(); };
      if (!best || weight(n) > weight(*best)) best = &n;
    }
    const Load* known = BestOf(traffics_, *other);
    auto curve = known && !named ? CurveFor(task, other->unit) : std::map<double, double>();
    if (named) {
      slowdown *= named->slowdown;
    } else if (!curve.empty()) {
      traffic += known->value;
      curves.push_back(std::move(curve));
    } else if (any) {
      slowdown *= any->slowdown;
    }
  }
  double steepest = curves.empty() ? 1 : 0;
  for (const auto& curve : curves) {
    std::pair<double, double> before(0, 1);
    double here = curve.rbegin()->second;
    for (const auto& point : curve) {
      if (point.first >= traffic) {
        const double width = point.first - before.first;
        here = width <= 0
                   ? point.second
                   : before.second + (point.second - before.second) * ((traffic - before.first) / width);
        break;
      }
      before = point;
    }
    steepest = std::max(steepest, here);
  }
  return slowdown * steepest;
}

// Between the two points next to it, or beyond the last one in proportion; of a pair as much more as of any,
// where that is more.
std::optional<double> CheckedRates::SharedBeside(const CheckedTask& task, const CheckedTask* beside,
                                                 double at_once, bool apart) const {
  const Sharing* best = nullptr;  // the first of those that are most particular
  const auto about = [&](const Sharing& e) {
    if (e.beside.model.empty() != (beside == nullptr) || (beside && !e.beside.Covers(run_, *beside)))
      return false;
    return e.unit == task.unit && e.apart == apart && e.work.Covers(run_, task);
  };
  for (const Sharing& e : sharing_) {
    if (about(e) && (!best || e.work.weight() > best->work.weight())) best = &e;
  }
  if (!best) return std::nullopt;
  std::map<double, double> points = {{1, 1}};
  for (const Sharing& e : sharing_) {
    if (about(e) && e.profile == best->profile && e.work.weight() == best->work.weight())
      points[e.at_once] = e.slowdown;
  }
  const auto next = points.lower_bound(at_once);
  if (next == points.end()) {
    const auto [most, slowdown] = *points.rbegin();
    const double in_proportion = slowdown * at_once / most;
    if (beside == nullptr) return in_proportion;
    return std::max(in_proportion, slowdown * SharedByAny(task, at_once) / SharedByAny(task, most));
  }
  if (next->first == at_once) return next->second;
  const auto before = std::prev(next);
  return before->second +
         (next->second - before->second) * ((at_once - before->first) / (next->first - before->first));
}

// Entries about programs count where streams are some, and those about threads elsewhere; where there are
// none of the one, the other. Without any each task has an equal part of the unit.
double CheckedRates::SharedByAny(const CheckedTask& task, double at_once) const {
  const auto same = SharedBeside(task, nullptr, at_once, apart_);
  return same ? *same : SharedBeside(task, nullptr, at_once, !apart_).value_or(at_once);
}

// Each of the others counts for its part: by entries about its model, else by those about any.
double CheckedRates::Shared(const CheckedTask& task, const std::vector<const CheckedTask*>& others) const {
  const auto at_once = static_cast<double>(others.size() + 1);
  const double any = SharedByAny(task, at_once);
  double sum = 0;
  for (const CheckedTask* other : others) {
    const auto same = SharedBeside(task, other, at_once, apart_);
    sum += same ? *same : SharedBeside(task, other, at_once, !apart_).value_or(any);
  }
  return others.empty() ? any : sum / static_cast<double>(others.size());
}

double CheckedRates::SpeedByDate(UnitId unit, Nanos date) const {
  const UnitSpeed* last = nullptr;
  for (const UnitSpeed& speed : run_.scenario().speeds) {
    if (speed.unit == unit && speed.at <= date && (!last || speed.at > last->at)) last = &speed;
  }
  return last ? last->speed : 1;
}

double CheckedRates::SpeedAt(UnitId unit, Nanos date) const {
  double held_back = 1;
  for (const CheckedSpeed& each : held_back_[unit.index()]) {
    if (each.at <= date) held_back = each.speed;
  }
  return SpeedByDate(unit, date) * held_back;
}

std::int64_t CheckedRates::Rate(const CheckedTask& task, const std::vector<const CheckedTask*>& others,
                                Nanos date) const {
  std::vector<const CheckedTask*> elsewhere;
  std::copy_if(others.begin(), others.end(), std::back_inserter(elsewhere),
               [&](const CheckedTask* other) { return other->unit != task.unit; });
  std::vector<const CheckedTask*> here;
  double at_a_time = 1;
  if (run_.platform().unit(task.unit).preempts) {
    for (const CheckedTask* other : others) {
      if (other->unit != task.unit) continue;
      const std::int64_t before = run_.stream(*other).priority - run_.stream(task).priority;
      if (before > 0) return 0;
      if (before == 0) here.push_back(other);
    }
    at_a_time = Shared(task, here);
  } else if (!turns_[task.unit.index()].empty()) {
    const auto slot = static_cast<std::int32_t>(run_.run().tracks[static_cast<std::size_t>(task.track)].slot);
    if (HolderAt(task.unit, date) != slot) return 0;
  } else if (elsewhere.size() < others.size()) {
    std::copy_if(others.begin(), others.end(), std::back_inserter(here),
                 [&](const CheckedTask* other) { return other->unit == task.unit; });
    at_a_time = Shared(task, here);
  }
  const double slowdown = UnderLoad(task) * Beside(task, elsewhere) * at_a_time;
  return std::clamp<std::int64_t>(
      static_cast<std::int64_t>(std::min(1000 / slowdown * SpeedAt(task.unit, date) + 1e-9, 1e4)), 1, 10000);
}

// Who else was at work from the one date to the other, of those that count for the task.
std::vector<const CheckedTask*> CheckedRates::Others(const CheckedTask& task, Nanos from, Nanos to) const {
  std::vector<const CheckedTask*> others;
  for (std::size_t track = 0; track < busy_.size(); ++track) {
    if (IsAside(task, track)) continue;
    const auto busy = std::partition_point(busy_[track].begin(), busy_[track].end(),
                                           [&](const Busy& b) { return b.end <= from; });
    if (busy != busy_[track].end() && busy->start <= from && busy->end >= to) others.push_back(busy->task);
  }
  return others;
}

// Its own work, and what does not matter to it.
bool CheckedRates::IsAside(const CheckedTask& task, std::size_t track) const {
  if (run_.units[track] != task.unit) return false;
  return !run_.platform().unit(task.unit).time_shared || static_cast<std::int32_t>(track) == task.track;
}

// Between the two dates: when anybody begins or ends, or a unit's speed or turn changes. `all`: also where it
// matters to others than the task.
std::vector<Nanos> CheckedRates::Dates(const CheckedTask& task, Nanos start, Nanos end, bool all) const {
  std::vector<Nanos> dates = {start, end};
  const auto add = [&](Nanos date) {
    if (date > start && date < end) dates.push_back(date);
  };
  for (std::size_t track = 0; track < busy_.size(); ++track) {
    if (!all && IsAside(task, track)) continue;
    auto busy = std::partition_point(busy_[track].begin(), busy_[track].end(),
                                     [&](const Busy& b) { return b.end <= start; });
    for (; busy != busy_[track].end() && busy->start < end; ++busy) {
      add(busy->start);
      add(busy->end);
    }
  }
  for (const UnitSpeed& speed : run_.scenario().speeds) {
    if (all || speed.unit == task.unit) add(speed.at);
  }
  for (std::size_t u = 0; u < turns_.size(); ++u) {
    if (!all && UnitId(u) != task.unit) continue;
    for (const CheckedSpeed& each : held_back_[u]) add(each.at);
    auto turn = std::upper_bound(turns_[u].begin(), turns_[u].end(), start,
                                 [](Nanos at, const CheckedTurn& of) { return at < of.at; });
    for (; turn != turns_[u].end() && turn->at < end; ++turn) add(turn->at);
  }
  return dates;
}

// An engine is slowed down by other copies alone.
CheckedRates::Way CheckedRates::Between(const CheckedTask& task, Nanos start, Nanos end,
                                        const TracedSpan* copy) const {
  const bool meets = copy && copies_.meet();
  std::vector<Nanos> dates = Dates(task, start, end, meets);
  if (meets) copies_.AddDates(start, end, dates);
  std::sort(dates.begin(), dates.end());
  Way way;
  for (std::size_t d = 1; d < dates.size(); ++d) {
    const Nanos from = dates[d - 1], to = dates[d];
    if (from == to) continue;
    const auto alone = [&](const TracedSpan& span) -> std::int64_t {
      const auto by = slot_copies_.find(&span);
      return by == slot_copies_.end() ? 1000 : Rate(*by->second, Others(*by->second, from, to), from);
    };
    way.last = meets  ? copies_.Rate(*copy, from, alone)
               : copy ? alone(*copy)
                      : Rate(task, Others(task, from, to), from);
    way.work += way.last * (to - from).count();
  }
  return way;
}

}  // namespace tandem
