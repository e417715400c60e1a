// Is a slowdown read off a curve, and a traffic off a slowdown, as the documentation says?
#include "profiles/costs/traffic_curve.h"

#include <gtest/gtest.h>

namespace tandem {
namespace {

const TrafficCurve kCurve({{4e9, 1.5}, {2e9, 1.1}});

TEST(TrafficCurve, IsStraightBetweenItsPointsAndConstantBeyond) {
  EXPECT_DOUBLE_EQ(kCurve.At(0), 1);
  EXPECT_DOUBLE_EQ(kCurve.At(1e9), 1.05);
  EXPECT_DOUBLE_EQ(kCurve.At(2e9), 1.1);
  EXPECT_DOUBLE_EQ(kCurve.At(3e9), 1.3);
  EXPECT_DOUBLE_EQ(kCurve.At(9e9), 1.5);
}

TEST(TrafficCurve, GivesTheTrafficThatSlowsAsMuch) {
  for (const double traffic : {0.5e9, 2e9, 3.25e9, 4e9}) {
    EXPECT_NEAR(kCurve.TrafficOf(kCurve.At(traffic)), traffic, 1);
  }
  EXPECT_EQ(kCurve.TrafficOf(1), 0);
  EXPECT_EQ(kCurve.TrafficOf(0.98), 0);
  EXPECT_EQ(kCurve.TrafficOf(2), 4e9) << "nothing is extrapolated";
}

TEST(TrafficCurve, NoiseThatFallsAgainIsTakenAsFlat) {
  const TrafficCurve noisy({{1e9, 1.2}, {2e9, 1.1}, {3e9, 1.4}});
  EXPECT_DOUBLE_EQ(noisy.At(2e9), 1.1);
  EXPECT_DOUBLE_EQ(noisy.TrafficOf(1.2), 1e9);
  EXPECT_DOUBLE_EQ(noisy.TrafficOf(1.3), 2.5e9);
}

TEST(TrafficCurve, WithoutPointsNothingIsSlowed) {
  EXPECT_EQ(TrafficCurve().At(1e9), 1);
  EXPECT_EQ(TrafficCurve().TrafficOf(1.5), 0);
  EXPECT_EQ(TrafficCurve({{0, 1.3}}).At(1e9), 1) << "no traffic slows nothing down";
}

}  // namespace
}  // namespace tandem
