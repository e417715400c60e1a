// Is what clocks are set to told from what the heat makes of it for a while?
#include "profiles/costs/clock_text.h"

#include <gtest/gtest.h>

namespace tandem {
namespace {

bool SameEitherWay(const char* a, const char* b) {
  EXPECT_EQ(SameClockSettings(a, b), SameClockSettings(b, a)) << a << " and " << b;
  return SameClockSettings(a, b);
}

TEST(ClockText, WithoutAnyHeatSettingsAreTheSameTextsAlone) {
  EXPECT_TRUE(SameEitherWay("cpu0: schedutil, 408 to 1479 MHz", "cpu0: schedutil, 408 to 1479 MHz"));
  EXPECT_FALSE(SameEitherWay("cpu0: schedutil, 408 to 1479 MHz", "cpu0: schedutil, 408 to 1008 MHz"));
  EXPECT_FALSE(SameEitherWay("mode 15W", "mode 7W"));
  EXPECT_FALSE(SameEitherWay("", "cpu0: performance"));
}

TEST(ClockText, AnUpperLimitMayBeLowerWhileClocksAreHeldBackAndNeverHigher) {
  const char* cool = "cpu0: schedutil, 408 to 1479 MHz";
  EXPECT_TRUE(SameEitherWay(cool, "cpu0: schedutil, 408 to 1008 MHz while held back"));
  EXPECT_TRUE(SameEitherWay(cool, "cpu0: schedutil, 408 to 1479 MHz while held back"));
  EXPECT_FALSE(SameEitherWay(cool, "cpu0: schedutil, 408 to 1800 MHz while held back"));
  EXPECT_TRUE(SameEitherWay("cpu0: schedutil, 408 to 1200 MHz while held back",
                            "cpu0: schedutil, 408 to 1008 MHz while held back"));
}

TEST(ClockText, WhatNoHeatChangesDecidesThenToo) {
  const char* cool = "cpu0: schedutil, 408 to 1479 MHz";
  EXPECT_FALSE(SameEitherWay(cool, "cpu0: powersave, 408 to 1008 MHz while held back"));
  EXPECT_FALSE(SameEitherWay(cool, "cpu0: schedutil, 600 to 1008 MHz while held back"));
  EXPECT_FALSE(SameEitherWay(cool, "cpu1: schedutil, 408 to 1008 MHz while held back"));
  EXPECT_FALSE(SameEitherWay(cool, "cpu0, cpu1: schedutil, 408 to 1008 MHz while held back"));
}

// Both limits are set to one clock: jetson_clocks. The kernel keeps the lower one at the upper one at most.
TEST(ClockText, ALowerLimitGoesDownWithTheUpperOne) {
  const char* pinned = "cpu0: performance, 1479 to 1479 MHz";
  EXPECT_TRUE(SameEitherWay(pinned, "cpu0: performance, 1008 to 1008 MHz while held back"));
  EXPECT_FALSE(SameEitherWay(pinned, "cpu0: performance, 408 to 1008 MHz while held back"));
}

TEST(ClockText, CoresThatAreHeldBackAlikeAreStillOfTheirOwnSettings) {
  const char* cool = "cpu0: schedutil, 408 to 1479 MHz; cpu4: schedutil, 408 to 1800 MHz";
  EXPECT_TRUE(SameEitherWay(cool, "cpu0, cpu4: schedutil, 408 to 1008 MHz while held back"));
  EXPECT_FALSE(SameEitherWay(cool, "cpu0, cpu4: schedutil, 408 to 1600 MHz while held back"));
}

TEST(ClockText, DevicesWithoutALowerLimitOrAGovernorAreHeldBackToo) {
  EXPECT_TRUE(SameEitherWay("2133 MHz", "1600 MHz while held back"));
  EXPECT_FALSE(SameEitherWay("2133 MHz", "204 to 1600 MHz while held back"));
}

TEST(ClockText, OnlyLimitsAreMarked) {
  EXPECT_EQ(WhileHeldBack("schedutil, 408 to 1008 MHz"), "schedutil, 408 to 1008 MHz while held back");
  EXPECT_EQ(WhileHeldBack("performance"), "performance");
}

}  // namespace
}  // namespace tandem
