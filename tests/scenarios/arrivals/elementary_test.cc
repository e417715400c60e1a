// Is our own exponential right to the last bits, everywhere, and the same everywhere?
#include <gtest/gtest.h>

#include <cmath>

#include "scenarios/arrivals/elementary.h"
#include "scenarios/arrivals/random.h"

namespace tandem {
namespace {

TEST(Exp, StaysWithinTwoUnitsInTheLastPlace) {
  for (double x = -700; x <= 700; x += 0.37) {
    const double expected = std::exp(x);
    EXPECT_NEAR(Exp(x), expected, 2 * std::abs(std::nextafter(expected, 1e308) - expected)) << x;
  }
}

TEST(Exp, OfZeroIsOne) {
  EXPECT_EQ(Exp(0), 1);
  EXPECT_EQ(Exp(-0.0), 1);
}

TEST(Exp, EndsInZeroAndInfinity) {
  EXPECT_EQ(Exp(-1e300), 0);
  EXPECT_EQ(Exp(-750), 0);
  EXPECT_TRUE(std::isinf(Exp(710)));
  EXPECT_TRUE(std::isinf(Exp(1e300)));
}

TEST(Exp, UndoesTheLogarithm) {
  for (const double x : {0.001, 0.5, 1.0, 2.0, 3.14159, 1e6}) EXPECT_NEAR(Exp(NaturalLog(x)) / x, 1, 1e-14);
}

// Bits, so that another compiler or processor that rounds otherwise is found out.
TEST(Exp, GivesTheseBitsOnEveryCompiler) {
  EXPECT_EQ(Exp(-1.5), 0x1.c8f87724b5c1dp-3);
  EXPECT_EQ(Exp(0.1), 0x1.1aec7b35a00d4p+0);
  EXPECT_EQ(Exp(15), 0x1.8f0ccafad2a87p+21);
}

}  // namespace
}  // namespace tandem
