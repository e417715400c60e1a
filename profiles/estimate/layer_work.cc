#include "profiles/estimate/layer_work.h"

#include <algorithm>

namespace tandem {
namespace {

constexpr double kBytesPerElement = 4;

CostClass ClassOfConv(const Model& model, const Layer& layer) {
  const auto& conv = layer.As<ConvAttributes>();
  if (layer.op == Op::kDeconv) return CostClass::kConvLarge;
  const Shape& input = model.layer(layer.inputs.front()).output;
  if (conv.groups > 1 && input.size() > 1 && conv.groups == input[1]) return CostClass::kConvDepthwise;
  const std::int64_t taps = conv.kernel.h * conv.kernel.w;
  if (taps == 1) return CostClass::kConv1x1;
  return taps <= 9 ? CostClass::kConv3x3 : CostClass::kConvLarge;
}

CostClass ClassOf(const Model& model, const Layer& layer) {
  switch (layer.op) {
    case Op::kConv:
    case Op::kDeconv:
      return ClassOfConv(model, layer);
    case Op::kFc:
    case Op::kMatmul:
      return CostClass::kFc;
    case Op::kMaxPool:
    case Op::kAvgPool:
    case Op::kReduceMean:
      return CostClass::kPool;
    case Op::kLrn:
      return CostClass::kLrn;
    case Op::kSoftmax:
      return CostClass::kSoftmax;
    case Op::kConcat:
    case Op::kSlice:
    case Op::kPad:
    case Op::kTranspose:
    case Op::kUpsample:
      return CostClass::kCopy;
    default:
      return CostClass::kElementwise;
  }
}

double ElementsRead(const Model& model, const Layer& layer) {
  double elements = 0;
  for (const LayerId input : layer.inputs) {
    elements += static_cast<double>(Elements(model.layer(input).output));
  }
  return elements;
}

double Operations(const Model& model, const Layer& layer) {
  const double written = static_cast<double>(Elements(layer.output));
  switch (layer.op) {
    case Op::kMaxPool:
    case Op::kAvgPool: {
      const auto& pool = layer.As<PoolAttributes>();
      if (pool.global) return ElementsRead(model, layer);
      return written * static_cast<double>(pool.kernel.h) * static_cast<double>(pool.kernel.w);
    }
    case Op::kReduceMean:
      return ElementsRead(model, layer);
    case Op::kLrn:
      return written * static_cast<double>(layer.As<LrnAttributes>().size);
    default:
      return layer.counts.macs > 0 ? static_cast<double>(layer.counts.macs) : written;
  }
}

double WeightElements(const Layer& layer) {
  return static_cast<double>(layer.counts.params + layer.counts.state);
}

}  // namespace

LayerWork WorkOf(const Model& model, LayerId id) {
  const Layer& layer = model.layer(id);
  const double elements =
      ElementsRead(model, layer) + static_cast<double>(Elements(layer.output)) + WeightElements(layer);
  return {ClassOf(model, layer), Operations(model, layer), elements * kBytesPerElement};
}

LayerWork WorkOfGroup(const Model& model, const std::vector<LayerId>& group) {
  LayerWork work;
  double heaviest = -1;
  for (const LayerId id : group) {
    const Layer& layer = model.layer(id);
    const LayerWork own = WorkOf(model, id);
    if (own.operations > heaviest) {
      heaviest = own.operations;
      work.cost_class = own.cost_class;
    }
    work.operations += own.operations;
    work.bytes += WeightElements(layer) * kBytesPerElement;
    const auto inside = [&](LayerId other) {
      return std::find(group.begin(), group.end(), other) != group.end();
    };
    for (const LayerId input : layer.inputs) {
      if (!inside(input))
        work.bytes += static_cast<double>(Elements(model.layer(input).output)) * kBytesPerElement;
    }
    const auto users = model.users(id);
    if (users.empty() || !std::all_of(users.begin(), users.end(), inside)) {
      work.bytes += static_cast<double>(Elements(layer.output)) * kBytesPerElement;
    }
  }
  return work;
}

}  // namespace tandem
