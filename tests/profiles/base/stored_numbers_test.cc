// Are halves rounded as IEEE 754 says?
#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "profiles/base/stored_numbers.h"

namespace tandem {
namespace {

TEST(Half, EveryHalfComesBackFromFloat) {
  for (std::uint32_t bits = 0; bits < 0x10000u; ++bits) {
    const auto half = static_cast<std::uint16_t>(bits);
    const float value = FloatOf(half);
    if (std::isnan(value)) {
      EXPECT_TRUE(std::isnan(FloatOf(HalfOf(value))));
    } else {
      EXPECT_EQ(HalfOf(value), half);
    }
  }
}

TEST(Half, InBetweenTheNearestIsTakenAndOfTwoTheEvenOne) {
  for (std::uint32_t bits = 0; bits < 0x7bffu; ++bits) {
    const auto low = static_cast<std::uint16_t>(bits), high = static_cast<std::uint16_t>(bits + 1);
    const float middle = (FloatOf(low) + FloatOf(high)) / 2;
    EXPECT_EQ(HalfOf(middle), bits % 2 == 0 ? low : high) << bits;
    EXPECT_EQ(HalfOf(std::nextafter(middle, 0.0f)), low) << bits;
    EXPECT_EQ(HalfOf(-std::nextafter(middle, 1e9f)), high | 0x8000u) << bits;
  }
}

TEST(Half, WhatIsTooLargeIsInfinite) {
  EXPECT_EQ(HalfOf(65519.0f), 0x7bffu);
  EXPECT_EQ(HalfOf(65520.0f), 0x7c00u);
  EXPECT_EQ(HalfOf(-std::numeric_limits<float>::infinity()), 0xfc00u);
}

}  // namespace
}  // namespace tandem
