#include "profiles/model/layer_parts.h"

#include <algorithm>

#include "profiles/model/op_declaration.h"

namespace tandem {
namespace {

// Of tensors of one shape, without a constant: then a part of each makes a part of the result.
bool HasSameShapes(const Model& model, const Layer& layer) {
  return !layer.As<ElementwiseAttributes>().has_constant &&
         std::all_of(layer.inputs.begin(), layer.inputs.end(),
                     [&](LayerId input) { return model.layer(input).output == layer.output; });
}

bool PoolsByWindow(const Layer& layer) {
  const auto& pool = layer.As<PoolAttributes>();
  return !pool.global && pool.adaptive == Extent{0, 0};
}

// May it stand behind others of the group?
bool Follows(const Model& model, const Layer& layer, SplitAxis axis) {
  const PartRule rule = Declaration(layer.op).parts;
  return rule == PartRule::kEachNumber || (rule == PartRule::kSameShapes && HasSameShapes(model, layer)) ||
         (rule == PartRule::kPool && axis == SplitAxis::kChannels);
}

bool Leads(const Model& model, const Layer& layer, SplitAxis axis) {
  switch (Declaration(layer.op).parts) {
    case PartRule::kConvolution:
      return true;
    case PartRule::kFeatures:
      return axis == SplitAxis::kChannels && layer.output.size() == 2;
    case PartRule::kPool:
      return axis == SplitAxis::kChannels || PoolsByWindow(layer);
    default:
      return Follows(model, layer, axis);
  }
}

std::size_t AxisOf(SplitAxis axis) { return axis == SplitAxis::kChannels ? 1 : 2; }

}  // namespace

std::string LayerPart::Text() const {
  return std::string(NameOf(kSplitAxisNames, axis)) + " " + std::to_string(first) + "-" +
         std::to_string(end - 1);
}

SplitRange SplitRangeOf(const Model& model, std::span<const LayerId> layers, SplitAxis axis) {
  if (layers.empty()) return {};
  const auto inside = [&](LayerId id) { return std::binary_search(layers.begin(), layers.end(), id); };
  const Layer& head = model.layer(layers[0]);
  if (!Leads(model, head, axis) || head.output.size() <= AxisOf(axis)) return {};
  const std::int64_t extent = head.output[AxisOf(axis)];
  for (const LayerId id : layers) {
    const Layer& layer = model.layer(id);
    if (layer.output.size() != head.output.size() || layer.output[AxisOf(axis)] != extent) return {};
    const bool reads_inside = std::any_of(layer.inputs.begin(), layer.inputs.end(), inside);
    if (id != layers[0] && (!reads_inside || !Follows(model, layer, axis))) return {};
    if (id == layers.back()) continue;
    const auto users = model.users(id);
    if (users.empty() || !std::all_of(users.begin(), users.end(), inside)) return {};
  }
  const bool conv = Declaration(head.op).parts == PartRule::kConvolution;
  const std::int64_t groups = conv ? head.As<ConvAttributes>().groups : 1;
  return {extent, groups == 1 || axis == SplitAxis::kRows ? 1 : extent / groups};
}

}  // namespace tandem
