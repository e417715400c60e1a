// Are readings on a device held against those of the same piece of work?
#include "profiles/costs/yardstick_levels.h"

#include <gtest/gtest.h>

namespace tandem {
namespace {

Profile Reads(std::int64_t alone, std::int64_t at_once, std::int64_t rows) {
  Profile profile;
  if (alone > 0) profile.origin.yardsticks["cpu"] = Nanos{alone};
  if (at_once > 0) profile.origin.yardsticks_at_once["cpu"] = Nanos{at_once};
  if (rows > 0) profile.origin.yardstick_rows["cpu"] = rows;
  return profile;
}

TEST(YardstickLevels, OfSeveralProfilesTheFirstOneCounts) {
  const YardstickLevels levels = LevelsOf({Reads(100, 0, 0), Reads(110, 120, 0)});
  EXPECT_EQ(levels.alone.at("cpu"), Nanos{100});
  EXPECT_EQ(levels.at_once.at("cpu"), Nanos{120});
  EXPECT_TRUE(levels.rows.empty());
}

TEST(YardstickLevels, AreOfAsManyRows) {
  const YardstickLevels usual = LevelsOf({Reads(100, 0, 0), Reads(50, 60, 16)});
  EXPECT_EQ(usual.alone.at("cpu"), Nanos{100});
  EXPECT_TRUE(usual.rows.empty());
  EXPECT_TRUE(usual.at_once.empty()) << "the second one's work is another";
  const YardstickLevels fewer = LevelsOf({Reads(50, 60, 16), Reads(100, 120, 0)});
  EXPECT_EQ(fewer.alone.at("cpu"), Nanos{50});
  EXPECT_EQ(fewer.at_once.at("cpu"), Nanos{60});
  EXPECT_EQ(fewer.rows.at("cpu"), 16);
}

}  // namespace
}  // namespace tandem
