#include "device/backends/cpu/loops/math.h"

#include <cmath>

#include "device/backends/cpu/loops/kernels.h"

namespace tandem {
namespace {

using namespace plain_math;

// The same function of every number, chosen outside the loop.
template <class Function>
PlainKernel EachOf(const PlainLayer& of, Function function) {
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

template <class Function>
auto Each(Function) {
  return [](const PlainLayer& of) { return EachOf(of, Function()); };
}

const PlainKernels kMaps{
    {Op::kRelu, Each([](float x) TANDEM_INLINE { return x < 0 ? 0 : x; })},  // NaN stays NaN
    {Op::kRelu6, Each([](float x) TANDEM_INLINE {
       const float above = x < 0 ? 0 : x;
       return above > 6 ? 6 : above;
     })},
    {Op::kLeakyRelu,
     [](const PlainLayer& of) {
       return EachOf(of, [slope = AsFloat(of.As<LeakyReluAttributes>().slope)](float x) TANDEM_INLINE {
         const float scaled = slope * x;
         return x < 0 ? scaled : x;
       });
     }},
    {Op::kElu,
     [](const PlainLayer& of) {
       return EachOf(of, [alpha = AsFloat(of.As<EluAttributes>().alpha)](float x) TANDEM_INLINE {
         const float below = alpha * Expm1(x);
         return x < 0 ? below : x;
       });
     }},
    {Op::kSigmoid, Each([](float x) TANDEM_INLINE { return Sigmoid(x); })},
    {Op::kHardSigmoid,
     [](const PlainLayer& of) {
       return EachOf(of, [alpha = AsFloat(of.As<HardSigmoidAttributes>().alpha),
                          beta = AsFloat(of.As<HardSigmoidAttributes>().beta)](float x) TANDEM_INLINE {
         const float line = alpha * x + beta;
         const float above = line < 0 ? 0 : line;
         return above > 1 ? 1 : above;
       });
     }},
    {Op::kHardSwish, Each([](float x) TANDEM_INLINE {
       const float line = x / 6 + 0.5F;
       const float above = line < 0 ? 0 : line;
       return x * (above > 1 ? 1 : above);
     })},
    {Op::kTanh, Each([](float x) TANDEM_INLINE { return Tanh(x); })},
    {Op::kSoftplus, Each([](float x) TANDEM_INLINE { return Softplus(x); })},
    {Op::kGelu, Each([](float x) TANDEM_INLINE { return 0.5F * x * (1 + Erf(x * 0.707106781F)); })},
    {Op::kErf, Each([](float x) TANDEM_INLINE { return Erf(x); })},
    {Op::kExp, Each([](float x) TANDEM_INLINE { return Exp(x); })},
    {Op::kLog, Each([](float x) TANDEM_INLINE { return Log(x); })},
    {Op::kSqrt, Each([](float x) TANDEM_INLINE { return std::sqrt(x); })},
    {Op::kAbs, Each([](float x) TANDEM_INLINE { return std::abs(x); })},
    {Op::kNeg, Each([](float x) TANDEM_INLINE { return -x; })},
    {Op::kQuantize,
     [](const PlainLayer& of) {
       const auto& a = of.As<QuantizeAttributes>();
       return EachOf(of,
                     [scale = AsFloat(a.scale), low = static_cast<float>(a.least())](float x) TANDEM_INLINE {
                       const float steps = std::rint(x / scale);
                       const float above = steps < low ? low : steps;
                       return (above > low + 255 ? low + 255 : above) * scale;
                     });
     }},
    {Op::kClip, [](const PlainLayer& of) {
       return EachOf(of, [low = AsFloat(of.As<ClipAttributes>().min),
                          high = AsFloat(of.As<ClipAttributes>().max)](float x) TANDEM_INLINE {
         const float above = x < low ? low : x;
         return above > high ? high : above;
       });
     }}};

}  // namespace
}  // namespace tandem
