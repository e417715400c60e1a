#include "sim/emit/segment_model.h"

#include <algorithm>
#include <map>
#include <set>
#include <utility>

namespace tandem {
namespace {

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
  std::vector<std::vector<LayerId>> layers;
  std::set<LayerId> taken;
  for (std::int32_t s = 0; s < cut.segments; ++s) {
    const Segment& segment = cuts.segments()[cut.first.index() + static_cast<std::size_t>(s)];
    const bool is_whole = segment.layers.empty();
    const auto of = is_whole ? WorkingLayers(*cuts.scenario().model(cut.model).model) : segment.layers;
    layers.emplace_back();
    for (const LayerId layer : of) {
      if (taken.insert(layer).second) layers.back().push_back(layer);
    }
  }
  return layers;
}

std::vector<LayerId> LayersRead(const Model& whole, const std::vector<LayerId>& owned) {
  const std::set<LayerId> inside(owned.begin(), owned.end());
  std::set<LayerId> read;
  for (const LayerId layer : owned) {
    for (const LayerId input : whole.layer(layer).inputs) {
      if (inside.count(input) == 0) read.insert(input);
    }
  }
  return {read.begin(), read.end()};
}

std::vector<LayerId> LayersMade(const Model& whole, const std::vector<LayerId>& owned) {
  const std::set<LayerId> inside(owned.begin(), owned.end());
  std::vector<LayerId> made;
  for (const LayerId layer : inside) {
    if (IsReadOutside(whole, layer, inside)) made.push_back(layer);
  }
  return made;
}

SegmentModel SegmentModelOf(const Model& whole, const std::vector<LayerId>& owned, const std::string& name) {
  const std::set<LayerId> inside(owned.begin(), owned.end());
  const std::vector<LayerSpec> all = whole.Specs();
  std::vector<LayerSpec> specs, marks;
  std::map<std::string, std::string> stands_for;  // an output's name: the layer of the whole
  for (const LayerId layer : owned) {
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
  for (const LayerId input : LayersRead(whole, owned)) {
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
