// Is the measured best picked by some of the runs, and what that gains told by the others?
#include "scenarios/calibration/pick.h"

#include <gtest/gtest.h>

#include <random>

namespace tandem {
namespace {

const std::vector<std::string> kLabels = {"a", "b", "c"};

// Repeat by repeat, of each plan.
std::vector<PickedRun> Runs(const std::vector<std::vector<double>>& repeats) {
  std::vector<PickedRun> runs;
  for (std::size_t r = 0; r < repeats.size(); ++r) {
    for (std::size_t p = 0; p < repeats[r].size(); ++p) {
      runs.push_back({p, static_cast<std::int64_t>(r), repeats[r][p]});
    }
  }
  return runs;
}

TEST(Pick, TheBestByEveryOtherRunIsJudgedByTheOthers) {
  const auto runs = Runs({{100, 80, 90}, {100, 84, 80}, {100, 80, 90}, {100, 84, 80}});
  const auto pick = Pick(runs, {1, 1, 1}, 0, kLabels, Objective::kMakespan);
  ASSERT_TRUE(pick);
  EXPECT_EQ(pick->kept, "b");
  EXPECT_EQ(pick->predicted, "a");
  EXPECT_EQ(pick->choosing, 2);
  EXPECT_EQ(pick->judging, 2);
  EXPECT_NEAR(*pick->regret_before, 0.25, 1e-12);
  EXPECT_NEAR(*pick->regret_after, 0.05, 1e-12) << "by the other runs c was best";
  EXPECT_NEAR(pick->regret_before_interval->low, 0.25, 1e-9) << "nothing scatters";
  EXPECT_NEAR(pick->regret_before_interval->high, 0.25, 1e-9);
  EXPECT_NEAR(pick->regret_after_interval->high, 0.05, 1e-9);
}

TEST(Pick, WhatBreaksLimitsIsPickedOnlyWhereAllDo) {
  auto runs = Runs({{100, 80, 90}, {100, 80, 90}, {100, 80, 90}, {100, 80, 90}});
  for (PickedRun& run : runs) run.excess = run.plan == 1 ? 0.1 : 0;
  const auto pick = Pick(runs, {1, 1, 1}, 0, kLabels, Objective::kMakespan);
  EXPECT_EQ(pick->kept, "c");
  EXPECT_NEAR(*pick->regret_after, 0, 1e-12) << "whom b beats is no matter";
  EXPECT_NEAR(*pick->regret_before, 100.0 / 90 - 1, 1e-12);
  const auto of_breaker = Pick(runs, {1, 1, 1}, 1, kLabels, Objective::kMakespan);
  EXPECT_FALSE(of_breaker->regret_before) << "it is ahead, and counts for nothing";
  EXPECT_NE(
      PickText(*of_breaker).find("the predicted winner, b, breaks limits of the scenario that others keep"),
      std::string::npos)
      << PickText(*of_breaker);
  for (PickedRun& run : runs) run.excess = run.plan == 1 ? 0.1 : 0.2;
  EXPECT_EQ(Pick(runs, {1, 1, 1}, 0, kLabels, Objective::kMakespan)->kept, "b");
}

TEST(Pick, RegretsHaveIntervalsThatWidenWithNoise) {
  const auto pick_of = [](double noise) {
    const auto runs =
        Runs({{100, 80}, {100 + noise, 80}, {100, 80}, {100 - noise, 80}, {100, 80}, {100, 80}});
    return *Pick(runs, {1, 1}, 0, kLabels, Objective::kMakespan);
  };
  const PickCalibration calm = pick_of(1), noisy = pick_of(10);
  const auto width = [](const Interval& interval) { return interval.high - interval.low; };
  EXPECT_LT(width(*calm.regret_before_interval), width(*noisy.regret_before_interval));
  EXPECT_TRUE(noisy.regret_before_interval->Contains(*noisy.regret_before));
  EXPECT_NE(PickText(noisy).find(" ("), std::string::npos) << PickText(noisy);
  EXPECT_LE(width(*pick_of(0).regret_after_interval), 1e-9);
}

TEST(Pick, RegretsAreJudgedByTheirIntervals) {
  const auto text_of = [](const std::vector<std::vector<double>>& repeats) {
    return PickText(*Pick(Runs(repeats), {1, 1}, 0, kLabels, Objective::kMakespan));
  };
  const std::vector<double> usual = {100, 80};
  const std::string calm = text_of({usual, usual, usual, usual});
  EXPECT_NE(calm.find("behind the best, at most 1 % for sure; the predicted winner, a, is 25.0%"),
            std::string::npos)
      << calm;
  EXPECT_NE(calm.find(" behind, more than 1 % for sure."), std::string::npos) << calm;
  const std::string noisy = text_of({usual, {60, 80}, usual, {140, 80}, usual, {100, 80}});
  EXPECT_NE(noisy.find(" behind, which cannot tell whether that is more than 1 %."), std::string::npos)
      << noisy;
  const std::string once = text_of({usual, usual});
  EXPECT_NE(once.find("is 25.0% behind, which cannot tell whether that is more than 1 %: it takes two runs."),
            std::string::npos)
      << once;
  const PickCalibration of_one = *Pick(Runs({usual, usual}), {1, 1}, 0, kLabels, Objective::kMakespan);
  EXPECT_EQ(of_one.before(), BarVerdict::kUnknown);
}

TEST(Pick, OfEqualPlansNoneIsBehindInTheMean) {
  constexpr std::size_t kAlike = 6, kTurns = 6;
  double before = 0, after = 0;
  constexpr int kTimes = 400;
  for (int seed = 0; seed < kTimes; ++seed) {
    std::mt19937_64 random(static_cast<std::uint64_t>(seed));
    std::vector<std::vector<double>> repeats(kTurns, std::vector<double>(kAlike));
    for (auto& repeat : repeats) {
      for (double& value : repeat) value = 100 + static_cast<double>(random() % 1000) / 100;
    }
    const auto pick = Pick(Runs(repeats), std::vector<char>(kAlike, 1), 0, {"a", "b", "c", "d", "e", "f"},
                           Objective::kMakespan);
    before += *pick->regret_before / kTimes;
    after += *pick->regret_after / kTimes;
  }
  EXPECT_NEAR(before, 0, 0.004) << "the best of the runs that judge would be 4 % ahead, by luck";
  EXPECT_NEAR(after, 0, 0.004);
}

TEST(Pick, WhatMayNotBePickedIsNeitherPickedNorTheBest) {
  const auto runs = Runs({{100, 80, 90}, {100, 80, 90}});
  const auto pick = Pick(runs, {1, 0, 1}, 0, kLabels, Objective::kMakespan);
  EXPECT_EQ(pick->kept, "c");
  EXPECT_EQ(*pick->regret_after, 0);
  EXPECT_FALSE(Pick(runs, {0, 0, 0}, 0, kLabels, Objective::kMakespan));
  EXPECT_FALSE(Pick({}, {1, 1, 1}, 0, kLabels, Objective::kMakespan));
}

TEST(Pick, OneRunOfEachSaysNothingOfWhatItGains) {
  const auto pick = Pick(Runs({{100, 80, 90}}), {1, 1, 1}, 0, kLabels, Objective::kMakespan);
  EXPECT_EQ(pick->kept, "b");
  EXPECT_FALSE(pick->regret_before);
  EXPECT_FALSE(pick->regret_after);
  EXPECT_FALSE(pick->regret_before_interval);
  EXPECT_FALSE(pick->regret_after_interval);
  EXPECT_NE(PickText(*pick).find("no runs are left"), std::string::npos);
}

TEST(Pick, MoreIsBetterWhereTheObjectiveSaysSo) {
  const auto pick = Pick(Runs({{100, 80}, {120, 100}}), {1, 1}, 1, kLabels, Objective::kThroughput);
  EXPECT_EQ(pick->kept, "a");
  EXPECT_DOUBLE_EQ(*pick->regret_before, 0.2);
  EXPECT_EQ(*pick->regret_after, 0);
}

}  // namespace
}  // namespace tandem
