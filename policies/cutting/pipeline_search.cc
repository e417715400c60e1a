#include "policies/cutting/pipeline_search.h"

#include <algorithm>
#include <limits>

#include "policies/engine/exclusion.h"

namespace tandem {
namespace {

constexpr std::size_t kMostPoints = 1000;  // where a model may be cut
constexpr std::size_t kMostUnitsExactly = 6;
constexpr double kMostSteps = 3e7;  // stages looked at exactly
constexpr double kMostStepsInOrders = 6e7;
constexpr double kEndless = std::numeric_limits<double>::max();

}  // namespace

// What one pass over the points is after: the least largest load below `below`, or with `cap` the least total
// of stages whose loads stay within it.
struct PipelineSearch::Goal {
  bool in_order = false;
  double below = kEndless;
  std::optional<double> cap;

  bool Allows(double load) const { return cap ? load <= *cap : load < below; }
  bool Better(const Label& a, const Label& b) const {
    if (!cap) return a.most < b.most;
    return a.total != b.total ? a.total < b.total : a.stages < b.stages;
  }
};

PipelineSearch::PipelineSearch(const PieceTimes& times, std::size_t cut)
    : times_(times), cut_(cut), layers_(WorkingLayers(times.model(cut))), ranges_(times.units()) {
  const auto excluded = ExcludedUnits(*times.scenario().platform);
  excludes_.assign(times.units(), std::vector<char>(times.units()));
  for (std::size_t u = 0; u < times.units(); ++u) {
    for (const UnitId other : excluded[u]) excludes_[u][other.index()] = 1;
  }
  FindTensors();
  FindPoints();
}

void PipelineSearch::FindTensors() {
  const Model& model = times_.model(cut_);
  std::vector<std::int32_t> place_of(model.size(), -1);
  for (std::size_t i = 0; i < layers_.size(); ++i)
    place_of[layers_[i].index()] = static_cast<std::int32_t>(i);
  for (std::size_t l = 0; l < model.size(); ++l) {
    Tensor tensor{place_of[l], {}, 0};
    tensor.elements = Elements(model.layers()[l].output) / model.batch() * times_.cuts()[cut_].batch;
    for (const LayerId user : model.users(LayerId(l))) tensor.consumers.push_back(place_of[user.index()]);
    if (tensor.producer >= 0 && tensor.consumers.empty())
      leaving_.emplace_back(tensor.producer, tensor.elements);
    if (!tensor.consumers.empty()) tensors_.push_back(std::move(tensor));
  }
}

// Before a layer that costs nothing no cut is better than behind it. Of very many places some are left out.
void PipelineSearch::FindPoints() {
  const Model& model = times_.model(cut_);
  std::vector<std::size_t> points;
  for (std::size_t place = 1; place < layers_.size(); ++place) {
    if (!IsFree(model.layer(layers_[place]).op)) points.push_back(place);
  }
  points_ = {0};
  const std::size_t every = points.size() / kMostPoints + 1;
  for (std::size_t i = 0; i < points.size(); i += every) points_.push_back(points[i]);
  points_.push_back(layers_.size());
  for (std::size_t point = 0; point < points_.size(); ++point) alive_.push_back(AliveAt(point));
}

std::vector<std::int32_t> PipelineSearch::AliveAt(std::size_t point) const {
  std::vector<std::int32_t> alive;
  const auto place = static_cast<std::int32_t>(points_[point]);
  for (std::size_t t = 0; t < tensors_.size(); ++t) {
    if (tensors_[t].producer < place && tensors_[t].consumers.back() >= place)
      alive.push_back(static_cast<std::int32_t>(t));
  }
  return alive;
}

void PipelineSearch::FindUnits(const PipelineCase& wanted) {
  units_.clear();
  memories_ = {MemoryId(0)};
  for (std::size_t u = 0; u < times_.units(); ++u) {
    if (!wanted.usable[u]) continue;
    const MemoryId memory = times_.MemoryOf(UnitId(u));
    const auto known = std::find(memories_.begin(), memories_.end(), memory);
    if (known == memories_.end() && memories_.size() == 64) continue;  // a bit each
    if (known == memories_.end()) memories_.push_back(memory);
    units_.emplace_back(u);
    if (!ranges_[u]) ranges_[u].emplace(times_, cut_, UnitId(u), points_);
  }
  moves_ = times_.copies() && (memories_.size() > 1 || times_.problem().hand_overs().any());
}

double PipelineSearch::LoadOf(const PipelineCase& wanted, UnitId unit, std::int64_t time) const {
  const double work = wanted.load[unit.index()] + wanted.requests * static_cast<double>(time);
  return work / static_cast<double>(times_.scenario().platform->unit(unit).AtFullSpeed());
}

std::optional<std::vector<Stage>> PipelineSearch::Find(const PipelineCase& wanted) {
  FindUnits(wanted);
  if (layers_.empty() || units_.empty()) return std::nullopt;
  const auto points = static_cast<double>(points_.size()), units = static_cast<double>(units_.size());
  const double steps = points * points / 2 * units *
                       static_cast<double>(std::uint64_t{1} << std::min<std::size_t>(units_.size(), 60)) / 2;
  double most = kEndless;
  if (units_.size() <= kMostUnitsExactly && steps <= kMostSteps) return Best(wanted, false, most);
  return FindInOrders(wanted);
}

// The fastest unit first, then two units that stand together changed for each other as long as that helps.
std::optional<std::vector<Stage>> PipelineSearch::FindInOrders(const PipelineCase& wanted) {
  std::vector<std::pair<double, UnitId>> speed;
  for (const UnitId unit : units_) {
    double sum = 0;
    for (std::size_t p = 0; p + 1 < points_.size(); ++p) {
      sum += static_cast<double>(std::max<std::int64_t>(ranges_[unit.index()]->Of(p, p + 1), 0));
    }
    speed.emplace_back(sum, unit);
  }
  std::stable_sort(speed.begin(), speed.end());
  for (std::size_t i = 0; i < units_.size(); ++i) units_[i] = speed[i].second;
  double most = kEndless;
  auto best = Best(wanted, true, most);
  const auto points = static_cast<double>(points_.size()), units = static_cast<double>(units_.size());
  double left = kMostStepsInOrders - points * points * units * units / 2;
  for (bool improved = best.has_value(); improved;) {
    improved = false;
    for (std::size_t i = 0; i + 1 < units_.size() && left > 0; ++i) {
      std::swap(units_[i], units_[i + 1]);
      left -= points * points * units * units / 2;
      double other_most = most;
      auto other = Best(wanted, true, other_most);
      if (other && other_most < most) {
        best = std::move(other);
        most = other_most;
        improved = true;
      } else {
        std::swap(units_[i], units_[i + 1]);
      }
    }
  }
  return best;
}

// Nothing where no pipeline's largest load is below `most`; which becomes the least one.
std::optional<std::vector<Stage>> PipelineSearch::Best(const PipelineCase& wanted, bool in_order,
                                                       double& most) {
  Goal goal{in_order, most, std::nullopt};
  if (!Run(wanted, goal, most)) return std::nullopt;
  goal.cap = most;
  double total_most = 0;
  return Run(wanted, goal, total_most);
}

std::optional<std::vector<Stage>> PipelineSearch::Run(const PipelineCase& wanted, const Goal& goal,
                                                      double& most) {
  at_.assign(points_.size(), {});
  State start{0, 0, {}};
  if (moves_) start.places.assign(alive_[0].size(), {1, kFp32Bytes, UnitId()});
  at_[0] = {{}, {std::move(start)}, {Label{}}};
  for (std::size_t u = 0; u < times_.units(); ++u) {  // no less, whatever this model does
    at_[0].labels[0].most = std::max(at_[0].labels[0].most, LoadOf(wanted, UnitId(u), 0));
  }
  Goal now = goal;
  std::int32_t best = -1;
  for (std::size_t from = 0; from + 1 < points_.size(); ++from) {
    for (std::size_t label = 0; label < at_[from].labels.size(); ++label) {
      if (now.Allows(at_[from].labels[label].most)) Extend(wanted, now, from, label);
    }
    const std::vector<Label>& ends = at_.back().labels;
    for (std::size_t label = 0; label < ends.size(); ++label) {
      if (best >= 0 && !goal.Better(ends[label], ends[static_cast<std::size_t>(best)])) continue;
      best = static_cast<std::int32_t>(label);
      if (!goal.cap) now.below = ends[label].most;
    }
  }
  if (best < 0) return std::nullopt;
  most = at_.back().labels[static_cast<std::size_t>(best)].most;
  return StagesOf(best);
}

void PipelineSearch::Extend(const PipelineCase& wanted, const Goal& goal, std::size_t from,
                            std::size_t label) {
  const State& state = at_[from].states[label];
  if (wanted.stages > 0 && state.stages == wanted.stages) return;
  for (std::size_t position = 0; position < units_.size(); ++position) {
    if (goal.in_order ? position < state.used : (state.used >> position & 1) != 0) continue;
    bool excluded = false;
    for (auto at = static_cast<std::int32_t>(label), point = static_cast<std::int32_t>(from); point > 0;) {
      const Label& before = at_[static_cast<std::size_t>(point)].labels[static_cast<std::size_t>(at)];
      excluded = excluded || excludes_[before.unit.index()][units_[position].index()];
      at = before.before;
      point = before.point;
    }
    if (!excluded) ExtendOn(wanted, goal, from, label, position);
  }
}

// A copy, or what handing it over costs.
std::int64_t PipelineSearch::BringIn(const Place& place, std::int64_t elements, UnitId unit,
                                     std::size_t memory) const {
  if (place.memories >> memory & 1) {
    if (!place.maker.valid()) return 0;
    return times_.problem().hand_overs().Time(place.maker, unit, elements * place.element_bytes).count();
  }
  std::int64_t least = kLongestTime.count();
  for (std::size_t m = 0; m < memories_.size(); ++m) {
    if ((place.memories >> m & 1) == 0) continue;
    const Nanos time = times_.Copy(memories_[m], memories_[memory], elements * place.element_bytes);
    if (time >= Nanos{0}) least = std::min(least, time.count());
  }
  return least;
}

// Copy engines bring outputs back while the slot is free.
std::int64_t PipelineSearch::WayBack(UnitId unit, std::size_t from, std::size_t to) const {
  const MemoryId memory = times_.MemoryOf(unit);
  if (!moves_ || times_.ByEngines(memory, MemoryId(0))) return 0;
  std::int64_t time = 0;
  for (const auto& [place, elements] : leaving_) {
    if (static_cast<std::size_t>(place) < points_[from] || static_cast<std::size_t>(place) >= points_[to])
      continue;
    time += times_.Copy(memory, MemoryId(0), elements * times_.ElementBytes(unit)).count();
  }
  return time;
}

// Further stages only grow until a run of layers meets an entry of its own; so all are looked at whose least
// time from there on may do.
void PipelineSearch::ExtendOn(const PipelineCase& wanted, const Goal& goal, std::size_t from,
                              std::size_t label, std::size_t position) {
  const UnitId unit = units_[position];
  const RangeTimes& range = *ranges_[unit.index()];
  const auto memory = static_cast<std::size_t>(
      std::find(memories_.begin(), memories_.end(), times_.MemoryOf(unit)) - memories_.begin());
  std::vector<std::pair<std::int32_t, std::int64_t>> bring_ins;  // first reader, time
  for (std::size_t i = 0; moves_ && i < alive_[from].size(); ++i) {
    const Tensor& tensor = tensors_[static_cast<std::size_t>(alive_[from][i])];
    const std::int64_t time = BringIn(at_[from].states[label].places[i], tensor.elements, unit, memory);
    const auto reader = std::lower_bound(tensor.consumers.begin(), tensor.consumers.end(),
                                         static_cast<std::int32_t>(points_[from]));
    if (time > 0) bring_ins.emplace_back(*reader, time);
  }
  std::sort(bring_ins.begin(), bring_ins.end());
  std::size_t next = 0;
  std::int64_t brought = times_.Dispatch(unit).count();
  for (std::size_t to = from + 1; to < points_.size(); ++to) {
    for (; next < bring_ins.size() && static_cast<std::size_t>(bring_ins[next].first) < points_[to]; ++next) {
      brought += bring_ins[next].second;
    }
    const std::int64_t least = range.LeastFrom(from, to);
    if (least == RangeTimes::kCannot || !goal.Allows(LoadOf(wanted, unit, brought + least))) return;
    if (range.Of(from, to) == RangeTimes::kCannot) continue;
    const std::int64_t time = brought + range.Of(from, to) + WayBack(unit, from, to);
    const double load = LoadOf(wanted, unit, time);
    if (!goal.Allows(load)) continue;
    const Label& before = at_[from].labels[label];
    const Label after{std::max(before.most, load),
                      before.total + time,
                      before.stages + 1,
                      static_cast<std::int32_t>(from),
                      static_cast<std::int32_t>(label),
                      unit,
                      Nanos{time}};
    State state = Next(at_[from].states[label], from, to, position, goal);
    if (wanted.stages > 0) ++state.stages;
    Keep(to, std::move(state), after, goal);
  }
}

PipelineSearch::State PipelineSearch::Next(const State& state, std::size_t from, std::size_t to,
                                           std::size_t position, const Goal& goal) const {
  State next{goal.in_order ? position + 1 : state.used | std::uint64_t{1} << position, state.stages, {}};
  if (!moves_ || to + 1 == points_.size()) return next;
  const UnitId unit = units_[position];
  const auto memory = static_cast<std::size_t>(
      std::find(memories_.begin(), memories_.end(), times_.MemoryOf(unit)) - memories_.begin());
  const UnitId maker = times_.problem().hand_overs().any() ? unit : UnitId();
  const auto begin = static_cast<std::int32_t>(points_[from]), end = static_cast<std::int32_t>(points_[to]);
  for (const std::int32_t t : alive_[to]) {
    const Tensor& tensor = tensors_[static_cast<std::size_t>(t)];
    if (tensor.producer >= begin) {
      next.places.push_back({std::uint64_t{1} << memory, times_.ElementBytes(unit), maker});
      continue;
    }
    const auto at = std::lower_bound(alive_[from].begin(), alive_[from].end(), t) - alive_[from].begin();
    Place place = state.places[static_cast<std::size_t>(at)];
    const auto reader = std::lower_bound(tensor.consumers.begin(), tensor.consumers.end(), begin);
    if (*reader < end) place.memories |= std::uint64_t{1} << memory;
    next.places.push_back(place);
  }
  return next;
}

void PipelineSearch::Keep(std::size_t point, State state, const Label& label, const Goal& goal) {
  AtPoint& at = at_[point];
  const auto [known, is_new] = at.index.try_emplace(std::move(state), at.labels.size());
  if (is_new) {
    at.states.push_back(known->first);
    at.labels.push_back(label);
  } else if (goal.Better(label, at.labels[known->second])) {
    at.labels[known->second] = label;
  }
}

std::vector<Stage> PipelineSearch::StagesOf(std::int32_t label) const {
  std::vector<Stage> stages;
  for (std::size_t point = points_.size() - 1; point > 0;) {
    const Label& last = at_[point].labels[static_cast<std::size_t>(label)];
    stages.push_back({points_[static_cast<std::size_t>(last.point)], points_[point], last.unit, last.time});
    point = static_cast<std::size_t>(last.point);
    label = last.before;
  }
  std::reverse(stages.begin(), stages.end());
  return stages;
}

}  // namespace tandem
