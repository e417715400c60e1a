#include "device/lowering/fusion.h"

#include <algorithm>
#include <map>

#include "profiles/model/op_declaration.h"

namespace tandem {
namespace {

bool IsProduct(Op op) { return Declaration(op).kind == OpKind::kProduct; }

class Fusion {
 public:
  Fusion(const Model& model, std::span<const LayerId> layers)
      : model_(model), free_(model.size(), false), layers_(layers) {
    for (const LayerId id : layers) free_[id.index()] = true;
  }

  // The convs of an addition compete for it: the last wins, so they are looked at backwards; whoever is taken
  // in by another must not lead a group before that other was looked at, so products come first.
  std::vector<FusedGroup> Run() {
    for (std::size_t i = layers_.size(); i-- > 0;) {
      if (IsProduct(model_.layer(layers_[i]).op)) Lead(layers_[i]);
    }
    for (const LayerId id : layers_) Lead(id);
    std::sort(groups_.begin(), groups_.end(),
              [](const FusedGroup& a, const FusedGroup& b) { return a.back() < b.back(); });
    return std::move(groups_);
  }

 private:
  void Lead(LayerId id) {
    if (!free_[id.index()]) return;
    FusedGroup group{id};
    free_[id.index()] = false;
    bool affine = true, activated = false, added = false;
    for (LayerId next = Next(id); next.valid(); next = Next(next)) {
      const Op op = model_.layer(next).op;
      if (!Takes(group[0], next, affine, activated, added)) break;
      const bool sum = IsPlainSum(model_, next);
      affine = affine && !IsActivation(op) && !sum;
      activated = (activated && !sum) || IsActivation(op);
      added = added || sum;
      free_[next.index()] = false;
      group.push_back(next);
    }
    groups_.push_back(std::move(group));
  }

  // The only reader of `id`, where it is still to be had.
  LayerId Next(LayerId id) const {
    const auto users = model_.users(id);
    return users.size() == 1 && free_[users[0].index()] ? users[0] : LayerId();
  }

  bool Takes(LayerId first, LayerId next, bool affine, bool activated, bool added) const {
    const Op lead = model_.layer(first).op, op = model_.layer(next).op;
    if (IsNothing(op)) return true;
    const bool product = IsProduct(lead);
    const bool scaling = IsAffine(model_, first);
    if (IsAffine(model_, next)) {
      const bool by_channel = lead != Op::kFc || model_.layer(first).output.size() == 2;
      return affine && by_channel && (product || scaling);
    }
    if (IsActivation(op)) return !activated && (product || scaling || IsPlainSum(model_, first));
    return (lead == Op::kConv || lead == Op::kDeconv) && !added && IsPlainSum(model_, next);
  }

  const Model& model_;
  std::vector<bool> free_;  // by layer: in the segment and in no group yet
  std::span<const LayerId> layers_;
  std::vector<FusedGroup> groups_;
};

}  // namespace

bool IsAffine(const Model& model, LayerId id) {
  const Layer& layer = model.layer(id);
  if (layer.op == Op::kBatchNorm || layer.op == Op::kScale) return true;
  const bool linear =
      layer.op == Op::kAdd || layer.op == Op::kSub || layer.op == Op::kMul || layer.op == Op::kDiv;
  if (!linear || layer.inputs.size() != 1 || layer.output.size() < 2) return false;
  const auto& a = layer.As<ElementwiseAttributes>();
  if (!a.has_constant || !a.coefficients.empty() || model.layer(layer.inputs[0]).output != layer.output)
    return false;
  if (layer.op == Op::kDiv && a.constant_first) return false;
  // Its axes are the last ones of the output: all are 1 but perhaps the channels.
  for (std::size_t i = 0; i < a.constant_shape.size(); ++i) {
    if (a.constant_shape[i] != 1 && i + layer.output.size() != a.constant_shape.size() + 1) return false;
  }
  return true;
}

bool IsPlainSum(const Model& model, LayerId id) {
  const Layer& layer = model.layer(id);
  if (layer.op != Op::kAdd || layer.inputs.size() != 2 || layer.inputs[0] == layer.inputs[1]) return false;
  const auto& a = layer.As<ElementwiseAttributes>();
  return !a.has_constant && a.coefficients.empty() && model.layer(layer.inputs[0]).output == layer.output &&
         model.layer(layer.inputs[1]).output == layer.output;
}

std::optional<QuantizeAttributes> GridOf(const Model& model, LayerId id) {
  for (const Layer* layer = &model.layer(id);; layer = &model.layer(layer->inputs[0])) {
    if (layer->op == Op::kQuantize) return layer->As<QuantizeAttributes>();
    const bool moves = IsNothing(layer->op) || layer->op == Op::kMaxPool || layer->op == Op::kFlatten ||
                       layer->op == Op::kReshape;
    if (!moves || layer->inputs.size() != 1) return std::nullopt;
  }
}

namespace {

// An average of all positions of an image: global, or of one window without padding that is as large.
bool IsMeanOfAll(const Model& model, const Layer& pool) {
  const auto& a = pool.As<PoolAttributes>();
  const Shape& in = model.layer(pool.inputs[0]).output;
  if (a.global || in.size() != 4) return a.global;
  if (!(a.adaptive == Extent{0, 0})) return a.adaptive == Extent{1, 1};
  return a.pad == Padding{} && a.dilation == Extent{1, 1} && a.kernel == Extent{in[2], in[3]};
}

// One alone: what lies on a grid is brought to another by what comes behind the group.
bool TakesGrid(const Model& model, const FusedGroup& group) {
  const auto is_grid = [&](LayerId id) { return model.layer(id).op == Op::kQuantize; };
  if (std::any_of(group.begin(), group.end(), is_grid)) return false;
  const Layer& layer = model.layer(group[0]);
  if (layer.op == Op::kConv) return layer.As<ConvAttributes>().quantized;
  if (layer.op == Op::kFc) return layer.As<FcAttributes>().quantized;
  if (layer.op == Op::kAvgPool) return IsMeanOfAll(model, layer);
  return layer.op == Op::kConcat || IsPlainSum(model, group[0]);
}

}  // namespace

std::vector<FusedGroup> WithGrids(const Model& model, std::vector<FusedGroup> groups) {
  std::map<LayerId, std::size_t> ending;  // groups by their last layer
  std::vector<FusedGroup> joined;
  for (FusedGroup& group : groups) {
    const Layer& first = model.layer(group[0]);
    const auto before = first.op == Op::kQuantize ? ending.find(first.inputs[0]) : ending.end();
    const bool joins = before != ending.end() && model.users(first.inputs[0]).size() == 1 &&
                       TakesGrid(model, joined[before->second]);
    if (!joins) {
      ending[group.back()] = joined.size();
      joined.push_back(std::move(group));
      continue;
    }
    FusedGroup& to = joined[before->second];
    to.insert(to.end(), group.begin(), group.end());
    ending.erase(before);
    ending[to.back()] = static_cast<std::size_t>(&to - joined.data());
  }
  std::sort(joined.begin(), joined.end(),
            [](const FusedGroup& a, const FusedGroup& b) { return a.back() < b.back(); });
  return joined;
}

std::vector<FusedGroup> FuseLayers(const Model& model, std::span<const LayerId> layers) {
  return Fusion(model, layers).Run();
}

}  // namespace tandem
