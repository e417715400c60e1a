#include "profiles/model/weights.h"

#include <algorithm>

#include "profiles/base/input_error.h"
#include "profiles/base/suggest.h"

namespace tandem {
namespace {

using Roles = std::vector<std::pair<std::string, Shape>>;

std::string Describe(const WeightKey& key) { return "the " + key.role + " of layer " + Quoted(key.layer); }

Shape InputShape(const Model& model, const Layer& layer) { return model.layer(layer.inputs[0]).output; }

Roles ConvRoles(const ConvAttributes& a, std::int64_t in_channels, bool transposed) {
  const std::int64_t first = transposed ? in_channels : a.out_channels;
  const std::int64_t second = (transposed ? a.out_channels : in_channels) / a.groups;
  Roles roles = {{"weight", {first, second, a.kernel.h, a.kernel.w}}};
  if (a.bias) roles.push_back({"bias", {a.out_channels}});
  return roles;
}

Roles FcRoles(const FcAttributes& a, const Shape& in) {
  const auto rank = static_cast<std::int64_t>(in.size());
  const Shape flattened(in.begin() + (a.axis < 0 ? a.axis + rank : a.axis), in.end());
  Roles roles = {{"weight", {a.out_features, Elements(flattened)}}};
  if (a.bias) roles.push_back({"bias", {a.out_features}});
  return roles;
}

Roles LayerNormRoles(const LayerNormAttributes& a, const Shape& in) {
  const auto rank = static_cast<std::int64_t>(in.size());
  const Shape normalized(in.begin() + (a.axis < 0 ? a.axis + rank : a.axis), in.end());
  Roles roles = {{"gamma", normalized}};
  if (a.bias) roles.push_back({"beta", normalized});
  return roles;
}

Roles PerChannel(std::int64_t channels, std::initializer_list<const char*> names) {
  Roles roles;
  for (const char* name : names) roles.push_back({name, {channels}});
  return roles;
}

}  // namespace

Roles WeightShapes(const Model& model, LayerId id) {
  const Layer& layer = model.layer(id);
  if (layer.inputs.empty()) return {};
  const Shape in = InputShape(model, layer);
  switch (layer.op) {
    case Op::kConv:
    case Op::kDeconv:
      return ConvRoles(layer.As<ConvAttributes>(), in[1], layer.op == Op::kDeconv);
    case Op::kFc:
      return FcRoles(layer.As<FcAttributes>(), in);
    case Op::kLayerNorm:
      return LayerNormRoles(layer.As<LayerNormAttributes>(), in);
    case Op::kBatchNorm:
      if (!layer.As<BatchNormAttributes>().affine) return PerChannel(in[1], {"mean", "variance"});
      return PerChannel(in[1], {"gamma", "beta", "mean", "variance"});
    case Op::kScale:
      if (!layer.As<ScaleAttributes>().bias) return PerChannel(in[1], {"gamma"});
      return PerChannel(in[1], {"gamma", "beta"});
    case Op::kPrelu:
      return PerChannel(layer.As<PreluAttributes>().shared ? 1 : in[1], {"slope"});
    default:
      break;
  }
  const auto* elementwise = std::get_if<ElementwiseAttributes>(&layer.attributes);
  if (elementwise == nullptr || !elementwise->has_constant) return {};
  return {{"constant", elementwise->constant_shape}};
}

void CheckWeights(const Model& model, const Weights& weights, const std::string& source) {
  std::size_t needed = 0;
  for (std::size_t i = 0; i < model.size(); ++i) {
    for (const auto& [role, shape] : WeightShapes(model, LayerId(i))) {
      const WeightKey key{model.layer(LayerId(i)).name, role};
      const auto found = weights.find(key);
      if (found == weights.end()) throw InputError(source + ": " + Describe(key) + " is missing");
      const Tensor& tensor = found->second;
      if (tensor.shape != shape) {
        throw InputError(source + ": " + Describe(key) + " has the shape " + ShapeText(tensor.shape) +
                         ", its layer needs " + ShapeText(shape));
      }
      if (tensor.values.size() != static_cast<std::size_t>(Elements(shape))) {
        throw InputError(source + ": " + Describe(key) + " has " + std::to_string(tensor.values.size()) +
                         " numbers, its shape " + ShapeText(shape) + " needs another count");
      }
      ++needed;
    }
  }
  if (needed == weights.size()) return;
  std::vector<std::string> names;
  for (const Layer& layer : model.layers()) names.push_back(layer.name);
  for (const auto& [key, tensor] : weights) {
    const LayerId id = model.Find(key.layer);
    if (!id.valid()) {
      throw InputError(source + ": " + Describe(key) + " belongs to no layer of " + Quoted(model.name()) +
                       Suggestion(key.layer, names));
    }
    const Roles roles = WeightShapes(model, id);
    const auto is_role = [&key = key](const auto& role) { return role.first == key.role; };
    if (std::none_of(roles.begin(), roles.end(), is_role)) {
      throw InputError(source + ": " + Describe(key) + " is more than its operation, " +
                       std::string(NameOf(kOpNames, model.layer(id).op)) + ", takes");
    }
  }
}

}  // namespace tandem
