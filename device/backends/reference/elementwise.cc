#include <algorithm>
#include <cmath>

#include "device/backends/reference/kernels.h"

namespace tandem::reference {
namespace {

// Calls `function` once per element: it is chosen outside the loop.
template <class Function>
void Map(const Call& call, Function function) {
  for (std::size_t i = 0; i < call.size(); ++i) {
    call.out()[i] = static_cast<float>(function(static_cast<double>(call.in()[i])));
  }
}

// One input or the constant of an elementwise layer, laid out over the output's axes: stride 0 repeats it.
struct Operand {
  const float* values;
  std::vector<std::int64_t> strides;
  double coefficient;
};

Operand Spread(const float* values, const Shape& shape, const Shape& out, double coefficient) {
  const std::vector<std::int64_t> own = Strides(shape);
  std::vector<std::int64_t> strides(out.size(), 0);
  for (std::size_t i = 0; i < shape.size(); ++i) {
    if (shape[i] != 1) strides[out.size() - shape.size() + i] = own[i];
  }
  return {values, std::move(strides), coefficient};
}

std::vector<Operand> Operands(const Call& call) {
  const auto& a = call.As<ElementwiseAttributes>();
  std::vector<Operand> operands;
  for (std::size_t i = 0; i < call.inputs.size(); ++i) {
    const double coefficient = a.coefficients.empty() ? 1.0 : a.coefficients[i];
    operands.push_back(Spread(call.in(i), call.in_shape(i), call.layer.output, coefficient));
  }
  if (a.has_constant) {
    const auto at = a.constant_first ? operands.begin() : operands.end();
    operands.insert(at, Spread(call.Weight("constant"), a.constant_shape, call.layer.output, 1.0));
  }
  return operands;
}

template <class Function>
void Fold(const Call& call, Function function) {
  const std::vector<Operand> operands = Operands(call);
  std::vector<std::int64_t> at(call.layer.output.size());
  for (std::size_t i = 0; i < call.size(); ++i, Advance(at, call.layer.output)) {
    double result = 0;
    for (std::size_t k = 0; k < operands.size(); ++k) {
      std::int64_t offset = 0;
      for (std::size_t axis = 0; axis < at.size(); ++axis) offset += operands[k].strides[axis] * at[axis];
      const double value = operands[k].coefficient * static_cast<double>(operands[k].values[offset]);
      result = k == 0 ? value : function(result, value);
    }
    call.out()[i] = static_cast<float>(result);
  }
}

template <class Function>
auto Each(Function) {
  return [](const Call& call) { Map(call, Function()); };
}

// The same of a function that looks at the layer's attributes, too.
template <class A, class Function>
auto EachWith(Function) {
  return [](const Call& call) { Map(call, [&a = call.As<A>()](double x) { return Function()(a, x); }); };
}

template <class Function>
auto Folded(Function) {
  return [](const Call& call) { Fold(call, Function()); };
}

// As ONNX has it, whose division and product are of floats.
void Quantize(const Call& call) {
  const auto& a = call.As<QuantizeAttributes>();
  const auto scale = static_cast<float>(a.scale), least = static_cast<float>(a.least());
  for (std::size_t i = 0; i < call.size(); ++i) {
    call.out()[i] = std::clamp(std::nearbyint(call.in()[i] / scale), least, least + 255) * scale;
  }
}

const Kernels kActivations{
    {Op::kRelu, Each([](double x) { return x < 0 ? 0 : x; })},  // NaN stays NaN
    {Op::kRelu6, Each([](double x) { return x < 0   ? 0
                                            : x > 6 ? 6
                                                    : x; })},
    {Op::kLeakyRelu, EachWith<LeakyReluAttributes>(
                         [](const LeakyReluAttributes& a, double x) { return x < 0 ? a.slope * x : x; })},
    {Op::kElu, EachWith<EluAttributes>(
                   [](const EluAttributes& a, double x) { return x < 0 ? a.alpha * std::expm1(x) : x; })},
    {Op::kSigmoid, Each([](double x) { return 1 / (1 + std::exp(-x)); })},
    {Op::kHardSigmoid, EachWith<HardSigmoidAttributes>([](const HardSigmoidAttributes& a, double x) {
       return std::clamp(a.alpha * x + a.beta, 0.0, 1.0);
     })},
    {Op::kHardSwish, Each([](double x) { return x * std::clamp(x / 6 + 0.5, 0.0, 1.0); })},
    {Op::kTanh, Each([](double x) { return std::tanh(x); })},
    {Op::kSoftplus, Each([](double x) { return std::max(x, 0.0) + std::log1p(std::exp(-std::abs(x))); })},
    {Op::kGelu, Each([](double x) { return x * 0.5 * (1 + std::erf(x / std::sqrt(2.0))); })},
    {Op::kQuantize, Quantize},
    {Op::kErf, Each([](double x) { return std::erf(x); })},
    {Op::kExp, Each([](double x) { return std::exp(x); })},
    {Op::kLog, Each([](double x) { return std::log(x); })},
    {Op::kSqrt, Each([](double x) { return std::sqrt(x); })},
    {Op::kAbs, Each([](double x) { return std::abs(x); })},
    {Op::kNeg, Each([](double x) { return -x; })},
    {Op::kClip, EachWith<ClipAttributes>(
                    [](const ClipAttributes& a, double x) { return std::min(std::max(x, a.min), a.max); })}};

const Kernels kElementwise{{Op::kAdd, Folded([](double a, double b) { return a + b; })},
                           {Op::kSub, Folded([](double a, double b) { return a - b; })},
                           {Op::kMul, Folded([](double a, double b) { return a * b; })},
                           {Op::kDiv, Folded([](double a, double b) { return a / b; })},
                           {Op::kPow, Folded([](double a, double b) { return std::pow(a, b); })},
                           {Op::kMax, Folded([](double a, double b) { return std::max(a, b); })},
                           {Op::kMin, Folded([](double a, double b) { return std::min(a, b); })}};

}  // namespace
}  // namespace tandem::reference
