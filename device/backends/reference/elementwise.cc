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

}  // namespace

void Activation(const Call& call) {
  switch (call.layer.op) {
    case Op::kRelu:
      return Map(call, [](double x) { return x < 0 ? 0 : x; });  // NaN stays NaN
    case Op::kRelu6:
      return Map(call, [](double x) { return x < 0 ? 0 : x > 6 ? 6 : x; });
    case Op::kLeakyRelu:
      return Map(call,
                 [slope = call.As<LeakyReluAttributes>().slope](double x) { return x < 0 ? slope * x : x; });
    case Op::kElu:
      return Map(call, [alpha = call.As<EluAttributes>().alpha](double x) {
        return x < 0 ? alpha * std::expm1(x) : x;
      });
    case Op::kSigmoid:
      return Map(call, [](double x) { return 1 / (1 + std::exp(-x)); });
    case Op::kHardSigmoid:
      return Map(call, [a = call.As<HardSigmoidAttributes>()](double x) {
        return std::clamp(a.alpha * x + a.beta, 0.0, 1.0);
      });
    case Op::kHardSwish:
      return Map(call, [](double x) { return x * std::clamp(x / 6 + 0.5, 0.0, 1.0); });
    case Op::kTanh:
      return Map(call, [](double x) { return std::tanh(x); });
    case Op::kSoftplus:
      return Map(call, [](double x) { return std::max(x, 0.0) + std::log1p(std::exp(-std::abs(x))); });
    case Op::kGelu:
      return Map(call, [](double x) { return x * 0.5 * (1 + std::erf(x / std::sqrt(2.0))); });
    case Op::kErf:
      return Map(call, [](double x) { return std::erf(x); });
    case Op::kExp:
      return Map(call, [](double x) { return std::exp(x); });
    case Op::kLog:
      return Map(call, [](double x) { return std::log(x); });
    case Op::kSqrt:
      return Map(call, [](double x) { return std::sqrt(x); });
    case Op::kAbs:
      return Map(call, [](double x) { return std::abs(x); });
    case Op::kNeg:
      return Map(call, [](double x) { return -x; });
    case Op::kClip:
      return Map(call,
                 [a = call.As<ClipAttributes>()](double x) { return std::min(std::max(x, a.min), a.max); });
    default:
      TANDEM_CHECK(false, "every operation has a reference kernel");
  }
}

void Elementwise(const Call& call) {
  switch (call.layer.op) {
    case Op::kAdd:
      return Fold(call, [](double a, double b) { return a + b; });
    case Op::kSub:
      return Fold(call, [](double a, double b) { return a - b; });
    case Op::kMul:
      return Fold(call, [](double a, double b) { return a * b; });
    case Op::kDiv:
      return Fold(call, [](double a, double b) { return a / b; });
    case Op::kPow:
      return Fold(call, [](double a, double b) { return std::pow(a, b); });
    case Op::kMax:
      return Fold(call, [](double a, double b) { return std::max(a, b); });
    default:
      return Fold(call, [](double a, double b) { return std::min(a, b); });
  }
}

}  // namespace tandem::reference
