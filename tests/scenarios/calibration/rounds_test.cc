// Do intervals of policies that took turns hold what is true, whatever drifts, scatters or stands out, and is
// the regret free of the luck of those that won?
#include "scenarios/calibration/rounds.h"

#include <gtest/gtest.h>

#include <cmath>

#include "tests/support/synthetic_runs.h"

namespace tandem {
namespace {

constexpr double kProbability = 0.9;
constexpr int kSeeds = 400;

double HitsOf(const SyntheticRuns& made, std::size_t runs_of) {
  int hits = 0;
  for (int seed = 0; seed < kSeeds; ++seed) {
    const Rounds rounds(made.Samples(static_cast<std::uint64_t>(seed)), made.medians.size(), kProbability);
    hits += rounds.Median(runs_of)->Contains(made.medians[runs_of]) ? 1 : 0;
  }
  return static_cast<double>(hits) / kSeeds;
}

TEST(MedianInterval, LiesBetweenSamplesAndNeedsFiveForNinetyPercent) {
  EXPECT_FALSE(MedianInterval({1, 2, 3, 4}, kProbability).has_value());
  const auto of_five = MedianInterval({5, 1, 4, 2, 3}, kProbability);
  ASSERT_TRUE(of_five.has_value());
  EXPECT_EQ(of_five->low, 1);
  EXPECT_EQ(of_five->high, 5);
  const auto of_eight = MedianInterval({1, 2, 3, 4, 5, 6, 7, 100}, kProbability);
  EXPECT_EQ(of_eight->low, 2);
  EXPECT_EQ(of_eight->high, 7) << "one that stands out moves nothing";
}

TEST(Rounds, AnIntervalHoldsTheMedianAsOftenAsItSays) {
  for (const std::int64_t runs : {2, 3, 4, 5, 9, 20}) {
    for (const std::size_t policies : {1U, 2U, 5U}) {
      SyntheticRuns made;
      made.medians.assign(policies, 100);
      made.runs = runs;
      made.noise = 0.03;
      EXPECT_GE(HitsOf(made, 0), 0.87) << runs << " runs of " << policies;
    }
  }
}

TEST(Rounds, NoiseThatAllPoliciesOfARoundShareWidensIntervalsToo) {
  SyntheticRuns made;
  made.noise = 0.002;
  made.round_noise = 0.05;
  for (const std::int64_t runs : {3, 5, 9}) {
    made.runs = runs;
    EXPECT_GE(HitsOf(made, 1), 0.87) << runs;
  }
}

TEST(Rounds, ANoisyPolicyAmongCalmOnesIsNotJudgedByTheirNoise) {
  SyntheticRuns made;
  made.noise = 0.001;
  made.noise_of_first = 0.05;
  for (const std::int64_t runs : {5, 9}) {
    made.runs = runs;
    EXPECT_GE(HitsOf(made, 0), 0.87) << runs;
  }
}

TEST(Rounds, DriftIsTakenOut) {
  SyntheticRuns made;
  made.runs = 9;
  made.noise = 0.002;
  const auto width = [&] {
    const Interval interval = *Rounds(made.Samples(1), made.medians.size(), kProbability).Median(0);
    return interval.high / interval.low - 1;
  };
  const double calm = width();
  made.drift = 0.2;  // 20 % slower in the last round than in the first
  EXPECT_LT(width(), 0.05) << "the runs themselves differ by 20 %; between rounds it is 2.5 %";
  EXPECT_GT(width(), calm) << "yet what changes from round to round might be noise";
  const Rounds drifted(made.Samples(1), made.medians.size(), kProbability);
  const auto larger = drifted.Larger(1, 0);
  EXPECT_NEAR(larger->value, made.medians[1] / made.medians[0] - 1, 0.01);
  EXPECT_LT(larger->interval->high - larger->interval->low, 0.02) << "a comparison knows nothing of drift";
}

TEST(Rounds, OneRunThatStandsOutMovesNoMedian) {
  std::vector<RoundSample> samples;
  for (std::size_t p = 0; p < 4; ++p) {
    for (std::int64_t r = 0; r < 9; ++r) samples.push_back({p, r, 100.0 + 0.1 * static_cast<double>(r % 3)});
  }
  samples[4].value = 300;
  const Rounds rounds(samples, 4, kProbability);
  EXPECT_GT(rounds.Median(0)->low, 99);
  EXPECT_LT(rounds.Median(0)->high, 101);
  EXPECT_LT(rounds.Median(1)->high, 101);
}

TEST(Rounds, OneRunTellsNothing) {
  const Rounds rounds({{0, 0, 100}, {1, 0, 101}}, 2, kProbability);
  EXPECT_FALSE(rounds.Median(0).has_value());
  EXPECT_FALSE(rounds.Larger(0, 1).has_value());
  EXPECT_FALSE(rounds.Behind(0, {0, 1}, false).has_value());
}

TEST(Rounds, PoliciesWithoutSomeRoundsAreComparedInThoseThatTheyShare) {
  std::vector<RoundSample> samples;
  for (std::int64_t r = 0; r < 6; ++r) {
    const double machine = r < 3 ? 1 : 1.5;  // another state of it
    if (r != 1) samples.push_back({0, r, 100 * machine});
    if (r != 5) samples.push_back({1, r, 110 * machine});
    samples.push_back({2, r, 120 * machine});
  }
  const Rounds rounds(samples, 3, kProbability);
  EXPECT_NEAR(rounds.Larger(1, 0)->value, 0.1, 1e-9);
  EXPECT_NEAR(rounds.Larger(1, 0)->interval->high, 0.1, 1e-9);
}

TEST(Rounds, WhatMayBeNoneIsComparedByDifferences) {
  const Rounds rounds({{0, 0, 0}, {1, 0, 2}, {0, 1, 0}, {1, 1, 2}}, 2, kProbability);
  EXPECT_FALSE(rounds.products());
  EXPECT_EQ(rounds.Larger(1, 0)->value, 2);
  EXPECT_EQ(rounds.Median(0)->high, 0);
  EXPECT_EQ(rounds.Behind(1, {0, 1}, false)->value, 2);
}

TEST(Behind, OfEqualPoliciesCentresOnNone) {
  for (const std::int64_t runs : {2, 5, 8}) {
    SyntheticRuns made;
    made.medians.assign(6, 100);
    made.runs = runs;
    made.noise = 0.05;
    double sum = 0, squares = 0;
    int outside = 0;
    for (int seed = 0; seed < kSeeds; ++seed) {
      const Rounds rounds(made.Samples(static_cast<std::uint64_t>(seed)), 6, kProbability);
      const Estimate behind = *rounds.Behind(0, {0, 1, 2, 3, 4, 5}, false);
      sum += behind.value;
      squares += behind.value * behind.value;
      outside += behind.interval->low > 0.01 ? 1 : 0;
    }
    const double mean = sum / kSeeds, deviation = std::sqrt(squares / kSeeds);
    EXPECT_LT(std::abs(mean), 3 * deviation / std::sqrt(kSeeds) + 0.002) << runs << " runs";
    EXPECT_LE(outside, kSeeds / 10) << runs << " runs";
  }
}

TEST(Behind, SaysByHowMuchTheNamedOneLoses) {
  SyntheticRuns made;
  made.medians = {110, 100, 105};
  made.runs = 7;
  made.noise = 0.003;
  int held = 0;
  for (int seed = 0; seed < kSeeds; ++seed) {
    const Rounds rounds(made.Samples(static_cast<std::uint64_t>(seed)), 3, kProbability);
    const Estimate behind = *rounds.Behind(0, {0, 1, 2}, false);
    EXPECT_NEAR(behind.value, 0.1, 0.02);
    held += behind.interval->Contains(0.1) ? 1 : 0;
  }
  EXPECT_GE(held, kSeeds * 0.87);
  const Rounds faster(made.Samples(3), 3, kProbability);
  EXPECT_NEAR(faster.Behind(1, {0, 1, 2}, true)->value, 0.1, 0.02) << "where more is better";
}

TEST(Behind, NoiseNeverShowsThatAWinnerLosesLittle) {
  SyntheticRuns made;
  made.medians = {102, 100, 110};  // 2 % behind
  made.noise = 0.03;
  for (const std::int64_t runs : {2, 3, 5, 9}) {
    made.runs = runs;
    int within = 0;
    for (int seed = 0; seed < kSeeds; ++seed) {
      const Rounds rounds(made.Samples(static_cast<std::uint64_t>(seed)), 3, kProbability);
      within += rounds.Behind(0, {0, 1, 2}, false)->interval->high <= 0.01 ? 1 : 0;
    }
    EXPECT_LE(within, kSeeds * 0.06) << runs;
  }
}

}  // namespace
}  // namespace tandem
