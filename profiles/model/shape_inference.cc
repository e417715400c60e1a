#include "profiles/model/shape_inference.h"

#include "profiles/model/op_rules.h"

namespace tandem {
namespace {

using namespace ops;

constexpr std::size_t kMostAxes = 16;  // more is a mistake, and would make messages unreadable

void ExpectInputs(const OpDeclaration& op, std::size_t count) {
  if (count >= op.inputs && (op.or_more || count == op.inputs)) return;
  Fail(op.name + " takes " + std::to_string(op.inputs) + (op.or_more ? " or more" : "") +
       (op.inputs == 1 && !op.or_more ? " input" : " inputs") + ", has " + std::to_string(count));
}

void ExpectReasonable(const Shape& output) {
  if (output.size() > kMostAxes) Fail("its output has more than 16 axes");
  double elements = 1;
  for (const std::int64_t extent : output) {
    ExpectPositive(extent, "an output extent of");
    elements *= static_cast<double>(extent);
  }
  if (elements > static_cast<double>(kMostElements)) Fail("its output has more than 2^40 elements");
}

Counts CountsOf(const OpDeclaration& op, const LayerShapes& of) {
  Counts counts;
  for (const WeightRole& role : op.weights(of)) {
    (role.state ? counts.state : counts.params) += CountOfWeights(role.shape);
  }
  if (op.macs != nullptr) counts.macs = op.macs(of);
  return counts;
}

}  // namespace

Inferred InferShape(Op op, const Attributes& attributes, const std::vector<Shape>& inputs) {
  const OpDeclaration& declaration = Declaration(op);
  ExpectInputs(declaration, inputs.size());
  LayerShapes of{attributes, {}, {}};
  for (const Shape& input : inputs) of.inputs.push_back(&input);
  of.out = declaration.shape(of);
  const Counts counts = CountsOf(declaration, of);
  ExpectReasonable(of.out);
  return {std::move(of.out), counts};
}

LayerShapes ShapesOf(const Model& model, LayerId id) {
  const Layer& layer = model.layer(id);
  LayerShapes of{layer.attributes, {}, layer.output};
  for (const LayerId input : layer.inputs) of.inputs.push_back(&model.layer(input).output);
  return of;
}

std::vector<WeightRole> WeightsOf(const Model& model, LayerId id) {
  return Declaration(model.layer(id).op).weights(ShapesOf(model, id));
}

}  // namespace tandem
