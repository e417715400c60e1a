// Does a load in bursts come to its share on a clock of the test's own, whatever a burst takes?
#include "device/loads/burst_duty.h"

#include <gtest/gtest.h>

#include <algorithm>

namespace tandem {
namespace {

constexpr Nanos kBurstPeriod{10'000'000};

// A unit that needs so long for a round, `beside` times as long while others work, and a little to begin.
struct FakeUnit {
  double round_ns = 3.7;
  double beside = 1;
  Nanos beginning{5'000};
  Nanos Burst(std::int64_t rounds) const {
    return Nanos{static_cast<std::int64_t>(static_cast<double>(rounds) * round_ns * beside)} + beginning;
  }
};

BurstRate RateOf(const FakeUnit& unit) {
  BurstRate rate;
  BurstCalibration calibration(kBurstPeriod / 2);
  while (const auto rounds = calibration.Next()) calibration.Took(*rounds, unit.Burst(*rounds), rate);
  return rate;
}

struct Outcome {
  Nanos busy{0}, counted{0}, longest{0};
};

Outcome RunFor(Nanos time, double share, const FakeUnit& unit, BurstRate rate) {
  BurstDuty duty(share, kBurstPeriod, Nanos{0});
  Outcome outcome;
  for (Nanos now{0}; now < time;) {
    if (const auto until = duty.SleepUntil(now)) {
      now = *until;
      continue;
    }
    const std::int64_t rounds = duty.Rounds(rate);
    const Nanos took = unit.Burst(rounds);
    rate.Took(rounds, took);
    duty.Did();
    now += took;
    outcome.busy += took;
    outcome.longest = std::max(outcome.longest, took);
  }
  outcome.counted = duty.used();
  return outcome;
}

TEST(Bursts, AreCalibratedFromAnySpeed) {
  for (const double round_ns : {0.02, 1.0, 900.0, 40'000.0}) {
    const FakeUnit unit{round_ns};
    const BurstRate rate = RateOf(unit);
    ASSERT_TRUE(rate.known()) << round_ns;
    const Nanos burst = unit.Burst(rate.RoundsFor(Nanos{4'000'000}));
    EXPECT_NEAR(static_cast<double>(burst.count()), 4e6, 8e4) << round_ns;
    EXPECT_GE(burst, Nanos{3'990'000});
  }
}

TEST(Bursts, ThatTakeNoTimeAreGivenUp) {
  BurstRate rate;
  BurstCalibration calibration(kBurstPeriod);
  int tries = 0;
  for (auto rounds = calibration.Next(); rounds && tries < 1000; rounds = calibration.Next(), ++tries) {
    EXPECT_GT(*rounds, 0);
    calibration.Took(*rounds, Nanos{0}, rate);
  }
  EXPECT_LT(tries, 1000);
  EXPECT_FALSE(rate.known());
}

TEST(Bursts, ComeToTheirShare) {
  const FakeUnit unit;
  for (const double share : {0.01, 0.4, 0.6, 0.95}) {
    const Outcome outcome = RunFor(100 * kBurstPeriod, share, unit, RateOf(unit));
    EXPECT_NEAR(static_cast<double>(outcome.busy.count()) / 1e9, share, 0.01) << share;
    EXPECT_LE(static_cast<double>(outcome.longest.count()), share * 1e7 * 1.02 + 5e3)
        << "one burst in a period";
  }
}

TEST(Bursts, BesideOthersDoTheSameWork) {
  const BurstRate rate = RateOf(FakeUnit{});
  FakeUnit busy;
  busy.beside = 1.5;
  const Outcome outcome = RunFor(100 * kBurstPeriod, 0.4, busy, rate);
  EXPECT_NEAR(static_cast<double>(outcome.counted.count()) / 1e9, 0.4, 0.01);
  EXPECT_NEAR(static_cast<double>(outcome.busy.count()) / 1e9, 0.6, 0.01);
}

TEST(Bursts, OfAUnitThatIsTooBusyFallShort) {
  const BurstRate rate = RateOf(FakeUnit{});
  FakeUnit busy;
  busy.beside = 4;
  const Outcome outcome = RunFor(100 * kBurstPeriod, 0.5, busy, rate);
  EXPECT_LT(static_cast<double>(outcome.counted.count()) / 1e9, 0.3);
}

// A card that wakes up is slow at first.
TEST(Bursts, GrowWithACardThatGrowsFaster) {
  FakeUnit unit;
  unit.round_ns = 20;
  const BurstRate asleep = RateOf(unit);
  unit.round_ns = 4;
  const Outcome outcome = RunFor(100 * kBurstPeriod, 0.4, unit, asleep);
  EXPECT_NEAR(static_cast<double>(outcome.busy.count()) / 1e9, 0.4, 0.01);
}

}  // namespace
}  // namespace tandem
