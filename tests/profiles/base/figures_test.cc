// Do figures read the same wherever they stand?
#include "profiles/base/figures.h"

#include <gtest/gtest.h>

namespace tandem {
namespace {

TEST(Figures, TimesOfATableAreInOneUnit) {
  EXPECT_EQ(UnitFor(Nanos{999'999}).Text(Nanos{1500}), "1.500");
  EXPECT_EQ(UnitFor(Nanos{1'000'000}).Text(Nanos{1'234'500}), "1.235");
  EXPECT_EQ(UnitFor(Nanos{100'000'000'000}).Text(Nanos{2'000'500'000}), "2.001");
  EXPECT_EQ(kMillis.Text(Nanos{-1'234'500}), "-1.235");
  EXPECT_EQ(kMillis.Text(Nanos{-70'000}), "-0.070");
  EXPECT_EQ(kMillis.Text(Nanos{-400}), "0.000");
  EXPECT_EQ(kMillis.Signed(Nanos{120'000}), "+0.120");
  EXPECT_EQ(kMillis.Signed(Nanos{-120'000}), "-0.120");
  EXPECT_EQ(kMillis.Signed(Nanos{0}), "0.000");
  EXPECT_EQ(ExactMillis(Nanos{12'300'001}), "12.300001");
  EXPECT_EQ(ExactMillis(Nanos{12'300'000}), "12.3");
}

TEST(Figures, SharesHaveADecimalWhileTheyAreSmall) {
  EXPECT_EQ(Share(0.364), "36.4%");
  EXPECT_EQ(Share(12.34), "1234%");
  EXPECT_EQ(Share(std::nullopt), "-");
}

TEST(Figures, PercentsAreFixedOrAsShortAsTheyCanBe) {
  EXPECT_EQ(Percent(0.0327, 2), "3.27 %");
  EXPECT_EQ(SignedPercent(0.0251, 1), "+2.5 %");
  EXPECT_EQ(SignedPercent(-0.109, 1), "-10.9 %");
  EXPECT_EQ(PercentInTenths(0.01), "1 %");
  EXPECT_EQ(PercentInTenths(0.0109), "1.1 %");
  EXPECT_EQ(Beyond(1.3, 1), "+30 %");
  EXPECT_EQ(Beyond(1, 1), "+0 %");
  EXPECT_EQ(Beyond(0.95, 1), "-5 %");
  EXPECT_EQ(Beyond(1, 0), "-");
}

TEST(Figures, ShortOnesHaveAboutFourDigits) {
  EXPECT_EQ(Short(1.2345), "1.234");
  EXPECT_EQ(Short(98.765), "98.77");
  EXPECT_EQ(Short(1234.4), "1234");
  EXPECT_EQ(Short(0.0), "0.000");
  EXPECT_EQ(Short(0.0001), "1.00e-04");
  EXPECT_EQ(Short(std::nullopt), "-");
}

}  // namespace
}  // namespace tandem
