// Do rounds tell the slowdown that is there, below 1 too, whatever the machine does meanwhile, and how sure
// it is?
#include "device/profiler/samples/slowdown_rounds.h"

#include <gtest/gtest.h>
#include <cmath>

#include "scenarios/arrivals/random.h"

namespace tandem {
namespace {

double Normal(StreamRandom& random) {
  double sum = -6;
  for (int i = 0; i < 12; ++i) sum += random.Uniform();
  return sum;
}

struct Machine {
  double noise = 0, drift = 0, slow_state = 1;  // of each turn; over all rounds; every other twenty rounds
};

// Each round begins with either turn.
std::vector<SlowdownRound> RoundsOf(double truth, std::size_t count, const Machine& machine,
                                    std::uint64_t seed = 1) {
  StreamRandom random("rounds", seed);
  std::vector<SlowdownRound> rounds(count);
  for (std::size_t i = 0; i < count; ++i) {
    const std::vector<std::size_t> order = ShuffledOrder(2, random);
    for (std::size_t at = 0; at < 2; ++at) {
      const double when = (static_cast<double>(i) + static_cast<double>(at) / 2) / static_cast<double>(count);
      const double state = i / 20 % 2 == 1 ? machine.slow_state : 1;
      const double time = 1e6 * (1 + machine.drift * when) * state * (1 + machine.noise * Normal(random));
      (order[at] == 0 ? rounds[i].alone : rounds[i].beside) = time * (order[at] == 0 ? 1 : truth);
    }
  }
  return rounds;
}

TEST(SlowdownRounds, WithoutNoiseTheRatioIsExactAndSure) {
  const auto found = SlowdownOf(RoundsOf(1.3, 5, {}));
  ASSERT_TRUE(found);
  EXPECT_EQ(found->slowdown, 1.3);
  EXPECT_EQ(found->error, 0.0);
}

TEST(SlowdownRounds, NoiseErrsToNeitherSide) {
  for (const double truth : {0.9, 1.0, 1.3}) {
    double sum = 0;
    int below = 0;
    constexpr int kRepeats = 400;
    for (int i = 0; i < kRepeats; ++i) {
      const auto found = SlowdownOf(RoundsOf(truth, 9, {.noise = 0.05}, static_cast<std::uint64_t>(i)));
      sum += found->slowdown / truth;
      below += found->slowdown < truth ? 1 : 0;
    }
    EXPECT_NEAR(sum / kRepeats, 1, 0.005) << truth;
    EXPECT_NEAR(below, kRepeats / 2, 40) << truth << ": half of them, within four deviations";
  }
}

TEST(SlowdownRounds, DriftAndStatesThatFlipCancelOut) {
  for (const double truth : {0.9, 1.3}) {
    const auto found = SlowdownOf(RoundsOf(truth, 60, {.noise = 0.01, .drift = 0.5, .slow_state = 1.6}));
    EXPECT_NEAR(found->slowdown, truth, 0.01) << truth;
    EXPECT_LT(*found->error, 0.01);
  }
}

TEST(SlowdownRounds, RoundsThatWereDisturbedDoNotMoveIt) {
  std::vector<SlowdownRound> rounds = RoundsOf(1.2, 15, {.noise = 0.01});
  rounds[2].beside *= 20;
  rounds[7].alone *= 5;
  rounds[11].beside *= 3;
  EXPECT_NEAR(SlowdownOf(rounds)->slowdown, 1.2, 0.02);
}

TEST(SlowdownRounds, TheErrorIsThatOfRepeatedMeasurements) {
  for (const std::size_t count : {3U, 9U, 30U}) {
    double squares = 0, errors = 0;
    constexpr int kRepeats = 400;
    for (int i = 0; i < kRepeats; ++i) {
      const auto found = SlowdownOf(RoundsOf(1.3, count, {.noise = 0.04}, static_cast<std::uint64_t>(i)));
      squares += std::pow(std::log(found->slowdown / 1.3), 2);
      errors += *found->error;
    }
    EXPECT_NEAR(errors / kRepeats / std::sqrt(squares / kRepeats), 1, 0.25) << count;
  }
}

TEST(SlowdownRounds, ATurnThatCameToNothingTakesItsRoundAlone) {
  const std::vector<SlowdownRound> rounds = {{100, 0}, {100, 90}, {0, 50}, {100, 90}};
  EXPECT_EQ(SlowdownOf(rounds)->slowdown, 0.9);
  EXPECT_FALSE(SlowdownOf(std::vector<SlowdownRound>{{100, 0}}));
  const auto once = SlowdownOf(std::vector<SlowdownRound>{{100, 90}});
  EXPECT_EQ(once->slowdown, 0.9);
  EXPECT_FALSE(once->error) << "one round says nothing of that";
}

TEST(SlowdownRounds, WhatIsBeyondWhatEntriesHoldIsTheirEnd) {
  EXPECT_EQ(SlowdownOf(std::vector<SlowdownRound>{{1, 1e9}})->slowdown, 1000);
  EXPECT_EQ(SlowdownOf(std::vector<SlowdownRound>{{1e9, 1}})->slowdown, 0.1);
}

TEST(SlowdownRounds, OfSumsCountsWhatIsRareAndLong) {
  const std::vector<SlowdownRound> rounds = {{10, 20}, {10, 20}, {0, 5}, {10, 80}};
  const auto found = SlowdownOfSums(rounds);
  ASSERT_TRUE(found);
  EXPECT_EQ(found->slowdown, 4);
  EXPECT_EQ(found->error, 0.5) << "40 known to 20, beside what is exact";
  EXPECT_EQ(SlowdownOf(rounds)->slowdown, 2);
  EXPECT_FALSE(SlowdownOfSums(std::vector<SlowdownRound>{{0, 1}}));
  TurnTimes times(2, true);
  for (const SlowdownRound& round : {rounds[0], rounds[3]}) {
    times.Add(0, round.alone);
    times.Add(1, round.beside);
  }
  EXPECT_EQ(times.Slowdown(1)->slowdown, 5);
}

TEST(TurnTimes, SetEachTurnAgainstTheFirstOfItsRound) {
  TurnTimes times(3);
  for (const double scale : {1.0, 2.0, 4.0}) {  // rounds, in any order within
    times.Add(2, 150 * scale);
    times.Add(0, 100 * scale);
    times.Add(1, 80 * scale);
  }
  EXPECT_EQ(times.Slowdown(1)->slowdown, 0.8);
  EXPECT_EQ(times.Slowdown(2)->slowdown, 1.5);
  EXPECT_EQ(times.Slowdown(2)->error, 0.0);
  times.Add(0, 100);
  times.Add(1, 900);
  times.Add(2, 900);
  EXPECT_FALSE(times.KnownTo(0.1));
  times.DropRound();
  EXPECT_TRUE(times.KnownTo(0.1)) << "as if it had not been";
}

}  // namespace
}  // namespace tandem
