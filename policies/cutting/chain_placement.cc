#include "policies/cutting/chain_placement.h"

#include <algorithm>
#include <numeric>

#include "policies/cutting/range_times.h"
#include "policies/engine/exclusion.h"

namespace tandem {
namespace {

constexpr std::size_t kMostStates = 64;         // ways that are followed at a time
constexpr std::size_t kMostUnitsInSubsets = 4;  // of so many units all subsets split a task, of more pairs
constexpr Nanos kCannot{-1};

// Sets of at least two of `count`, as bits: all, or the pairs and the whole.
std::vector<std::uint32_t> Subsets(std::size_t count) {
  std::vector<std::uint32_t> subsets;
  if (count <= kMostUnitsInSubsets) {
    for (std::uint32_t set = 1; set < 1U << count; ++set) {
      if ((set & (set - 1)) != 0) subsets.push_back(set);
    }
    return subsets;
  }
  for (std::size_t a = 0; a < count; ++a) {
    for (std::size_t b = a + 1; b < count; ++b) subsets.push_back(1U << a | 1U << b);
  }
  subsets.push_back(static_cast<std::uint32_t>((std::uint64_t{1} << count) - 1));
  return subsets;
}

}  // namespace

ChainPlacer::ChainPlacer(const PieceTimes& times, std::size_t index, const CutSegments& cut)
    : times_(times),
      index_(index),
      cut_(cut),
      ratios_(times, index),
      excluded_(ExcludedUnits(*times.scenario().platform)) {
  for (std::size_t u = 0; u < times.units(); ++u) {
    moves_ = moves_ || times.MemoryOf(UnitId(u)) != MemoryId(0);
  }
  moves_ = (moves_ || times.problem().hand_overs().any()) && (times.copies() || times.maps());
  for (const Segment& segment : cut.segments) {
    layers_.push_back(segment.layers.empty() ? WorkingLayers(times.model(index)) : segment.layers);
  }
  for (const bool mapped : {false, true}) {
    for (const Segment& segment : cut.segments) {
      for (std::size_t u = 0; u < times.units(); ++u) {
        if (mapped && !times.maps()) continue;
        const auto time = segment.layers.empty() ? times.WholeModel(index, UnitId(u), mapped)
                                                 : times.Time(index, UnitId(u), segment.layers, mapped);
        time_[mapped ? 1 : 0].push_back(time.value_or(kCannot));
      }
    }
  }
}

std::optional<Nanos> ChainPlacer::Time(std::size_t task, UnitId unit, bool mapped) const {
  const Nanos time = time_[mapped ? 1 : 0][task * times_.units() + unit.index()];
  if (time == kCannot) return std::nullopt;
  return time;
}

TensorPlace ChainPlacer::Input(std::size_t tensor) const {
  return {{cut_.cut.tensors[tensor].Bytes(kFp32Bytes), {MemoryId(0)}, UnitId()}};
}

std::int64_t ChainPlacer::BytesMade(std::size_t tensor, const PlacedPart& part) const {
  const CutTensor& made = cut_.cut.tensors[tensor];
  const std::int64_t bytes = made.Bytes(times_.ElementBytes(part.unit));
  if (!part.part) return bytes;
  const std::size_t axis = part.part->axis == SplitAxis::kChannels ? 1 : 2;
  return bytes / times_.model(index_).layer(made.layer).output[axis] * part.part->size();
}

TensorPlace ChainPlacer::MadeBy(std::size_t tensor, const PlacedTask& task) const {
  TensorPlace place;
  for (const PlacedPart& part : task) {
    const bool handed = times_.problem().hand_overs().any();
    place.push_back({BytesMade(tensor, part), {times_.MemoryOf(part.unit)}, handed ? part.unit : UnitId()});
  }
  return place;
}

bool ChainPlacer::IsIn(const TensorPlace& place, MemoryId memory) {
  return std::all_of(place.begin(), place.end(), [&](const TensorPiece& piece) {
    return std::binary_search(piece.memories.begin(), piece.memories.end(), memory);
  });
}

// What lies there already may still have been made by another unit.
Nanos ChainPlacer::BringIn(const TensorPlace& place, UnitId unit) const {
  const MemoryId to = times_.MemoryOf(unit);
  Nanos total{0};
  for (const TensorPiece& piece : place) {
    Nanos least = kLongestTime;
    for (const MemoryId from : piece.memories) {
      const Nanos time = from == to ? Nanos{0} : times_.Copy(from, to, piece.bytes);
      if (time >= Nanos{0}) least = std::min(least, time);
    }
    total += least;
    if (piece.maker.valid()) total += times_.problem().hand_overs().Time(piece.maker, unit, piece.bytes);
  }
  return total;
}

Nanos ChainPlacer::WayBack(std::size_t task, const PlacedPart& part) const {
  Nanos total{0};
  const MemoryId memory = times_.MemoryOf(part.unit);
  if (!times_.copies() || memory == MemoryId(0)) return total;
  for (const std::int32_t t : cut_.segments[task].makes) {
    const auto tensor = static_cast<std::size_t>(t);
    if (cut_.cut.tensors[tensor].leaves) total += times_.Copy(memory, MemoryId(0), BytesMade(tensor, part));
  }
  return total;
}

// Those of before that are still wanted, and what the task makes.
std::vector<std::int32_t> ChainPlacer::AliveAfter(std::size_t task) const {
  if (!moves_) return {};
  std::vector<std::int32_t> alive = steps_.back().alive;
  const auto& makes = cut_.segments[task].makes;
  alive.insert(alive.end(), makes.begin(), makes.end());
  std::sort(alive.begin(), alive.end());
  std::erase_if(alive, [&](std::int32_t t) {
    const CutTensor& tensor = cut_.cut.tensors[static_cast<std::size_t>(t)];
    return tensor.consumers.empty() || tensor.consumers.back().index() <= task;
  });
  return alive;
}

std::optional<ChainPlacement> ChainPlacer::Find(const PlacerCase& wanted) {
  State start;
  Step before;
  for (std::size_t t = 0; moves_ && t < cut_.cut.tensors.size(); ++t) {
    if (cut_.cut.tensors[t].producer.valid()) continue;
    before.alive.push_back(static_cast<std::int32_t>(t));
    start.places.push_back(Input(t));
  }
  before.labels.emplace_back();
  steps_ = {std::move(before)};
  States states{{std::move(start), 0}};
  for (std::size_t task = 0; task < cut_.segments.size(); ++task) {
    steps_.push_back({AliveAfter(task), {}});
    States next;
    for (const auto& [state, label] : states) Extend(wanted, task, state, label, next);
    if (next.empty()) return std::nullopt;
    states = std::move(next);
    Prune(states, steps_.back().labels);
  }
  std::size_t best = states.begin()->second;
  for (const auto& [state, label] : states) {
    if (steps_.back().labels[label].total < steps_.back().labels[best].total) best = label;
  }
  return Trace(best);
}

ChainPlacement ChainPlacer::Trace(std::size_t label) const {
  ChainPlacement placement;
  placement.total = steps_.back().labels[label].total;
  placement.tasks.resize(cut_.segments.size());
  placement.times.resize(cut_.segments.size());
  for (std::size_t task = cut_.segments.size(); task-- > 0;) {
    const Label& of_task = steps_[task + 1].labels[label];
    placement.tasks[task] = of_task.task;
    placement.times[task] = of_task.time;
    label = of_task.before;
  }
  return placement;
}

void ChainPlacer::Prune(States& states, const std::vector<Label>& labels) {
  if (states.size() <= kMostStates) return;
  std::vector<States::const_iterator> order;
  for (auto state = states.cbegin(); state != states.cend(); ++state) order.push_back(state);
  std::stable_sort(order.begin(), order.end(),
                   [&](auto a, auto b) { return labels[a->second].total < labels[b->second].total; });
  for (std::size_t i = kMostStates; i < order.size(); ++i) states.erase(order[i]);
}

void ChainPlacer::Extend(const PlacerCase& wanted, std::size_t task, const State& state, std::size_t label,
                         States& next) {
  const bool settled = wanted.preferred.valid() && wanted.usable[wanted.preferred.index()] &&
                       Time(task, wanted.preferred).has_value();
  for (std::size_t u = 0; u < times_.units(); ++u) {
    if (!wanted.usable[u] || !Time(task, UnitId(u))) continue;
    if (!settled || UnitId(u) == wanted.preferred) Alone(task, UnitId(u), state, label, next);
  }
  if (!wanted.axes.empty()) Split(wanted, task, state, label, next);
}

const TensorPlace& ChainPlacer::PlaceIn(const State& state, std::size_t task, std::int32_t tensor) const {
  const auto& alive = steps_[task].alive;
  const auto at = std::lower_bound(alive.begin(), alive.end(), tensor) - alive.begin();
  return state.places[static_cast<std::size_t>(at)];
}

// Copies into the unit's memory, or whether something is read through a mapping.
Nanos ChainPlacer::BringInAll(std::size_t task, const State& state, UnitId unit, bool& mapped) const {
  Nanos total{0};
  mapped = false;
  if (!moves_) return total;
  const MemoryId memory = times_.MemoryOf(unit);
  for (const std::int32_t t : cut_.segments[task].reads) {
    const TensorPlace& place = PlaceIn(state, task, t);
    if (times_.copies()) {
      total += BringIn(place, unit);
      continue;
    }
    mapped = mapped || !IsIn(place, memory);
  }
  return total;
}

void ChainPlacer::Alone(std::size_t task, UnitId unit, const State& state, std::size_t label, States& next) {
  bool mapped = false;
  const Nanos copies = BringInAll(task, state, unit, mapped);
  const Nanos dispatch = state.last == unit ? Nanos{0} : times_.Dispatch(unit);
  const PlacedPart whole{unit, std::nullopt};
  const Nanos time = dispatch + copies + *Time(task, unit, mapped) + WayBack(task, whole);
  Keep(task, state, label, {whole}, time, next);
}

void ChainPlacer::Split(const PlacerCase& wanted, std::size_t task, const State& state, std::size_t label,
                        States& next) {
  const auto& layers = layers_[task];
  for (const SplitAxis axis : wanted.axes) {
    const SplitRange range = SplitRangeOf(times_.model(index_), layers, axis);
    if (range.extent <= range.granule) continue;
    std::vector<SplitUnit> units;
    for (std::size_t u = 0; u < times_.units() && units.size() < 31; ++u) {
      if (!wanted.usable[u] || !Time(task, UnitId(u))) continue;
      SplitUnit unit{UnitId(u), times_.Dispatch(UnitId(u)), false};
      unit.before += BringInAll(task, state, UnitId(u), unit.mapped);
      units.push_back(unit);
    }
    for (const std::uint32_t set : Subsets(units.size())) {
      std::vector<SplitUnit> some;
      bool together = true;  // units that share cores cannot work at once
      for (std::size_t i = 0; i < units.size(); ++i) {
        if ((set >> i & 1) == 0) continue;
        for (const SplitUnit& other : some) {
          const auto& excluded = excluded_[other.unit.index()];
          together = together && std::find(excluded.begin(), excluded.end(), units[i].unit) == excluded.end();
        }
        some.push_back(units[i]);
      }
      if (together && some.size() > 1) SplitOver(task, axis, some, state, label, next);
    }
  }
}

void ChainPlacer::SplitOver(std::size_t task, SplitAxis axis, const std::vector<SplitUnit>& units,
                            const State& state, std::size_t label, States& next) {
  const auto& layers = layers_[task];
  const auto shares = ratios_.Divide(layers, axis, units);
  if (!shares) return;
  const std::int64_t extent = std::accumulate(shares->sizes.begin(), shares->sizes.end(), std::int64_t{0});
  PlacedTask placed;
  Nanos time{0};
  std::int64_t done = 0;
  for (std::size_t i = 0; i < units.size(); ++i) {
    if (shares->sizes[i] == 0) continue;
    const PlacedPart part{units[i].unit, LayerPart{axis, done, done + shares->sizes[i]}};
    done += shares->sizes[i];
    const auto work = times_.Part(index_, part.unit, layers, *part.part, extent, units[i].mapped);
    time = std::max(time, units[i].before + *work + WayBack(task, part));
    placed.push_back(part);
  }
  if (placed.size() > 1) Keep(task, state, label, std::move(placed), time, next);
}

void ChainPlacer::Keep(std::size_t task, const State& state, std::size_t label, PlacedTask placed, Nanos time,
                       States& next) {
  const Step& before = steps_[task];
  Step& after = steps_[task + 1];
  State then{placed.size() == 1 ? placed[0].unit : UnitId(), {}};
  const auto& reads = cut_.segments[task].reads;
  for (const std::int32_t t : after.alive) {
    const CutTensor& tensor = cut_.cut.tensors[static_cast<std::size_t>(t)];
    if (tensor.producer == SegmentId(task)) {
      then.places.push_back(MadeBy(static_cast<std::size_t>(t), placed));
      continue;
    }
    TensorPlace place = PlaceIn(state, task, t);
    const bool brought = times_.copies() && std::binary_search(reads.begin(), reads.end(), t);
    for (std::size_t p = 0; brought && p < place.size(); ++p) {
      for (const PlacedPart& part : placed) {
        auto& memories = place[p].memories;
        const MemoryId memory = times_.MemoryOf(part.unit);
        const auto at = std::lower_bound(memories.begin(), memories.end(), memory);
        if (at == memories.end() || *at != memory) memories.insert(at, memory);
      }
    }
    then.places.push_back(std::move(place));
  }
  const Label found{before.labels[label].total + time, time, std::move(placed), label};
  const auto [known, is_new] = next.try_emplace(std::move(then), after.labels.size());
  if (is_new) {
    after.labels.push_back(found);
  } else if (found.total < after.labels[known->second].total) {
    after.labels[known->second] = found;
  }
}

}  // namespace tandem
