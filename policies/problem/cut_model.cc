#include "policies/problem/cut_model.h"

#include <algorithm>
#include <map>

#include "policies/problem/layer_groups.h"
#include "profiles/base/check.h"
#include "profiles/base/input_error.h"
#include "profiles/base/suggest.h"

namespace tandem {
namespace {

std::int64_t ElementsOf(const Model& model, LayerId layer, std::int64_t batch) {
  return Elements(model.layer(layer).output) / model.batch() * batch;
}

CutSegments WholeModel(const Model& model, ModelId id, std::int64_t batch) {
  CutSegments made;
  made.cut = {id, batch, SegmentId(0), 1, {SegmentId(0)}, {}};
  Segment whole;
  for (const LayerId input : model.Inputs()) {
    whole.reads.push_back(static_cast<std::int32_t>(made.cut.tensors.size()));
    made.cut.tensors.push_back({SegmentId(), ElementsOf(model, input, batch), {SegmentId(0)}, false, input});
  }
  for (const LayerId output : model.Outputs()) {
    whole.makes.push_back(static_cast<std::int32_t>(made.cut.tensors.size()));
    made.cut.tensors.push_back({SegmentId(0), ElementsOf(model, output, batch), {}, true, output});
  }
  made.segments.push_back(std::move(whole));
  return made;
}

void JoinFreeLayers(const Model& model, LayerGroups& groups) {
  for (std::size_t i = 0; i < model.size(); ++i) {
    const Layer& layer = model.layers()[i];
    if (layer.op == Op::kInput || !IsFree(layer.op)) continue;
    const auto users = model.users(LayerId(i));
    if (!groups.IsInput(layer.inputs[0].index())) {
      groups.Join(i, layer.inputs[0].index());
    } else if (!users.empty()) {
      groups.Join(i, users[0].index());
    }
  }
}

using LayerSet = std::vector<std::size_t>;

// The fused groups that units of the scenario have times for, the smallest first.
std::vector<LayerSet> ProfiledGroups(const Scenario& scenario, ModelId id, std::int64_t batch) {
  std::vector<LayerSet> found;
  for (const CostTable::Measured& entry : scenario.Entries(id, batch)) {
    if (entry.layers.size() >= 2 && !entry.axis) {
      found.emplace_back(entry.layers.begin(), entry.layers.end());
    }
  }
  std::stable_sort(found.begin(), found.end(),
                   [](const LayerSet& a, const LayerSet& b) { return a.size() < b.size(); });
  return found;
}

bool RunsAlone(const Scenario& scenario, ModelId id, std::int64_t batch, std::size_t layer) {
  const LayerId alone[] = {LayerId(layer)};
  for (std::size_t u = 0; u < scenario.units.size(); ++u) {
    if (scenario.Time(id, UnitId(u), batch, alone)) return true;
  }
  return false;
}

void JoinAll(const LayerSet& layers, LayerGroups& groups) {
  LayerSet work;
  for (const std::size_t layer : layers) {
    if (!groups.IsInput(layer)) work.push_back(layer);
  }
  for (const std::size_t layer : work) groups.Join(layer, work[0]);
}

void JoinProfiled(const Scenario& scenario, ModelId id, std::int64_t batch, Granularity granularity,
                  LayerGroups& groups) {
  const std::vector<LayerSet> profiled = ProfiledGroups(scenario, id, batch);
  if (granularity == Granularity::kGroup) {
    for (const LayerSet& layers : profiled) JoinAll(layers, groups);
    return;
  }
  for (std::size_t layer = 0; layer < scenario.model(id).model->size(); ++layer) {
    if (groups.IsInput(layer) || RunsAlone(scenario, id, batch, layer)) continue;
    const auto group = std::find_if(profiled.begin(), profiled.end(), [&](const LayerSet& layers) {
      return std::find(layers.begin(), layers.end(), layer) != layers.end();
    });
    if (group != profiled.end()) JoinAll(*group, groups);
  }
}

// Makes segments of pieces in topological order. Parts of one split follow each other and have the same
// layers.
class Cutter {
 public:
  Cutter(const Model& model, ModelId id, std::int64_t batch, std::vector<CutPiece> pieces)
      : model_(&model), batch_(batch), pieces_(std::move(pieces)), pieces_of_(model.size()) {
    made_.cut.model = id;
    made_.cut.batch = batch;
    made_.cut.first = SegmentId(0);
  }

