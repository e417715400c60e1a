#include "device/backends/cpu/loops/math.h"

#include <cmath>

#include "device/backends/cpu/loops/kernels.h"
#include "profiles/base/check.h"

namespace tandem {
namespace {

using namespace plain_math;

// The same function of every number, chosen outside the loop.
template <class Function>
PlainKernel Each(const PlainLayer& of, Function function) {
  const std::int64_t count = Elements(of.out());
  return [=](std::span<const float* const> inputs, float* output) {
    const float* const from = inputs[0];
    InParts(count, 1, [=](std::int64_t first, std::int64_t last) {
      RunSimd([=]() TANDEM_INLINE {
        for (std::int64_t i = first; i < last; ++i) output[i] = function(from[i]);
      });
    });
  };
}

float AsFloat(double value) { return static_cast<float>(value); }

}  // namespace

PlainKernel PlainMap(const PlainLayer& of) {
  switch (of.layer.op) {
    case Op::kRelu:
      return Each(of, [](float x) TANDEM_INLINE { return x < 0 ? 0 : x; });  // NaN stays NaN
    case Op::kRelu6:
      return Each(of, [](float x) TANDEM_INLINE {
        const float above = x < 0 ? 0 : x;
        return above > 6 ? 6 : above;
      });
    case Op::kLeakyRelu:
      return Each(of, [slope = AsFloat(of.As<LeakyReluAttributes>().slope)](float x) TANDEM_INLINE {
        const float scaled = slope * x;
        return x < 0 ? scaled : x;
      });
    case Op::kElu:
      return Each(of, [alpha = AsFloat(of.As<EluAttributes>().alpha)](float x) TANDEM_INLINE {
        const float below = alpha * Expm1(x);
        return x < 0 ? below : x;
      });
    case Op::kSigmoid:
      return Each(of, [](float x) TANDEM_INLINE { return Sigmoid(x); });
    case Op::kHardSigmoid:
      return Each(of, [alpha = AsFloat(of.As<HardSigmoidAttributes>().alpha),
                       beta = AsFloat(of.As<HardSigmoidAttributes>().beta)](float x) TANDEM_INLINE {
        const float line = alpha * x + beta;
        const float above = line < 0 ? 0 : line;
        return above > 1 ? 1 : above;
      });
    case Op::kHardSwish:
      return Each(of, [](float x) TANDEM_INLINE {
        const float line = x / 6 + 0.5F;
        const float above = line < 0 ? 0 : line;
        return x * (above > 1 ? 1 : above);
      });
    case Op::kTanh:
      return Each(of, [](float x) TANDEM_INLINE { return Tanh(x); });
    case Op::kSoftplus:
      return Each(of, [](float x) TANDEM_INLINE { return Softplus(x); });
    case Op::kGelu:
      return Each(of, [](float x) TANDEM_INLINE { return 0.5F * x * (1 + Erf(x * 0.707106781F)); });
    case Op::kErf:
      return Each(of, [](float x) TANDEM_INLINE { return Erf(x); });
    case Op::kExp:
      return Each(of, [](float x) TANDEM_INLINE { return Exp(x); });
    case Op::kLog:
      return Each(of, [](float x) TANDEM_INLINE { return Log(x); });
    case Op::kSqrt:
      return Each(of, [](float x) TANDEM_INLINE { return std::sqrt(x); });
    case Op::kAbs:
      return Each(of, [](float x) TANDEM_INLINE { return std::abs(x); });
    case Op::kNeg:
      return Each(of, [](float x) TANDEM_INLINE { return -x; });
    case Op::kClip:
      return Each(of, [low = AsFloat(of.As<ClipAttributes>().min),
                       high = AsFloat(of.As<ClipAttributes>().max)](float x) TANDEM_INLINE {
        const float above = x < low ? low : x;
        return above > high ? high : above;
      });
    default:
      TANDEM_CHECK(false, "every operation has a plain kernel");
  }
}

}  // namespace tandem
