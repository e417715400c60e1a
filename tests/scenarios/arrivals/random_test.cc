// Are the random numbers those that semantics.md names, on every machine, and are they random?
#include "scenarios/arrivals/random.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>

namespace tandem {
namespace {

TEST(Random, NamesHashToTheKnownAnswersOfFnv) {
  EXPECT_EQ(Fnv1a64(""), 0xcbf29ce484222325U);
  EXPECT_EQ(Fnv1a64("a"), 0xaf63dc4c8601ec8cU);
  EXPECT_EQ(Fnv1a64("foobar"), 0x85944171f73967e8U);
}

double UlpsApart(double a, double b) {
  const double ulp = std::nextafter(std::abs(b), std::numeric_limits<double>::infinity()) - std::abs(b);
  return std::abs(a - b) / ulp;
}

TEST(Random, LogarithmStaysWithinTwoUlpOfTheLibrarys) {
  std::mt19937_64 bits(7);
  double worst = 0;
  for (int i = 0; i < 200000; ++i) {
    const double x = static_cast<double>((bits() >> 11) + 1) * 0x1p-53;
    worst = std::max(worst, UlpsApart(NaturalLog(x), std::log(x)));
  }
  EXPECT_LE(worst, 2.0);
  for (const double x :
       {0x1p-53, 0x1p-1, 0.5 - 0x1p-54, 1 - 0x1p-53, 0.70710678118654746, 0.7071067811865476}) {
    EXPECT_LE(UlpsApart(NaturalLog(x), std::log(x)), 2.0) << x;
  }
  EXPECT_EQ(NaturalLog(1), 0);
}

// The bytes that a scenario of this seed gives, for ever.
TEST(Random, DrawsAreTheGoldenOnes) {
  StreamRandom random("camera", 1);
  const std::uint64_t first = static_cast<std::uint64_t>(random.Uniform() * 0x1p53);
  EXPECT_EQ(first, std::mt19937_64(Fnv1a64("camera") ^ 1)() >> 11);
  StreamRandom again("camera", 1);
  EXPECT_EQ(again.Uniform(), 0x1.b03296ab8cd28p-3);
  EXPECT_EQ(again.Exponential(), 0x1.90e5694a4cf33p-3);
  EXPECT_EQ(again.UniformUpTo(1000000), 542789);
}

TEST(Random, UniformUpToReachesBothEndsAndNoFurther) {
  StreamRandom random("dice", 3);
  int seen[4] = {};
  for (int i = 0; i < 4000; ++i) {
    const std::int64_t value = random.UniformUpTo(3);
    ASSERT_GE(value, 0);
    ASSERT_LE(value, 3);
    ++seen[value];
  }
  for (const int times : seen) EXPECT_NEAR(times, 1000, 150);
  EXPECT_EQ(random.UniformUpTo(0), 0);
}

TEST(Random, ExponentialHasMeanAndVarianceOne) {
  StreamRandom random("poisson", 5);
  constexpr int kDraws = 200000;
  double sum = 0, squares = 0;
  for (int i = 0; i < kDraws; ++i) {
    const double x = random.Exponential();
    sum += x;
    squares += x * x;
  }
  const double mean = sum / kDraws;
  EXPECT_NEAR(mean, 1, 0.01);
  EXPECT_NEAR(squares / kDraws - mean * mean, 1, 0.03);
}

}  // namespace
}  // namespace tandem
