#include "profiles/model/layer_parts.h"

#include <algorithm>

namespace tandem {
namespace {

bool ReadsElementwise(Op op) {
  switch (op) {
    case Op::kRelu:
    case Op::kRelu6:
    case Op::kLeakyRelu:
    case Op::kPrelu:
    case Op::kElu:
    case Op::kSigmoid:
    case Op::kHardSigmoid:
    case Op::kHardSwish:
    case Op::kTanh:
    case Op::kSoftplus:
    case Op::kGelu:
    case Op::kErf:
    case Op::kExp:
    case Op::kLog:
    case Op::kSqrt:
    case Op::kAbs:
    case Op::kNeg:
    case Op::kClip:
    case Op::kBatchNorm:
    case Op::kScale:
    case Op::kDropout:
    case Op::kIdentity:
      return true;
    default:
      return false;
  }
}

// Of tensors of one shape, without a constant: then a part of each makes a part of the result.
bool CombinesElementwise(const Model& model, const Layer& layer) {
  switch (layer.op) {
    case Op::kAdd:
    case Op::kSub:
    case Op::kMul:
    case Op::kMax:
    case Op::kMin:
      break;
    default:
      return false;
  }
  return !layer.As<ElementwiseAttributes>().has_constant &&
         std::all_of(layer.inputs.begin(), layer.inputs.end(),
                     [&](LayerId input) { return model.layer(input).output == layer.output; });
}

bool IsPool(Op op) { return op == Op::kMaxPool || op == Op::kAvgPool; }

bool PoolsByWindow(const Layer& layer) {
  const auto& pool = layer.As<PoolAttributes>();
  return !pool.global && pool.adaptive == Extent{0, 0};
}

// May it stand behind others of the group?
bool Follows(const Model& model, const Layer& layer, SplitAxis axis) {
  if (IsPool(layer.op)) return axis == SplitAxis::kChannels;
  return ReadsElementwise(layer.op) || CombinesElementwise(model, layer);
}

bool Leads(const Model& model, const Layer& layer, SplitAxis axis) {
  if (layer.op == Op::kConv) return true;
  if (layer.op == Op::kFc) return axis == SplitAxis::kChannels && layer.output.size() == 2;
  if (IsPool(layer.op)) return axis == SplitAxis::kChannels || PoolsByWindow(layer);
  return ReadsElementwise(layer.op) || CombinesElementwise(model, layer);
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
  if (head.op == Op::kInput || !Leads(model, head, axis) || head.output.size() <= AxisOf(axis)) return {};
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
  const std::int64_t groups = head.op == Op::kConv ? head.As<ConvAttributes>().groups : 1;
  return {extent, groups == 1 || axis == SplitAxis::kRows ? 1 : extent / groups};
}

}  // namespace tandem