  CutSegments Make() {
    made_.segments.resize(pieces_.size());
    made_.cut.segments = static_cast<std::int32_t>(pieces_.size());
    for (std::size_t p = 0; p < pieces_.size(); ++p) {
      for (const LayerId layer : pieces_[p].layers) pieces_of_[layer.index()].emplace_back(p);
      made_.segments[p].layers = std::move(pieces_[p].layers);
      made_.segments[p].part = pieces_[p].part;
    }
    for (std::size_t i = 0; i < model_->size(); ++i) AddOutput(LayerId(i));
    for (std::size_t s = 0; s < made_.segments.size(); ++s) {
      if (made_.segments[s].waits_for == 0) made_.cut.sources.emplace_back(s);
    }
    return std::move(made_);
  }

 private:
  // What the layer makes, where another segment reads it or it leaves the model: a tensor for each part.
  void AddOutput(LayerId layer) {
    const std::vector<SegmentId>& makers = pieces_of_[layer.index()];
    CutTensor tensor;
    tensor.layer = layer;
    tensor.leaves = model_->users(layer).empty();
    for (const LayerId user : model_->users(layer)) {
      const std::vector<SegmentId>& readers = pieces_of_[user.index()];
      if (readers != makers) tensor.consumers.insert(tensor.consumers.end(), readers.begin(), readers.end());
    }
    std::sort(tensor.consumers.begin(), tensor.consumers.end());
    tensor.consumers.erase(std::unique(tensor.consumers.begin(), tensor.consumers.end()),
                           tensor.consumers.end());
    if (tensor.consumers.empty() && (!tensor.leaves || makers.empty())) return;
    const std::int64_t elements = ElementsOf(*model_, layer, batch_);
    if (makers.empty()) return AddTensor(tensor, elements);
    for (const SegmentId maker : makers) {
      tensor.producer = maker;
      const auto& part = made_.segments[maker.index()].part;
      AddTensor(tensor, part ? elements / Extent(layer, part->axis) * part->size() : elements);
    }
  }

  std::int64_t Extent(LayerId layer, SplitAxis axis) const {
    return model_->layer(layer).output[axis == SplitAxis::kChannels ? 1 : 2];
  }

  void AddTensor(CutTensor tensor, std::int64_t elements) {
    tensor.elements = elements;
    const auto position = static_cast<std::int32_t>(made_.cut.tensors.size());
    for (const SegmentId reader : tensor.consumers) {
      made_.segments[reader.index()].reads.push_back(position);
      if (tensor.producer.valid()) AddFeed(tensor.producer, reader);
    }
    if (tensor.producer.valid()) made_.segments[tensor.producer.index()].makes.push_back(position);
    made_.cut.tensors.push_back(std::move(tensor));
  }

  void AddFeed(SegmentId producer, SegmentId reader) {
    auto& feeds = made_.segments[producer.index()].feeds;
    const auto at = std::lower_bound(feeds.begin(), feeds.end(), reader);
    if (at != feeds.end() && *at == reader) return;
    feeds.insert(at, reader);
    ++made_.segments[reader.index()].waits_for;
  }

