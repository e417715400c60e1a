// How a model is cut into segments: whole, at the groups that its profiles know, or layer by layer. What
// costs nothing (dropout, flatten, ...) goes with what it reads. A layer that no unit has a time for alone
// stays with the smallest group that has one.
#include <algorithm>
#include <numeric>
#include <queue>

#include "policies/problem.h"

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

// Which layers belong together: sets that only ever grow.
class Groups {
 public:
  explicit Groups(const Model& model) : model_(&model), parent_(model.size()) {
    std::iota(parent_.begin(), parent_.end(), 0);
  }
  bool IsInput(std::size_t layer) const { return model_->layers()[layer].op == Op::kInput; }
  std::size_t Of(std::size_t layer) {
    while (parent_[layer] != layer) layer = parent_[layer] = parent_[parent_[layer]];
    return layer;
  }
  // The group is called by its smallest layer.
  void Join(std::size_t a, std::size_t b) {
    a = Of(a);
    b = Of(b);
    parent_[std::max(a, b)] = std::min(a, b);
  }

 private:
  const Model* model_;
  std::vector<std::size_t> parent_;
};

void JoinFreeLayers(const Model& model, Groups& groups) {
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
  const Model& model = *scenario.model(id).model;
  std::vector<LayerSet> found;
  for (const Profile& profile : scenario.profiles) {
    ModelKeys keys(profile.file);
    for (const CostEntry& entry : profile.entries) {
      const UnitId unit = scenario.platform->FindUnit(entry.unit);
      if (entry.layers.size() < 2 || entry.batch != batch || !unit.valid()) continue;
      if (scenario.units[unit.index()].variant != entry.variant) continue;
      if (keys.Of(entry.model) != scenario.model(id).key) continue;
      LayerSet layers;
      for (const std::string& name : entry.layers) layers.push_back(model.Find(name).index());
      found.push_back(std::move(layers));
    }
  }
  std::stable_sort(found.begin(), found.end(),
                   [](const LayerSet& a, const LayerSet& b) { return a.size() < b.size(); });
  return found;
}

bool RunsAlone(const Scenario& scenario, ModelId id, std::int64_t batch, std::size_t layer) {
  const LayerId alone[] = {LayerId(layer)};
  for (std::size_t u = 0; u < scenario.units.size(); ++u) {
    const auto& variant = scenario.units[u].variant;
    if (variant && scenario.costs->Segment(id, UnitId(u), *variant, batch, alone)) return true;
  }
  return false;
}

void JoinAll(const LayerSet& layers, Groups& groups) {
  LayerSet work;
  for (const std::size_t layer : layers) {
    if (!groups.IsInput(layer)) work.push_back(layer);
  }
  for (const std::size_t layer : work) groups.Join(layer, work[0]);
}

