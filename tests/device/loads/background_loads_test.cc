// Is a load that is alone on its unit held against what others tell of the unit?
#include "device/loads/background_loads.h"

#include <gtest/gtest.h>

namespace tandem {
namespace {

TEST(LoadHeldAgainstWhatIsTold, AgreesWithinFivePointsAndElseSaysSo) {
  EXPECT_EQ(HeldAgainstTold("gpu0", 40, std::nullopt), "");
  EXPECT_EQ(HeldAgainstTold("gpu0", 40, 0.45),
            "the load of 40 % on unit \"gpu0\", alone: the unit tells that it was busy for 45 % of the time");
  EXPECT_EQ(
      HeldAgainstTold("gpu0", 40, 0.34),
      "the load of 40 % on unit \"gpu0\", alone: the unit tells that it was busy for 34 % of the time, so "
      "that what is measured under it is of another load");
  EXPECT_EQ(
      HeldAgainstTold("gpu0", 40, 0.46),
      "the load of 40 % on unit \"gpu0\", alone: the unit tells that it was busy for 46 % of the time, so "
      "that what is measured under it is of another load, or something else runs there");
}

TEST(LoadHeldAgainstWhatIsTold, TheSlowdownOfAKnownKernelIsSaidBesideWhatTheUnitTellsAndAlone) {
  const std::string known =
      "a known kernel that keeps all of the unit busy takes 1.25 times as long beside it as alone";
  EXPECT_EQ(
      HeldAgainstTold("gpu0", 40, 0.45, 1.25),
      "the load of 40 % on unit \"gpu0\", alone: the unit tells that it was busy for 45 % of the time; " +
          known);
  EXPECT_EQ(HeldAgainstTold("gpu0", 40, std::nullopt, 1.25),
            "the load of 40 % on unit \"gpu0\", alone: " + known);
}

}  // namespace
}  // namespace tandem
