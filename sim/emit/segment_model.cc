#include "sim/emit/segment_model.h"

#include <algorithm>
#include <map>
#include <set>
#include <utility>

namespace tandem {
namespace {

using Owners = std::vector<std::set<std::int32_t>>;  // per layer the segments that compute it

Owners OwnersByCut(const Cuts& cuts, const Cut& cut, const Model& model) {
  Owners owners(model.size());
  for (std::int32_t s = 0; s < cut.segments; ++s) {
    const Segment& segment = cuts.segments()[cut.first.index() + static_cast<std::size_t>(s)];
    const auto& layers = segment.layers.empty() ? WorkingLayers(model) : segment.layers;
    for (const LayerId layer : layers) {
      if (owners[layer.index()].empty()) owners[layer.index()].insert(s);
    }
  }
  return owners;
}

// A layer that no segment has is computed by whoever reads it, and where nobody does by who makes its input.
void GiveAwayTheRest(const Model& model, Owners& owners) {
  std::vector<char> left_out(model.size(), 0);
  for (std::size_t l = model.size(); l-- > 0;) {
    if (model.layer(LayerId(l)).op == Op::kInput || !owners[l].empty()) continue;
    left_out[l] = 1;
    for (const LayerId user : model.users(LayerId(l))) {
      owners[l].insert(owners[user.index()].begin(), owners[user.index()].end());
    }
  }
  for (std::size_t l = 0; l < model.size(); ++l) {
    if (left_out[l] == 0 || !owners[l].empty()) continue;
    for (const LayerId input : model.layer(LayerId(l)).inputs) {
      if (!owners[input.index()].empty()) owners[l] = {*owners[input.index()].rbegin()};
    }
    if (owners[l].empty()) owners[l].insert(0);
  }
}

bool IsReadOutside(const Model& whole, LayerId layer, const std::set<LayerId>& inside) {
  const auto users = whole.users(layer);
  return users.empty() ||
         std::any_of(users.begin(), users.end(), [&](LayerId user) { return inside.count(user) == 0; });
}

std::string Unused(std::string name, const Model& whole) {
  while (whole.Find(name).valid()) name += "_";
  return name;
}

}  // namespace

std::vector<std::vector<LayerId>> LayersOfSegments(const Cuts& cuts, const Cut& cut) {
  const Model& model = *cuts.scenario().model(cut.model).model;
  Owners owners = OwnersByCut(cuts, cut, model);
  GiveAwayTheRest(model, owners);
  std::vector<std::vector<LayerId>> layers(static_cast<std::size_t>(cut.segments));
  for (std::size_t l = 0; l < model.size(); ++l) {
    for (const std::int32_t s : owners[l]) layers[static_cast<std::size_t>(s)].emplace_back(l);
  }
  return layers;
}

SegmentModel SegmentModelOf(const Model& whole, const std::vector<LayerId>& owned, const std::string& name) {
  const std::set<LayerId> inside(owned.begin(), owned.end());
  const std::vector<LayerSpec> all = whole.Specs();
  std::vector<LayerSpec> specs, marks;
  std::set<LayerId> read;
  std::map<std::string, std::string> stands_for;  // an output's name: the layer of the whole
  for (const LayerId layer : owned) {
    for (const LayerId input : whole.layer(layer).inputs) {
      if (inside.count(input) == 0) read.insert(input);
    }
    if (!IsReadOutside(whole, layer, inside)) continue;
    const std::string& called = whole.layer(layer).name;
    const auto users = whole.users(layer);
    const bool inner =
        std::any_of(users.begin(), users.end(), [&](LayerId user) { return inside.count(user) != 0; });
    // What a layer inside reads as well is no output by itself: an identity makes it one.
    const std::string mark = inner ? Unused(called + ":out", whole) : called;
    if (inner) marks.push_back({mark, Op::kIdentity, DefaultAttributes(Op::kIdentity), {called}});
    stands_for.emplace(mark, called);
  }
  SegmentModel part;
  for (const LayerId input : read) {
    const Layer& layer = whole.layer(input);
    specs.push_back({layer.name, Op::kInput, InputAttributes{layer.output}, {}});
    part.inputs.push_back(layer.name);
  }
  for (const LayerId layer : owned) specs.push_back(all[layer.index()]);
  specs.insert(specs.end(), marks.begin(), marks.end());
  part.model = Model::Build(name, specs, name);
  for (const LayerId output : part.model.Outputs()) {
    part.outputs.push_back(stands_for.at(part.model.layer(output).name));
  }
  return part;
}

Weights WeightsOf(const Model& part, const Weights& whole) {
  Weights weights;
  for (std::size_t l = 0; l < part.size(); ++l) {
    for (const auto& [role, shape] : WeightShapes(part, LayerId(l))) {
      const WeightKey key{part.layer(LayerId(l)).name, role};
      weights.emplace(key, whole.at(key));
    }
  }
  return weights;
}

}  // namespace tandem