  const Model* model_;
  std::int64_t batch_;
  std::vector<CutPiece> pieces_;
  std::vector<std::vector<SegmentId>> pieces_of_;  // per layer
  CutSegments made_;
};

std::string LayerText(const Model& model, LayerId layer) {
  return "layer " + Quoted(model.layer(layer).name) + " of model " + Quoted(model.name());
}

// The parts of one split are to make up all of it, in order.
void CheckParts(const Model& model, std::vector<const CutPiece*> parts) {
  const std::vector<LayerId>& layers = parts[0]->layers;
  const std::string which = LayerText(model, layers[0]);
  if (!parts[0]->part) {
    if (parts.size() > 1) throw InputError(which + " is in two tasks");
    return;
  }
  const SplitAxis axis = parts[0]->part->axis;
  const std::string along = " along " + std::string(NameOf(kSplitAxisNames, axis));
  const SplitRange range = SplitRangeOf(model, layers, axis);
  if (range.extent == 0) throw InputError(which + " cannot be split" + along);
  std::int64_t done = 0;
  for (const CutPiece* piece : parts) {
    const auto& part = piece->part;
    if (!part || part->axis != axis || part->first != done || part->end <= part->first) {
      throw InputError("the parts of " + which + " do not follow each other: the next one has to begin at " +
                       std::to_string(done) + along);
    }
    if (part->end % range.granule != 0 && part->end != range.extent) {
      throw InputError(which + " can be cut" + along + " at multiples of " + std::to_string(range.granule) +
                       " alone, not at " + std::to_string(part->end));
    }
    done = part->end;
  }
  if (done != range.extent) {
    throw InputError("the parts of " + which + " make up " + std::to_string(done) + " of " +
                     std::to_string(range.extent) + along);
  }
}

// Groups of layers as the pieces say; throws InputError where they do not make up the model.
LayerGroups GroupsOf(const Model& model, const std::vector<CutPiece>& pieces) {
  LayerGroups groups(model);
  std::map<std::vector<LayerId>, std::vector<const CutPiece*>> by_layers;
  for (const CutPiece& piece : pieces) {
    if (piece.layers.empty()) throw InputError("a task of model " + Quoted(model.name()) + " has no layers");
    by_layers[piece.layers].push_back(&piece);
  }
  std::vector<char> seen(model.size());
  for (const auto& [layers, parts] : by_layers) {
    CheckParts(model, parts);
    for (const LayerId layer : layers) {
      if (groups.IsInput(layer.index()))
        throw InputError(LayerText(model, layer) + " is an input, it is not run");
      if (seen[layer.index()]) throw InputError(LayerText(model, layer) + " is in two tasks");
      seen[layer.index()] = 1;
      groups.Join(layer.index(), layers[0].index());
    }
  }
  for (std::size_t i = 0; i < model.size(); ++i) {
    if (!groups.IsInput(i) && !seen[i]) throw InputError(LayerText(model, LayerId(i)) + " is in no task");
  }
  return groups;
}

// Layers that cost nothing and are in no piece go with what they read, or else with what reads them; where
// those are split, they are tasks of their own.
std::vector<CutPiece> WithFreeLayers(const Model& model, std::vector<CutPiece> pieces) {
  std::vector<std::ptrdiff_t> piece_of(model.size(), -1);
  for (std::size_t p = 0; p < pieces.size(); ++p) {
    std::sort(pieces[p].layers.begin(), pieces[p].layers.end());
    for (const LayerId layer : pieces[p].layers) {
      TANDEM_CHECK(layer.index() < model.size(), "a piece has layers of its model");
      piece_of[layer.index()] = static_cast<std::ptrdiff_t>(p);
    }
  }
  const auto join = [&](LayerId layer, LayerId neighbour) {
    const std::ptrdiff_t piece = piece_of[neighbour.index()];
    if (piece < 0 || pieces[static_cast<std::size_t>(piece)].part) return false;
    auto& layers = pieces[static_cast<std::size_t>(piece)].layers;
    layers.insert(std::lower_bound(layers.begin(), layers.end(), layer), layer);
    piece_of[layer.index()] = piece;
    return true;
  };
  for (std::size_t i = 0; i < model.size(); ++i) {
    const Layer& layer = model.layers()[i];
    if (piece_of[i] >= 0 || layer.op == Op::kInput || !IsFree(layer.op)) continue;
    if (!layer.inputs.empty() && join(LayerId(i), layer.inputs[0])) continue;
    const auto users = model.users(LayerId(i));
    if (!users.empty() && join(LayerId(i), users[0])) continue;
    piece_of[i] = static_cast<std::ptrdiff_t>(pieces.size());
    pieces.push_back({{LayerId(i)}, std::nullopt});
  }
  return pieces;
}

}  // namespace

CutSegments CutAsPlanned(const Scenario& scenario, const ModelPieces& cut) {
  const Model& model = *scenario.model(cut.model).model;
  const std::vector<CutPiece> given = WithFreeLayers(model, cut.pieces);
  LayerGroups groups = GroupsOf(model, given);
  std::map<std::vector<LayerId>, std::vector<const CutPiece*>> by_layers;
  for (const CutPiece& piece : given) by_layers[piece.layers].push_back(&piece);
  std::vector<CutPiece> pieces;
  for (const CutPiece& group : PiecesOf(model, groups)) {
    for (const CutPiece* part : by_layers[group.layers]) pieces.push_back(*part);
  }
  if (pieces.size() < given.size()) {
    throw InputError("tasks of model " + Quoted(model.name()) + " need each other's outputs");
  }
  if (pieces.size() == 1) return WholeModel(model, cut.model, cut.batch);
  return Cutter(model, cut.model, cut.batch, std::move(pieces)).Make();
}

CutSegments CutModel(const Scenario& scenario, ModelId id, std::int64_t batch, Granularity granularity) {
  const Model& model = *scenario.model(id).model;
  if (granularity == Granularity::kModel) return WholeModel(model, id, batch);
  LayerGroups groups(model);
  JoinFreeLayers(model, groups);
  JoinProfiled(scenario, id, batch, granularity, groups);
  while (JoinCycle(model, groups)) {
  }
  std::vector<CutPiece> pieces = PiecesOf(model, groups);
  if (pieces.size() <= 1) return WholeModel(model, id, batch);
  return Cutter(model, id, batch, std::move(pieces)).Make();
}

}  // namespace tandem
