#include "profiles/base/stored_numbers.h"

#include <bit>
#include <cmath>

namespace tandem {

std::uint16_t HalfOf(float value) {
  const auto bits = std::bit_cast<std::uint32_t>(value);
  const auto sign = static_cast<std::uint16_t>(bits >> 16 & 0x8000u);
  const float size = std::abs(value);
  if (std::isnan(value)) return sign | 0x7e00u;
  if (size >= 65520.0f) return sign | 0x7c00u;
  // Below the smallest normal number (2^-14) halves are whole multiples of 2^-24.
  if (size < 6.103515625e-5f) return static_cast<std::uint16_t>(sign | std::lrintf(size * 16777216.0f));
  const std::uint32_t rounded = std::bit_cast<std::uint32_t>(size) + 0xfffu + (bits >> 13 & 1u);
  return static_cast<std::uint16_t>(sign | ((rounded >> 13) - (112u << 10)));
}

float FloatOf(std::uint16_t half) {
  const std::uint32_t exponent = half >> 10 & 31u, fraction = half & 1023u;
  float size = 0;
  if (exponent == 31) {
    size = std::bit_cast<float>(0x7f800000u | fraction << 13);
  } else if (exponent == 0) {
    size = static_cast<float>(fraction) / 16777216.0f;
  } else {
    size = std::bit_cast<float>(((exponent + 112u) << 23) | fraction << 13);
  }
  return (half & 0x8000u) != 0 ? -size : size;
}

}  // namespace tandem
