// Does the rank test give the probabilities of the textbooks, and do many comparisons together find no more
// than there is?
#include "profiles/base/rank_test.h"

#include <gtest/gtest.h>

#include <cstdint>

namespace tandem {
namespace {

std::vector<Nanos> Times(const std::vector<std::int64_t>& values) {
  std::vector<Nanos> times;
  for (const std::int64_t value : values) times.emplace_back(value);
  return times;
}

TEST(RankTests, AreExactForFewValues) {
  // All of five below all of five: 2 orders of 252.
  EXPECT_NEAR(RankTest(Times({1, 2, 3, 4, 5}), Times({6, 7, 8, 9, 10})), 2.0 / 252, 1e-12);
  EXPECT_NEAR(RankTest(Times({6, 7, 8, 9, 10}), Times({1, 2, 3, 4, 5})), 2.0 / 252, 1e-12);
  // U = 1 of 3 and 4: 2 * (1 + 1) orders of 35.
  EXPECT_NEAR(RankTest(Times({1, 2, 4}), Times({3, 5, 6, 7})), 4.0 / 35, 1e-12);
  EXPECT_EQ(RankTest(Times({1, 4}), Times({2, 3})), 1) << "nothing uneven";
  EXPECT_EQ(RankTest(Times({1}), Times({2})), 1) << "one value a side tells nothing";
}

TEST(RankTests, OrderDoesNotMatter) {
  EXPECT_EQ(RankTest(Times({5, 1, 3}), Times({9, 2, 8})), RankTest(Times({1, 3, 5}), Times({2, 8, 9})));
}

TEST(RankTests, TiesAreApproximated) {
  EXPECT_EQ(RankTest(Times({7, 7, 7}), Times({7, 7, 7})), 1);
  // Mid-ranks 6.5 a half; U = 0, variance 10 * 10 / 12 * (21 - 2 * 990 / 380): z = 49.5 / sqrt(131.579).
  const std::vector<Nanos> ones(10, Nanos{1}), twos(10, Nanos{2});
  EXPECT_NEAR(RankTest(ones, twos), 1.59379e-5, 1e-9);
}

TEST(ShiftTests, TellHowFarApartFewValuesAre) {
  const auto near = Times({1000, 1010, 990, 1005, 995}), far = Times({1200, 1210, 1190, 1205, 1195});
  EXPECT_NEAR(RankTest(near, far), 2.0 / 252, 1e-12);
  EXPECT_NEAR(ShiftTest(near, far), 3.164e-10, 1e-13);
  EXPECT_EQ(ShiftTest(far, near), ShiftTest(near, far));
  // Apart by chance, but no further than each is wide.
  EXPECT_EQ(ShiftTest(Times({100, 200, 300, 400}), Times({401, 500, 600, 700})),
            RankTest(Times({1, 2, 3, 4}), Times({5, 6, 7, 8})));
  EXPECT_EQ(ShiftTest(Times({1, 2, 4}), Times({3, 5, 6, 7})), 4.0 / 35) << "where they mix ranks tell all";
  EXPECT_EQ(ShiftTest(Times({1, 1, 1}), Times({2, 2, 2})), RankTest(Times({1, 1, 1}), Times({2, 2, 2})));
  EXPECT_LT(ShiftTest(Times({7, 7, 7, 7}), Times({8, 8, 8, 8})), 1e-20) << "no noise at all";
}

TEST(StudentsT, HasTheProbabilitiesOfTheTables) {
  EXPECT_NEAR(StudentP(2.228139, 10), 0.05, 1e-6);
  EXPECT_NEAR(StudentP(4, 8), 0.00394977, 1e-8);
  EXPECT_NEAR(StudentP(-12.7062, 1), 0.05, 1e-6);
  EXPECT_NEAR(StudentP(0, 5), 1, 1e-12);
  EXPECT_NEAR(StudentP(1.959964, 1e7), 0.05, 1e-6);
}

TEST(RankTests, NothingIsToldOfNothing) { EXPECT_EQ(RankTest({}, Times({1, 2})), 1); }

TEST(FalseDiscoveries, AreRatesInTheOrderOfWhatWasCompared) {
  const std::vector<double> rates = FalseDiscoveryRates({0.04, 0.01, 0.02, 0.9});
  ASSERT_EQ(rates.size(), 4U);
  EXPECT_NEAR(rates[1], 0.04, 1e-12);      // 0.01 * 4 / 1
  EXPECT_NEAR(rates[2], 0.04, 1e-12);      // 0.02 * 4 / 2
  EXPECT_NEAR(rates[0], 0.16 / 3, 1e-12);  // 0.04 * 4 / 3
  EXPECT_NEAR(rates[3], 0.9, 1e-12);
  EXPECT_TRUE(FalseDiscoveryRates({}).empty());
}

TEST(FalseDiscoveries, OneChanceFindOfManyIsNone) {
  std::vector<double> p(100, 0.6);
  p[3] = 0.01;  // expected once in a hundred
  EXPECT_GT(FalseDiscoveryRates(p)[3], 0.5);
}

}  // namespace
}  // namespace tandem
