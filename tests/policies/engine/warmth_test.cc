// Does a unit become warm and cool as the closed form says, and is it held back from where to where it should
// be?
#include "policies/engine/warmth.h"

#include <gtest/gtest.h>

#include <cmath>

namespace tandem {
namespace {

constexpr double kSecond = 1e9;

// A time constant of a second.
UnitHeat Heat(double hot, double cool, double speed, double warmth = 0) {
  return {UnitId(0), Nanos{1'000'000'000}, hot, cool, speed, warmth};
}

// After so many time constants, rounded up to a nanosecond.
Nanos After(double constants) { return Nanos{static_cast<std::int64_t>(std::ceil(constants * kSecond))}; }

TEST(Heat, WorkWarmsUpToTheLimitAsTheClosedFormSays) {
  Warmth warmth(Heat(0.5, 0.25, 0.1));
  warmth.Goes(Nanos{0}, 1);
  EXPECT_EQ(warmth.speed(), 1);
  EXPECT_EQ(warmth.next_change(), After(std::log(2)));
  warmth.Goes(warmth.next_change(), 1);
  EXPECT_EQ(warmth.speed(), 0.1);
}

TEST(Heat, HeldBackItCoolsTowardsWhatItsSpeedWarms) {
  Warmth warmth(Heat(0.5, 0.25, 0.1));
  warmth.Goes(Nanos{0}, 1);
  const Nanos hot = warmth.next_change();
  warmth.Goes(hot, 1);
  EXPECT_EQ(warmth.next_change(), hot + After(std::log((0.5 - 0.1) / (0.25 - 0.1))));
  warmth.Goes(warmth.next_change(), 1);
  EXPECT_EQ(warmth.speed(), 1);
}

TEST(Heat, AtASpeedThatKeepsItWarmItStaysHeldBackAsLongAsItWorks) {
  Warmth warmth(Heat(0.5, 0.4, 0.45));
  warmth.Goes(Nanos{0}, 1);
  const Nanos hot = warmth.next_change();
  warmth.Goes(hot, 1);
  EXPECT_EQ(warmth.next_change(), Warmth::kNever);
  warmth.Goes(hot + Nanos{1000}, 0);
  const double left = 0.45 + (0.5 - 0.45) * std::exp(-1e-6);
  EXPECT_EQ(warmth.next_change(), hot + Nanos{1000} + After(std::log(left / 0.4)));
}

TEST(Heat, WhoIdlesEnoughIsNeverHeldBack) {
  Warmth warmth(Heat(0.5, 0.4, 0.1));
  for (int round = 0; round < 50; ++round) {  // at work half a second of four: 0.40 at most
    warmth.Goes(After(4 * round), 1);
    EXPECT_GT(warmth.next_change(), After(4 * round + 0.5)) << round;
    warmth.Goes(After(4 * round + 0.5), 0);
    EXPECT_EQ(warmth.next_change(), Warmth::kNever) << round;
  }
  EXPECT_EQ(warmth.HeldBack(After(200)), Nanos{0});
}

TEST(Heat, ManyDatesInBetweenChangeNothing) {
  Warmth asked(Heat(0.5, 0.25, 0.1)), left_alone(Heat(0.5, 0.25, 0.1));
  asked.Goes(Nanos{0}, 1);
  left_alone.Goes(Nanos{0}, 1);
  for (std::int64_t now = 0; now < 3'000'000'000; now += 7'654'321) asked.Goes(Nanos{now}, 1);
  left_alone.Goes(Nanos{3'000'000'000}, 1);
  asked.Goes(Nanos{3'000'000'000}, 1);
  EXPECT_EQ(asked.next_change(), left_alone.next_change());
  EXPECT_EQ(asked.HeldBack(Nanos{3'000'000'000}), left_alone.HeldBack(Nanos{3'000'000'000}));
}

TEST(Heat, HowLongItIsHeldBackAddsUp) {
  Warmth warmth(Heat(0.5, 0.25, 0.1));
  warmth.Goes(Nanos{0}, 1);
  const Nanos hot = warmth.next_change();
  EXPECT_EQ(warmth.HeldBack(hot), Nanos{0});
  warmth.Goes(hot, 1);
  const Nanos cool = warmth.next_change();
  EXPECT_EQ(warmth.HeldBack(hot + Nanos{5}), Nanos{5});
  warmth.Goes(cool, 1);
  EXPECT_EQ(warmth.HeldBack(cool + Nanos{100}), cool - hot);
}

TEST(Heat, WorkAtHalfSpeedGoesTowardsAHalf) {
  Warmth warmth(Heat(0.4, 0.25, 0.1));
  warmth.Goes(Nanos{0}, 0.5);
  EXPECT_EQ(warmth.next_change(), After(std::log(0.5 / 0.1)));
  const Nanos hot = warmth.next_change();
  warmth.Goes(hot, 0.5);
  // Held back to a tenth of that it goes towards 0.05.
  EXPECT_EQ(warmth.next_change(), hot + After(std::log((0.4 - 0.5 * 0.1) / (0.25 - 0.5 * 0.1))));
}

TEST(Heat, WorkThatIsTooSlowToMakeItHotNeverDoes) {
  Warmth warmth(Heat(0.6, 0.25, 0.1));
  warmth.Goes(Nanos{0}, 0.5);
  EXPECT_EQ(warmth.next_change(), Warmth::kNever);
  // From 0.5 - 0.5 / e on at full speed: 1 - (0.5 + 0.5 / e) of the way is left, and 0.4 where it is hot.
  warmth.Goes(After(1), 1);
  EXPECT_EQ(warmth.next_change(), After(1) + After(std::log((0.5 + 0.5 * std::exp(-1)) / 0.4)));
}

TEST(Heat, OneThatIsHotAtTheStartIsHeldBackAtOnce) {
  Warmth warmth(Heat(0.5, 0.25, 0.1, 1));
  EXPECT_EQ(warmth.speed(), 0.1);
  EXPECT_EQ(warmth.next_change(), After(std::log(1 / 0.25))) << "it idles";
}

}  // namespace
}  // namespace tandem
