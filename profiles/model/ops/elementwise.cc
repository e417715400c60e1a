// Of two tensors or more that broadcast, or of tensors and a constant: add, sub, mul, div, pow, max, min.
#include "profiles/model/op_rules.h"

namespace tandem::ops {
namespace {

template <bool kScales>
Shape Combined(const LayerShapes& of) {
  const auto& a = of.As<ElementwiseAttributes>();
  if (of.inputs.size() + (a.has_constant ? 1 : 0) < 2) Fail("needs at least two operands");
  if (!a.coefficients.empty() && (!kScales || a.coefficients.size() != of.inputs.size())) {
    Fail("coefficients belong to add, one per input");
  }
  Shape output = of.in();
  for (const Shape* input : of.inputs) output = Broadcast(output, *input);
  if (!a.has_constant) return output;
  for (const std::int64_t extent : a.constant_shape) ExpectPositive(extent, "a constant's extent of");
  return Broadcast(output, a.constant_shape);
}

// `kSpread` is that of a constant.
template <RandomSpread (*kSpread)(double, double)>
std::vector<WeightRole> Constant(const LayerShapes& of) {
  const auto& a = of.As<ElementwiseAttributes>();
  if (!a.has_constant) return {};
  return {{"constant", a.constant_shape, kSpread}};
}

RandomSpread SpreadOfPower(double, double) { return {2, 0}; }  // a square is finite for every base
RandomSpread SpreadOfTerm(double, double) { return {}; }

double MomentOfSum(const MomentsRead& read) {
  const auto& coefficients = read.of.As<ElementwiseAttributes>().coefficients;
  double sum = 0;
  for (std::size_t i = 0; i < read.in.size(); ++i) {
    const double factor = coefficients.empty() ? 1 : coefficients[i];
    sum += factor * factor * read.in[i];
  }
  return sum;
}

double MomentOfFirst(const MomentsRead& read) { return read.in[0]; }
double MomentOfPower(const MomentsRead& read) { return 3 * read.in[0] * read.in[0]; }

template <RandomSpread (*kSpread)(double, double)>
OpDeclaration Combining(const char* name, PartRule parts, double (*moment)(const MomentsRead&)) {
  using A = ElementwiseAttributes;
  return {.name = name,
          .attributes = Fields<A>()
                            .Optional("coefficients", &A::coefficients, as::Numbers())
                            .Optional("has_constant", &A::has_constant, as::Boolean())
                            .Optional("constant_shape", &A::constant_shape, as::Integers())
                            .Optional("constant_first", &A::constant_first, as::Boolean()),
          .kind = OpKind::kElementwise,
          .or_more = true,
          .shape = Combined<false>,
          .weights = Constant<kSpread>,
          .parts = parts,
          .moment = moment};
}

OpDeclaration Add() {
  OpDeclaration add = Combining<SpreadOfTerm>("add", PartRule::kSameShapes, MomentOfSum);
  add.shape = Combined<true>;
  add.takes_in = add.taken_in = true;
  return add;
}

OpDeclaration Mul() {
  OpDeclaration mul = Combining<SpreadOfFactor>("mul", PartRule::kSameShapes, MomentOfProduct);
  mul.taken_in = true;
  return mul;
}

const OpRegistration kCombining[] = {
    {Op::kAdd, Add()},
    {Op::kSub, Combining<SpreadOfTerm>("sub", PartRule::kSameShapes, MomentOfSum)},
    {Op::kMul, Mul()},
    {Op::kDiv, Combining<SpreadOfFactor>("div", PartRule::kNever, UnitMoment)},
    {Op::kPow, Combining<SpreadOfPower>("pow", PartRule::kNever, MomentOfPower)},
    {Op::kMax, Combining<SpreadOfTerm>("max", PartRule::kSameShapes, MomentOfFirst)},
    {Op::kMin, Combining<SpreadOfTerm>("min", PartRule::kSameShapes, MomentOfFirst)},
};

}  // namespace
}  // namespace tandem::ops
