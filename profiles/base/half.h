// Half precision on the host: a sign, 5 bits of exponent, 10 of fraction.
#pragma once

#include <cstdint>

namespace tandem {

// The nearest, the even one of two; infinity beyond the largest.
std::uint16_t HalfOf(float value);
float FloatOf(std::uint16_t half);

}  // namespace tandem
