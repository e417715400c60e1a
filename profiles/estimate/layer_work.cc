#include "profiles/estimate/layer_work.h"

#include <algorithm>

#include "profiles/model/shape_inference.h"

namespace tandem {
namespace {

constexpr double kBytesPerElement = 4;

double Operations(const OpDeclaration& op, const Layer& layer, const LayerShapes& of) {
  if (op.operations != nullptr) return op.operations(of);
  return layer.counts.macs > 0 ? static_cast<double>(layer.counts.macs) : of.ElementsWritten();
}

double WeightElements(const Layer& layer) {
  return static_cast<double>(layer.counts.params + layer.counts.state);
}

}  // namespace

LayerWork WorkOf(const Model& model, LayerId id) {
  const Layer& layer = model.layer(id);
  const OpDeclaration& op = Declaration(layer.op);
  const LayerShapes of = ShapesOf(model, id);
  const double elements = of.ElementsRead() + of.ElementsWritten() + WeightElements(layer);
  return {op.cost_class_of == nullptr ? op.cost_class : op.cost_class_of(of), Operations(op, layer, of),
          elements * kBytesPerElement};
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
