// Room profiles/model/ops: the operations, a family a file: keys, shapes, weights, parts, costs. Kernels
// stand in the backends, and nothing includes a file of this room.
//
// One number in, one out.
#include <algorithm>
#include <cmath>

#include "profiles/model/op_rules.h"

namespace tandem::ops {
namespace {

using Moment = double (*)(const MomentsRead&);

double Same(const MomentsRead& read) { return read.in[0]; }
double Narrow(const MomentsRead&) { return 0.3; }
double Bounded(const MomentsRead& read) { return std::min(read.in[0], 0.5); }
double OfExp(const MomentsRead& read) { return std::exp(2 * std::min(read.in[0], 10.0)); }
// Half of what is symmetric around 0, as conv and fc give it. A sum of branches is not: it holds a stream
// that was cut at 0 before, so that next to nothing is cut from it again.
double Cut(const MomentsRead& read) { return read.of_sum ? read.in[0] : read.in[0] / 2; }

OpDeclaration Function(const char* name, Moment moment, AttributesType attributes = {}) {
  return {.name = name,
          .attributes = std::move(attributes),
          .kind = OpKind::kActivation,
          .parts = PartRule::kEachNumber,
          .moment = moment};
}

// The same, of those that tools fuse into what stands in front.
OpDeclaration Fused(const char* name, Moment moment, AttributesType attributes = {}) {
  OpDeclaration declaration = Function(name, moment, std::move(attributes));
  declaration.taken_in = true;
  return declaration;
}

AttributesType HardSigmoidFields() {
  using A = HardSigmoidAttributes;
  return Fields<A>()
      .Optional("alpha", &A::alpha, as::AnyNumber())
      .Optional("beta", &A::beta, as::AnyNumber());
}

AttributesType ClipFields() {
  return Fields<ClipAttributes>()
      .Needed("min", &ClipAttributes::min, as::AnyNumber())
      .Needed("max", &ClipAttributes::max, as::AnyNumber());
}

AttributesType QuantizeFields() {
  using A = QuantizeAttributes;
  return Fields<A>()
      .Needed("scale", &A::scale, as::Number(1e-30, 1e30))
      .Optional("zero_point", &A::zero_point, as::Integer(-128, 255))
      .Optional("type", &A::type, as::OneOf(kGridTypeNames, "type"));
}

Shape OnGrid(const LayerShapes& of) {
  const auto& a = of.As<QuantizeAttributes>();
  if (a.least() > 0 || a.least() < -255) {
    Fail("a zero_point of " + std::to_string(a.zero_point) + " is no " +
         std::string(NameOf(kGridTypeNames, a.type)));
  }
  return of.in();
}

std::vector<WeightRole> Slope(const LayerShapes& of) {
  const auto spread = [](double, double) { return RandomSpread{0.25, 0.05}; };
  return {{"slope", {of.As<PreluAttributes>().shared ? 1 : Channels(of.in())}, spread}};
}

const OpRegistration kFunctions[] = {
    {Op::kRelu, Fused("relu", Cut)},
    {Op::kRelu6, Fused("relu6", Cut)},
    {Op::kLeakyRelu,
     Fused("leaky_relu", Cut,
           Fields<LeakyReluAttributes>().Optional("slope", &LeakyReluAttributes::slope, as::AnyNumber()))},
    {Op::kElu,
     Fused("elu", Cut, Fields<EluAttributes>().Optional("alpha", &EluAttributes::alpha, as::AnyNumber()))},
    {Op::kSigmoid, Fused("sigmoid", Narrow)},
    {Op::kHardSigmoid, Fused("hard_sigmoid", Narrow, HardSigmoidFields())},
    {Op::kHardSwish, Fused("hard_swish", Cut)},
    {Op::kTanh, Fused("tanh", Bounded)},
    {Op::kSoftplus, Function("softplus", Cut)},
    {Op::kGelu, Function("gelu", Cut)},
    {Op::kExp, Function("exp", OfExp)},
    {Op::kLog, Function("log", Same)},
    {Op::kSqrt, Function("sqrt", Same)},
    {Op::kAbs, Function("abs", Same)},
    {Op::kNeg, Function("neg", Same)},
    {Op::kClip, Fused("clip", Same, ClipFields())},
    {Op::kQuantize,
     {.name = "quantize",
      .attributes = QuantizeFields(),
      .shape = OnGrid,
      .parts = PartRule::kEachNumber,
      .taken_in = true}},
    // oneDNN has no erf: it stands alone.
    {Op::kErf, {.name = "erf", .parts = PartRule::kEachNumber, .moment = Bounded}},
    {Op::kPrelu,
     {.name = "prelu",
      .attributes = Fields<PreluAttributes>().Optional("shared", &PreluAttributes::shared, as::Boolean()),
      .weights = Slope,
      .parts = PartRule::kEachNumber,
      .moment = Cut,
      .taken_in = true}},
};

}  // namespace
}  // namespace tandem::ops
