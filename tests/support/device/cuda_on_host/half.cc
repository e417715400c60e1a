#include <cmath>
#include <cstring>

#include "tests/support/device/cuda_on_host/cuda_fp16.h"

namespace {

std::uint32_t BitsOf(float value) {
  std::uint32_t bits;
  std::memcpy(&bits, &value, sizeof bits);
  return bits;
}

}  // namespace

float __half2float(__half value) {
  const int exponent = value.bits >> 10 & 31, fraction = value.bits & 1023;
  float size = std::ldexp(static_cast<float>(fraction + (exponent == 0 ? 0 : 1024)),
                          (exponent == 0 ? 1 : exponent) - 25);
  if (exponent == 31) size = fraction == 0 ? INFINITY : NAN;
  return (value.bits & 0x8000) != 0 ? -size : size;
}

__half __float2half(float value) {
  const std::uint32_t bits = BitsOf(value), sign = bits >> 16 & 0x8000;
  if (std::isnan(value)) return {static_cast<std::uint16_t>(sign | 0x7fff)};
  const float size = std::fabs(value);
  // Below the smallest normal number the steps are 2^-24; above, 2^-10 of the power of two.
  if (size < std::ldexp(1.0F, -14)) {
    return {static_cast<std::uint16_t>(sign | static_cast<std::uint32_t>(std::nearbyint(size * 16777216)))};
  }
  const std::uint32_t magnitude = bits & 0x7fffffff;
  const std::uint32_t rounded = magnitude + 0xfff + (magnitude >> 13 & 1);
  if (rounded >= 0x47800000) return {static_cast<std::uint16_t>(sign | 0x7c00)};  // 65536
  return {static_cast<std::uint16_t>(sign | ((rounded - 0x38000000) >> 13))};
}
