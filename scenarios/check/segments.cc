// How a traced run cut its models: the order of the tasks, what each of them takes, how tensors come to it.
#include <algorithm>
#include <functional>
#include <map>
#include <optional>
#include <set>

#include "profiles/base/suggest.h"
#include "profiles/costs/profile.h"
#include "scenarios/check/checked_run.h"
#include "scenarios/check/chip.h"

namespace tandem {
namespace {

// The times of a part of `segment` that a profile has, by size.
std::map<std::int64_t, Nanos> MeasuredParts(const CheckedRun& run, const CheckedSegment& segment,
                                            std::int64_t batch, UnitId unit) {
  std::map<std::int64_t, Nanos> times;
  const ScenarioModel& model = run.scenario().model(segment.model);
  std::set<std::string> names;
  for (const LayerId layer : segment.layers) names.insert(model.model->layer(layer).name);
  for (const Profile& profile : run.scenario().profiles) {
    for (const PartEntry& entry : profile.parts) {
      const bool same = entry.unit == run.platform().unit(unit).name && entry.batch == batch &&
                        entry.axis == segment.part->axis &&
                        run.scenario().units[unit.index()].variant == entry.variant &&
                        std::set<std::string>(entry.layers.begin(), entry.layers.end()) == names;
      if (same && ModelKey(entry.model, profile.file) == model.key) times[entry.size] = entry.time.median;
    }
  }
  return times;
}

// What starting a part takes beyond starting a task.
Nanos MoreDispatch(const CheckedRun& run, UnitId unit) {
  Nanos plain = run.platform().unit(unit).dispatch, split{0};
  for (const Profile& profile : run.scenario().profiles) {
    for (const DispatchEntry& entry : profile.dispatch) {
      if (entry.unit == run.platform().unit(unit).name) (entry.split ? split : plain) = entry.time.median;
    }
  }
  return std::max(split - plain, Nanos{0});
}

// a * b / c; what is left over counts as one.
std::int64_t Portion(std::int64_t a, std::int64_t b, std::int64_t c) {
  const std::int64_t rest = a % c * b;
  return a / c * b + rest / c + (rest % c > 0 ? 1 : 0);
}

// A size that was measured; between two of them the straight line, rounded away from the smaller one's time;
// with none at all the part's share of the layers' time. Negative: unknown.
Nanos PartTime(std::map<std::int64_t, Nanos> measured, Nanos whole, std::int64_t size, std::int64_t extent) {
  if (measured.empty() && whole >= Nanos{0}) return Nanos{Portion(whole.count(), size, extent)};
  if (const auto found = measured.find(size); found != measured.end()) return found->second;
  if (whole < Nanos{0}) return Nanos{-1};
  measured.emplace(extent, whole);
  const auto above = measured.upper_bound(size);
  if (above == measured.end()) return Nanos{-1};
  if (above == measured.begin()) return above->second;
  const auto below = std::prev(above);
  const std::int64_t difference = (above->second - below->second).count();
  const std::int64_t size_of =
      Portion(difference < 0 ? -difference : difference, size - below->first, above->first - below->first);
  return below->second + Nanos{difference < 0 ? -size_of : size_of};
}

}  // namespace

void CheckedRun::ResolveEdges(Findings& findings) {
  const auto wrong = [&](const std::string& what) {
    findings.Violation("names", "", Nanos{0}, what);
    usable_ = false;
  };
  for (const TraceEdge& edge : run_->edges) {
    CheckedEdge checked;
    checked.batch = edge.batch;
    checked.mode = edge.mode;
    for (std::size_t m = 0; m < scenario_->models.size(); ++m) {
      if (scenario_->models[m].name == edge.model) checked.model = ModelId(m);
    }
    if (!checked.model.valid()) {
      wrong("the scenario has no model " + Quoted(edge.model));
      continue;
    }
    const auto find = [&](const std::string& name) {
      const LayerId layer = model(checked.model).Find(name);
      if (!layer.valid()) wrong("no layer " + Quoted(name) + " in model " + Quoted(edge.model));
      return layer;
    };
    checked.from = find(edge.from);
    if (!edge.to.empty()) checked.to = find(edge.to);
    edges.push_back(checked);
  }
}

// The last edge that concerns it counts.
TransferMode CheckedRun::ModeOf(StreamId id, LayerId from, const std::vector<LayerId>& reader) const {
  TransferMode mode = scenario_->transfer;
  for (const CheckedEdge& edge : edges) {
    if (edge.model != stream(id).model || edge.batch != stream(id).batch || edge.from != from) continue;
    const bool has = reader.empty() || std::find(reader.begin(), reader.end(), edge.to) != reader.end();
    if (edge.to.valid() && has) mode = edge.mode;
  }
  return mode;
}

TransferMode CheckedRun::ModeBack(StreamId id, LayerId output) const {
  TransferMode mode = scenario_->transfer;
  for (const CheckedEdge& edge : edges) {
    if (edge.model != stream(id).model || edge.batch != stream(id).batch || edge.from != output) continue;
    if (!edge.to.valid()) mode = edge.mode;
  }
  return mode;
}

std::string CheckedRun::TensorName(const CheckedSegment& segment, LayerId layer) const {
  const std::string& name = model(segment.model).layer(layer).name;
  return segment.part ? name + " " + segment.part->Text() : name;
}

std::int64_t CheckedRun::Elements(StreamId id, LayerId layer, const std::optional<LayerPart>& part) const {
  const Model& of = model(stream(id).model);
  const auto& shape = of.layer(layer).output;
  const std::int64_t all = tandem::Elements(shape) / of.batch() * stream(id).batch;
  if (!part) return all;
  const std::size_t axis = part->axis == SplitAxis::kChannels ? 1 : 2;
  return axis < shape.size() ? all / shape[axis] * part->size() : all;
}

bool CheckedRun::Copies(const CheckedSegment& segment, StreamId id) const {
  const Model& of = model(segment.model);
  const auto inside = [&](LayerId layer) {
    return segment.layers.empty() ? of.layer(layer).op != Op::kInput
                                  : std::binary_search(segment.layers.begin(), segment.layers.end(), layer);
  };
  for (std::size_t l = 0; l < of.size(); ++l) {
    const LayerId layer(l);
    const auto users = of.users(layer);
    if (inside(layer) && users.empty() && ModeBack(id, layer) == TransferMode::kCopy) return true;
    for (const LayerId user : users) {
      if (inside(layer) == inside(user)) continue;
      const std::vector<LayerId> reader = inside(user) ? segment.layers : std::vector{user};
      if (ModeOf(id, layer, reader) == TransferMode::kCopy) return true;
    }
  }
  return false;
}

bool CheckedRun::Maps(const CheckedSegment& segment, StreamId id) const {
  if (scenario_->transfer == TransferMode::kZeroCopy) return true;
  return std::any_of(edges.begin(), edges.end(), [&](const CheckedEdge& edge) {
    return edge.model == segment.model && edge.to.valid() &&
           ModeOf(id, edge.from, segment.layers) == TransferMode::kZeroCopy;
  });
}

// The place of each among these segments of one request, one after the other such that each comes after those
// that it reads from; where several may be next, the one with the first layer, and of parts the first.
std::vector<std::int32_t> CheckedRun::PlacesOf(const std::vector<std::int32_t>& of_request) const {
  const auto segment = [&](std::size_t s) -> const CheckedSegment& {
    return segments[static_cast<std::size_t>(of_request[s])];
  };
  const Model& of = model(segment(0).model);
  std::vector<std::vector<std::size_t>> segments_of(of.size());
  for (std::size_t s = 0; s < of_request.size(); ++s) {
    for (const LayerId layer : segment(s).layers) segments_of[layer.index()].push_back(s);
  }
  std::map<std::size_t, std::set<std::size_t>> next;
  std::vector<int> waits(of_request.size());
  for (std::size_t l = 0; l < of.size(); ++l) {
    for (const std::size_t to : segments_of[l]) {
      for (const LayerId input : of.layer(LayerId(l)).inputs) {
        const auto& makers = segments_of[input.index()];
        if (std::find(makers.begin(), makers.end(), to) != makers.end()) continue;
        for (const std::size_t from : makers) waits[to] += next[from].insert(to).second ? 1 : 0;
      }
    }
  }
  using Place = std::tuple<LayerId, std::int64_t, std::size_t>;
  const auto place_of = [&](std::size_t s) {
    const auto& layers = segment(s).layers;
    return Place{layers.empty() ? LayerId(0) : layers.front(), segment(s).part ? segment(s).part->first : 0,
                 s};
  };
  std::set<Place> open;
  for (std::size_t s = 0; s < waits.size(); ++s) {
    if (waits[s] == 0) open.insert(place_of(s));
  }
  std::vector<std::int32_t> places(of_request.size());
  for (std::int32_t place = 0; !open.empty(); ++place) {
    const std::size_t s = std::get<2>(*open.begin());
    open.erase(open.begin());
    places[s] = place;
    for (const std::size_t follower : next[s]) {
      if (--waits[follower] == 0) open.insert(place_of(follower));
    }
  }
  return places;
}

// By the segments of each request: another batch may be cut otherwise, and both together need each other.
void CheckedRun::OrderTasks() {
  std::map<std::int32_t, std::vector<CheckedTask*>> lost_of;
  for (CheckedTask& task : lost) lost_of[task.request].push_back(&task);
  std::map<std::vector<std::int32_t>, std::vector<std::int32_t>> known;
  std::vector<CheckedTask*> all;
  std::vector<std::int32_t> of_request;
  for (std::size_t r = 0; r < requests.size(); ++r) {
    all.clear();
    of_request.clear();
    for (std::size_t t = requests[r].first_task; t < requests[r].last_task; ++t) all.push_back(&tasks[t]);
    const auto lost_ones = lost_of.find(static_cast<std::int32_t>(r));
    if (lost_ones != lost_of.end()) all.insert(all.end(), lost_ones->second.begin(), lost_ones->second.end());
    for (const CheckedTask* task : all) of_request.push_back(task->segment);
    std::sort(of_request.begin(), of_request.end());
    of_request.erase(std::unique(of_request.begin(), of_request.end()), of_request.end());
    if (of_request.size() < 2) continue;
    auto places = known.find(of_request);
    if (places == known.end()) places = known.emplace(of_request, PlacesOf(of_request)).first;
    for (CheckedTask* task : all) {
      const auto at = std::lower_bound(of_request.begin(), of_request.end(), task->segment);
      task->place = places->second[static_cast<std::size_t>(at - of_request.begin())];
    }
  }
}

namespace {

// Of sizes that no profile has, the straight line between those next to it, rounded up. `beyond`: the next
// one that a profile has.
Nanos Between(const std::function<Nanos(std::int64_t)>& known, std::int64_t size,
              const std::optional<std::int64_t>& beyond) {
  if (known(size) >= Nanos{0}) return known(size);
  std::int64_t below = size;
  while (below > 0 && known(below) < Nanos{0}) --below;
  if (below == 0 || !beyond) return Nanos{-1};
  const std::int64_t above = *beyond;
  const std::int64_t rise = (known(above) - known(below)).count(), span = above - below;
  const std::int64_t whole = rise / span, rest = (rise - whole * span) * (size - below);
  return known(below) + Nanos{whole * (size - below) + rest / span + (rest % span > 0 ? 1 : 0)};
}

}  // namespace

bool CheckedRun::FormsBatches() const { return FirstBatching(*scenario_) != nullptr; }

std::int64_t CheckedRun::LargestBatch(StreamId id, UnitId unit) const {
  const auto& variant = scenario_->units[unit.index()].variant;
  const Stream& of = stream(id);
  std::vector<LayerId> layers;
  for (std::size_t l = 0; l < model(of.model).size(); ++l) layers.emplace_back(l);
  const std::int64_t most = of.batching->most;
  // Below a size beyond it all are between two.
  if (variant && scenario_->costs->BatchBeyond({of.model, unit, *variant, most, layers, false})) return most;
  std::int64_t largest = 1;
  for (std::int64_t size = 2; variant && size <= most; ++size) {
    if (scenario_->costs->Time({of.model, unit, *variant, size, layers, false})) largest = size;
  }
  return largest;
}

std::int32_t CheckedRun::WorkOf(std::int32_t segment, StreamId id, std::int64_t requests_at_once) {
  const std::int64_t batch = stream(id).batch * requests_at_once;
  // How many go together is the stream's own rule: as many at once in one request take what is known of that.
  const StreamId together = requests_at_once > 1 ? id : StreamId();
  const auto [found, is_new] =
      work_of_.try_emplace({segment, batch, together}, static_cast<std::int32_t>(works.size()));
  if (!is_new) return found->second;
  const CheckedSegment& of = segments[static_cast<std::size_t>(segment)];
  CheckedWork work{segment, batch, {}, {}, Copies(of, id)};
  const bool maps = Maps(of, id);
  std::vector<LayerId> layers = of.layers;
  for (std::size_t l = 0; of.layers.empty() && l < model(of.model).size(); ++l) layers.emplace_back(l);
  for (std::size_t u = 0; u < platform().units.size(); ++u) {
    const auto& variant = scenario_->units[u].variant;
    const Nanos streamed = StreamedTime(*this, of, UnitId(u));
    const auto alone = [&](const CostQuery& query) {  // by the profiles
      const auto cost = scenario_->costs->Time(query);
      const OnChip& chips = scenario_->costs->on_chip();
      return cost ? cost->time - chips.MoreTime(of.model, UnitId(u), *variant, layers) : Nanos{-1};
    };
    const auto time = [&](bool mapped) {
      if (!variant) return Nanos{-1};
      if (requests_at_once > 1) {
        const auto known = [&](std::int64_t size) {
          const Nanos known_alone = alone({of.model, UnitId(u), *variant, size, layers, mapped});
          return known_alone < Nanos{0} ? known_alone : known_alone + streamed;
        };
        return Between(known, batch,
                       scenario_->costs->BatchBeyond({of.model, UnitId(u), *variant, batch, layers, mapped}));
      }
      const CostQuery query{of.model, UnitId(u), *variant, batch, layers, mapped};
      const Nanos whole = alone(query);
      if (!of.part) return whole < Nanos{0} ? whole : whole + streamed;
      const auto extent =
          model(of.model).layer(of.layers[0]).output[of.part->axis == SplitAxis::kChannels ? 1 : 2];
      const std::map<std::int64_t, Nanos> measured = MeasuredParts(*this, of, batch, UnitId(u));
      if (measured.empty() && scenario_->costs->KnownAsWholeAlone(query)) return Nanos{-1};
      const Nanos part = PartTime(measured, whole, of.part->size(), extent);
      return part < Nanos{0} ? part : part + MoreDispatch(*this, UnitId(u)) + streamed;
    };
    work.time.push_back(time(false));
    const Nanos mapped = maps && work.time.back() >= Nanos{0} ? time(true) : Nanos{-1};
    work.mapped.push_back(mapped >= Nanos{0} ? mapped : work.time.back());
  }
  works.push_back(std::move(work));
  return found->second;
}

}  // namespace tandem
