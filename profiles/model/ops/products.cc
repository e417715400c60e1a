// Matrix products: fc and matmul.
#include "profiles/model/op_rules.h"

namespace tandem::ops {
namespace {

Shape FcShape(const LayerShapes& of) {
  const auto& a = of.As<FcAttributes>();
  ExpectPositive(a.out_features, "an output feature count of");
  Shape output(of.in().begin(), of.in().begin() + static_cast<std::ptrdiff_t>(Axis(a.axis, of.in().size())));
  output.push_back(a.out_features);
  return output;
}

std::vector<WeightRole> FcWeights(const LayerShapes& of) {
  const auto& a = of.As<FcAttributes>();
  const std::int64_t features = Elements(From(a.axis, of.in()));
  std::vector<WeightRole> roles = {
      {"weight", {a.out_features, features}, SpreadOfProduct, static_cast<double>(features)}};
  if (a.bias) roles.push_back(Offset("bias", {a.out_features}));
  if (a.quantized) roles.push_back(StepOfGrid({a.out_features}));
  return roles;
}

std::int64_t FcMacs(const LayerShapes& of) {
  const auto& a = of.As<FcAttributes>();
  const Shape rows(of.out.begin(), of.out.end() - 1);
  return Product({Elements(rows), Elements(From(a.axis, of.in())), a.out_features});
}

AttributesType FcFields() {
  using A = FcAttributes;
  return Fields<A>()
      .Needed("out_features", &A::out_features, as::AnyInteger())
      .Optional("bias", &A::bias, as::Boolean())
      .Optional("axis", &A::axis, as::AnyInteger())
      .Optional("quantized", &A::quantized, as::Boolean());
}

Shape MatmulShape(const LayerShapes& of) {
  const Shape &a = of.in(0), &b = of.in(1);
  if (a.size() < 2 || b.size() < 2) Fail("expects matrices, has " + ShapeText(a) + " and " + ShapeText(b));
  if (a.back() != b[b.size() - 2]) Fail("cannot multiply " + ShapeText(a) + " by " + ShapeText(b));
  Shape output = Broadcast(Shape(a.begin(), a.end() - 2), Shape(b.begin(), b.end() - 2));
  output.push_back(a[a.size() - 2]);
  output.push_back(b.back());
  return output;
}

double MomentOfMatmul(const MomentsRead& read) {
  return MomentOfProduct(read) * static_cast<double>(read.of.in().back());
}

const OpRegistration kFc{Op::kFc,
                         {.name = "fc",
                          .attributes = FcFields(),
                          .kind = OpKind::kProduct,
                          .shape = FcShape,
                          .weights = FcWeights,
                          .macs = FcMacs,
                          .parts = PartRule::kFeatures,
                          .cost_class = CostClass::kFc,
                          .moment = UnitMoment,
                          .takes_in = true}};
const OpRegistration kMatmul{Op::kMatmul,
                             {.name = "matmul",
                              .inputs = 2,
                              .shape = MatmulShape,
                              .cost_class = CostClass::kFc,
                              .moment = MomentOfMatmul,
                              .takes_in = true}};

}  // namespace
}  // namespace tandem::ops