void JoinProfiled(const Scenario& scenario, ModelId id, std::int64_t batch, Granularity granularity,
                  Groups& groups) {
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

// Per group (named by its first layer) those that read from it.
std::vector<std::vector<std::size_t>> Followers(const Model& model, Groups& groups) {
  std::vector<std::vector<std::size_t>> next(model.size());
  for (std::size_t i = 0; i < model.size(); ++i) {
    for (const LayerId input : model.layers()[i].inputs) {
      if (groups.IsInput(input.index()) || groups.Of(input.index()) == groups.Of(i)) continue;
      next[groups.Of(input.index())].push_back(groups.Of(i));
    }
  }
  return next;
}

// Groups in topological order, the one with the smallest first layer first; those on a cycle, and what
// depends on them, are missing.
std::vector<std::size_t> InOrder(const Model& model, Groups& groups) {
  const auto next = Followers(model, groups);
  std::vector<std::size_t> waits(model.size());
  for (const auto& followers : next) {
    for (const std::size_t follower : followers) ++waits[follower];
  }
  std::priority_queue<std::size_t, std::vector<std::size_t>, std::greater<>> open;
  for (std::size_t i = 0; i < model.size(); ++i) {
    if (groups.Of(i) == i && !groups.IsInput(i) && waits[i] == 0) open.push(i);
  }
  std::vector<std::size_t> order;
  for (; !open.empty();) {
    const std::size_t group = open.top();
    open.pop();
    order.push_back(group);
    for (const std::size_t follower : next[group]) {
      if (--waits[follower] == 0) open.push(follower);
    }
  }
  return order;
}

// Groups that need each other cannot be tasks of their own: joins one cycle; false where there is none.
bool JoinCycle(const Model& model, Groups& groups) {
  std::vector<char> left(model.size());
  for (std::size_t i = 0; i < model.size(); ++i) left[i] = groups.Of(i) == i && !groups.IsInput(i);
  for (const std::size_t group : InOrder(model, groups)) left[group] = 0;
  const auto start = std::find(left.begin(), left.end(), 1);
  if (start == left.end()) return false;
  // Every group that is left reads from one that is left: going backwards meets a group twice.
  std::vector<std::size_t> before(model.size(), model.size());
  const auto next = Followers(model, groups);
  for (std::size_t i = 0; i < model.size(); ++i) {
    for (const std::size_t follower : next[i]) {
      if (left[i] && left[follower]) before[follower] = std::min(before[follower], i);
    }
  }
  auto at = static_cast<std::size_t>(start - left.begin());
  for (; left[at] == 1; at = before[at]) left[at] = 2;
  for (std::size_t on = before[at]; on != at;) {
    const std::size_t earlier = before[on];
    groups.Join(on, at);
    on = earlier;
  }
  return true;
}

class Cutter {
 public:
  Cutter(const Model& model, ModelId id, std::int64_t batch, Groups& groups)
      : model_(&model), batch_(batch), groups_(&groups), segment_of_(model.size()) {
    made_.cut.model = id;
    made_.cut.batch = batch;
    made_.cut.first = SegmentId(0);
  }

  CutSegments Make() {
    const std::vector<std::size_t> order = InOrder(*model_, *groups_);
    if (order.size() <= 1) return WholeModel(*model_, made_.cut.model, batch_);
    std::vector<SegmentId> of_group(model_->size());
    for (std::size_t i = 0; i < order.size(); ++i) of_group[order[i]] = SegmentId(i);
    made_.segments.resize(order.size());
    made_.cut.segments = static_cast<std::int32_t>(order.size());
    for (std::size_t i = 0; i < model_->size(); ++i) {
      if (groups_->IsInput(i)) continue;
      segment_of_[i] = of_group[groups_->Of(i)];
      made_.segments[segment_of_[i].index()].layers.emplace_back(i);
    }
    for (std::size_t i = 0; i < model_->size(); ++i) AddTensor(LayerId(i));
    for (std::size_t s = 0; s < made_.segments.size(); ++s) {
      if (made_.segments[s].waits_for == 0) made_.cut.sources.emplace_back(s);
    }
    return std::move(made_);
  }

 private:
  // What the layer makes, where another segment reads it or it leaves the model.
  void AddTensor(LayerId layer) {
    CutTensor tensor{segment_of_[layer.index()],
                     ElementsOf(*model_, layer, batch_),
                     {},
                     model_->users(layer).empty(),
                     layer};
    for (const LayerId user : model_->users(layer)) {
      const SegmentId reader = segment_of_[user.index()];
      if (reader != tensor.producer) tensor.consumers.push_back(reader);
    }
    std::sort(tensor.consumers.begin(), tensor.consumers.end());
    tensor.consumers.erase(std::unique(tensor.consumers.begin(), tensor.consumers.end()),
                           tensor.consumers.end());
    if (tensor.consumers.empty() && (!tensor.leaves || !tensor.producer.valid())) return;
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
  Groups* groups_;
  std::vector<SegmentId> segment_of_;  // per layer; invalid: an input
  CutSegments made_;
};

}  // namespace

CutSegments CutModel(const Scenario& scenario, ModelId id, std::int64_t batch, Granularity granularity) {
  const Model& model = *scenario.model(id).model;
  if (granularity == Granularity::kModel) return WholeModel(model, id, batch);
  Groups groups(model);
  JoinFreeLayers(model, groups);
  JoinProfiled(scenario, id, batch, granularity, groups);
  while (JoinCycle(model, groups)) {
  }
  return Cutter(model, id, batch, groups).Make();
}

}  // namespace tandem
