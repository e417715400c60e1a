// Factors and offsets per channel, and what makes numbers comparable: batch norm, scale, layer norm, softmax.
#include <cmath>

#include "profiles/model/op_rules.h"

namespace tandem::ops {
namespace {

Shape OfChannels(const LayerShapes& of) {
  Channels(of.in());
  return of.in();
}

std::vector<WeightRole> BatchNormWeights(const LayerShapes& of) {
  const Shape each = {of.in()[1]};
  std::vector<WeightRole> roles;
  if (of.As<BatchNormAttributes>().affine) roles = {Factor("gamma", each), Offset("beta", each)};
  const auto mean = [](double moment, double) { return RandomSpread{0, 0.1 * std::sqrt(moment)}; };
  const auto variance = [](double moment, double) { return RandomSpread{moment, 0.1 * moment}; };
  roles.push_back({"mean", each, mean, 1, true});
  roles.push_back({"variance", each, variance, 1, true});
  return roles;
}

std::vector<WeightRole> FactorAndOffset(const Shape& shape, bool bias) {
  std::vector<WeightRole> roles = {Factor("gamma", shape)};
  if (bias) roles.push_back(Offset("beta", shape));
  return roles;
}

AttributesType BatchNormFields() {
  using A = BatchNormAttributes;
  return Fields<A>()
      .Optional("epsilon", &A::epsilon, as::AnyNumber())
      .Optional("affine", &A::affine, as::Boolean());
}

Shape LayerNormShape(const LayerShapes& of) {
  Axis(of.As<LayerNormAttributes>().axis, of.in().size());
  return of.in();
}

std::vector<WeightRole> LayerNormWeights(const LayerShapes& of) {
  const auto& a = of.As<LayerNormAttributes>();
  return FactorAndOffset(From(a.axis, of.in()), a.bias);
}

AttributesType LayerNormFields() {
  using A = LayerNormAttributes;
  return Fields<A>()
      .Optional("epsilon", &A::epsilon, as::AnyNumber())
      .Optional("axis", &A::axis, as::AnyInteger())
      .Optional("bias", &A::bias, as::Boolean());
}

Shape SoftmaxShape(const LayerShapes& of) {
  Axis(of.As<AxisAttributes>().axis, of.in().size());
  return of.in();
}

double MomentOfSoftmax(const MomentsRead& read) {
  const std::int64_t last = read.of.out.back();
  return 2.0 / static_cast<double>(last * last);
}

const OpRegistration kBatchNorm{Op::kBatchNorm,
                                {.name = "batch_norm",
                                 .attributes = BatchNormFields(),
                                 .shape = OfChannels,
                                 .weights = BatchNormWeights,
                                 .parts = PartRule::kEachNumber,
                                 .moment = UnitMoment,
                                 .takes_in = true,
                                 .taken_in = true}};
const OpRegistration kScale{
    Op::kScale,
    {.name = "scale",
     .attributes = Fields<ScaleAttributes>().Optional("bias", &ScaleAttributes::bias, as::Boolean()),
     .shape = OfChannels,
     .weights =
         [](const LayerShapes& of) { return FactorAndOffset({of.in()[1]}, of.As<ScaleAttributes>().bias); },
     .parts = PartRule::kEachNumber,
     .takes_in = true,
     .taken_in = true}};
const OpRegistration kLayerNorm{Op::kLayerNorm,
                                {.name = "layer_norm",
                                 .attributes = LayerNormFields(),
                                 .shape = LayerNormShape,
                                 .weights = LayerNormWeights,
                                 .moment = UnitMoment}};
const OpRegistration kSoftmax{
    Op::kSoftmax,
    {.name = "softmax",
     .attributes = Fields<AxisAttributes>().Optional("axis", &AxisAttributes::axis, as::AnyInteger()),
     .shape = SoftmaxShape,
     .cost_class = CostClass::kSoftmax,
     .moment = MomentOfSoftmax}};

}  // namespace
}  // namespace tandem::ops
