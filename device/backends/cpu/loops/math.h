// Functions of one number that compilers turn into vector code: no table, no branch, no call. Relative errors
// are some 1e-7, absolute ones for erf.
#pragma once

#include <bit>
#include <cstdint>
#include <limits>

#include "device/backends/cpu/loops/simd.h"

namespace tandem::plain_math {

template <class... Rest>
TANDEM_INLINE constexpr float Polynomial(float, float constant) {
  return constant;
}
// constant + x * (next + x * (...)).
template <class... Rest>
TANDEM_INLINE constexpr float Polynomial(float x, float constant, Rest... rest) {
  return constant + x * Polynomial(x, rest...);
}

TANDEM_INLINE inline float PowerOfTwo(std::int32_t exponent) {
  return std::bit_cast<float>((exponent + 127) << 23);
}

// 2^n * e^r with |r| <= ln(2) / 2; the factor in two halves, so that it may lie outside of a float's range.
TANDEM_INLINE inline float Exp(float x) {
  constexpr float kRounder = 12582912;  // 1.5 * 2^23: what is added to it loses its fraction
  x = x < -104 ? -104 : x;
  x = x > 89 ? 89 : x;
  const float shifted = x * 1.44269504F + kRounder;
  const std::int32_t n = std::bit_cast<std::int32_t>(shifted) - std::bit_cast<std::int32_t>(kRounder);
  const float whole = shifted - kRounder;
  const float r = x - whole * 0.693359375F + whole * 2.12194440e-4F;
  const float power = Polynomial(r, 1.0F, 1.0F, 1.0F / 2, 1.0F / 6, 1.0F / 24, 1.0F / 120, 1.0F / 720);
  return power * PowerOfTwo(n / 2) * PowerOfTwo(n - n / 2);
}

// e^x - 1, exact near 0.
TANDEM_INLINE inline float Expm1(float x) {
  const float near = x * Polynomial(x, 1.0F, 1.0F / 2, 1.0F / 6, 1.0F / 24, 1.0F / 120, 1.0F / 720,
                                    1.0F / 5040, 1.0F / 40320);
  const float far = Exp(x) - 1;
  return x > -0.5F && x < 0.5F ? near : far;
}

// ln((1 + s) / (1 - s)) for |s| <= 1/3.
TANDEM_INLINE inline float LogOfRatio(float s) {
  const float z = s * s;
  return 2 * s * Polynomial(z, 1.0F, 1.0F / 3, 1.0F / 5, 1.0F / 7, 1.0F / 9, 1.0F / 11, 1.0F / 13, 1.0F / 15);
}

// ln(1 + x) for x in [0, 1].
TANDEM_INLINE inline float Log1p(float x) { return LogOfRatio(x / (2 + x)); }

TANDEM_INLINE inline float Log(float x) {
  constexpr float kInfinity = std::numeric_limits<float>::infinity();
  const bool tiny = x < std::numeric_limits<float>::min();
  const float normal = tiny ? x * 8388608 : x;
  const auto bits = std::bit_cast<std::int32_t>(normal);
  const std::int32_t exponent = (bits >> 23) - (tiny ? 127 + 23 : 127);
  float mantissa = std::bit_cast<float>((bits & 0x7FFFFF) | 0x3F800000);
  const bool large = mantissa > 1.41421356F;
  mantissa = large ? mantissa / 2 : mantissa;
  const auto whole = static_cast<float>(large ? exponent + 1 : exponent);
  const float rest = LogOfRatio((mantissa - 1) / (mantissa + 1)) - whole * 2.12194440e-4F;
  float result = rest + whole * 0.693359375F;
  result = x == kInfinity ? kInfinity : result;
  result = x == 0 ? -kInfinity : result;
  return x >= 0 ? result : std::numeric_limits<float>::quiet_NaN();
}

TANDEM_INLINE inline float Tanh(float x) {
  x = x < -10 ? -10 : x;
  x = x > 10 ? 10 : x;
  const float e = Expm1(2 * x);
  return e / (e + 2);
}

TANDEM_INLINE inline float Sigmoid(float x) { return 1 / (1 + Exp(-x)); }

TANDEM_INLINE inline float Softplus(float x) {
  const float size = x < 0 ? -x : x;
  return (x < 0 ? 0 : x) + Log1p(Exp(-size));
}

// Its power series below 1; above, 1 - e^(-x^2) times a polynomial through e^(x^2) * erfc(x) at the ten
// Chebyshev points of [1, 4].
TANDEM_INLINE inline float Erf(float x) {
  float size = x < 0 ? -x : x;
  size = size > 4 ? 4 : size;
  const float z = size * size;
  const float near =
      size * Polynomial(z, 1.12837917F, -0.376126389F, 0.112837917F, -0.0268661706F, 0.00522397763F,
                        -8.54832702e-4F, 1.2055333e-4F, -1.49256504e-5F, 1.64621144e-6F, -1.63658447e-7F);
  const float u = (size - 2.5F) / 1.5F;
  const float tail =
      Polynomial(u, 0.210806539F, -0.111521085F, 0.0561017559F, -0.0270020506F, 0.0125582827F,
                 -0.00559632116F, 0.00221672053F, -9.36257158e-4F, 6.08016267e-4F, -2.36270407e-4F);
  const float far = 1 - Exp(-z) * tail;
  const float result = size < 1 ? near : far;
  return x < 0 ? -result : result;
}

}  // namespace tandem::plain_math
