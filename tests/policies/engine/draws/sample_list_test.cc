// Do draws from few samples reach beyond them and keep their mean, and is the mean as sure as it should be?
#include "policies/engine/draws/sample_list.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

namespace tandem {
namespace {

SampleList ListOf(const std::vector<double>& values) {
  std::vector<Nanos> samples;
  for (const double value : values) samples.emplace_back(static_cast<std::int64_t>(value));
  return std::make_shared<const std::vector<Nanos>>(samples);
}

// Around 10000, each by itself.
std::vector<double> Noise(std::size_t count, std::uint64_t seed, double spread = 1000) {
  const Luck luck(seed, 0);
  std::vector<double> values;
  for (std::size_t i = 0; i < count; ++i) values.push_back(10'000 + spread * luck.Normal(i));
  return values;
}

TEST(Luck, HasTheMomentsOfItsDistributions) {
  const Luck luck(3, 4);
  double normal = 0, squares = 0, beyond = 0, exponential = 0;
  constexpr int kDraws = 100'000;
  for (int i = 0; i < kDraws; ++i) {
    const auto what = static_cast<std::uint64_t>(i);
    normal += luck.Normal(what);
    squares += luck.Normal(what) * luck.Normal(what);
    beyond += std::abs(luck.Student(what, 3)) > 2.3534 ? 1 : 0;  // its 95 % quantile
    exponential += luck.Exponential(what);
  }
  EXPECT_NEAR(normal / kDraws, 0, 0.01);
  EXPECT_NEAR(squares / kDraws, 1, 0.015);
  EXPECT_NEAR(beyond / kDraws, 0.1, 0.004);
  EXPECT_NEAR(exponential / kDraws, 1, 0.01);
}

TEST(DrawnSamples, AFittedTailKeepsTheMeanAndExceedsTheGreatest) {
  for (const std::size_t count : {3u, 20u, 100u}) {
    const std::vector<double> values = Noise(count, count);
    const DrawnSamples samples(ListOf(values));
    const double greatest = *std::max_element(values.begin(), values.end());
    double of_samples = 0, sum = 0, draws = 0;
    int beyond = 0;
    for (const double value : values) of_samples += std::floor(value) / static_cast<double>(count);
    for (std::uint64_t draw = 0; draw < 20'000; ++draw, ++draws) {
      const double drawn = samples.At(draw % count, Luck(1, draw), draw);
      sum += drawn;
      beyond += drawn > greatest ? 1 : 0;
    }
    EXPECT_NEAR(sum / draws / of_samples, 1, 0.003) << count;
    EXPECT_GT(beyond, 0) << count;
  }
}

TEST(DrawnSamples, ManySamplesAreDrawnAsTheyAre) {
  const std::vector<double> values = Noise(DrawnSamples::kManySamples, 1);
  const DrawnSamples samples(ListOf(values));
  for (std::size_t i = 0; i < values.size(); ++i)
    EXPECT_EQ(samples.At(i, Luck(1, i), i), std::floor(values[i]));
}

TEST(DrawnSamples, WithoutOrderInTimeEachIsDrawnByItself) {
  std::vector<double> values = Noise(100, 5);
  EXPECT_EQ(DrawnSamples(ListOf(values)).block(), 10u);
  std::sort(values.begin(), values.end());
  EXPECT_EQ(DrawnSamples(ListOf(values)).block(), 1u);
  EXPECT_EQ(DrawnSamples(ListOf(values), true).block(), 10u) << "who knows that it is the order of time";
  EXPECT_EQ(DrawnSamples(ListOf(Noise(10, 5))).block(), 1u);
}

// From 1000 on, or down to it, by so much each.
std::vector<double> Steps(std::size_t count, double step, bool rising) {
  std::vector<double> values;
  for (std::size_t i = 0; i < count; ++i) {
    values.push_back(1000 + step * static_cast<double>(rising ? i : count - 1 - i));
  }
  return values;
}

TEST(DrawnSamples, ARisingDriftMakesTheMeanAsUnsureAsAFallingOne) {
  const Luck luck(1, 2);
  for (const bool rising : {true, false}) {
    // Six blocks of five, of means 1020, 1070, ... 1270: squares 43750, / 5 / 6 = 1458.333, its
    // root 38.18813.
    const DrawnSamples thirty(ListOf(Steps(30, 10, rising)));
    EXPECT_NEAR(thirty.MeanFactor(luck, 1), 1 + 38.18813 / 1145 * luck.Student(1, 5), 1e-7) << rising;
    // Five blocks of three, of means 1020, 1080, ... 1260: squares 36000, / 4 / 5 = 1800, its root 42.42641.
    const DrawnSamples fifteen(ListOf(Steps(15, 20, rising)));
    EXPECT_NEAR(fifteen.MeanFactor(luck, 1), 1 + 42.42641 / 1140 * luck.Student(1, 4), 1e-7) << rising;
  }
}

TEST(DrawnSamples, NineAreTheFewestThatShowADrift) {
  const Luck luck(1, 2);
  // Three blocks of three, of means 1020, 1080 and 1140: squares 7200, / 2 / 3 = 1200, its root 34.64102.
  EXPECT_NEAR(DrawnSamples(ListOf(Steps(9, 20, true))).MeanFactor(luck, 1),
              1 + 34.64102 / 1080 * luck.Student(1, 2), 1e-7);
  // Each by itself: squares 400 x 42 = 16800, / 7 / 8 = 300, its root 17.32051.
  EXPECT_NEAR(DrawnSamples(ListOf(Steps(8, 20, true))).MeanFactor(luck, 1),
              1 + 17.32051 / 1070 * luck.Student(1, 7), 1e-7);
}

TEST(DrawnSamples, FewScatterNoLessThanOthersDo) {
  const Luck luck(1, 2);
  const DrawnSamples::Scatter others{0.02, 9};
  DrawnSamples alike(ListOf({1000, 1000})), apart(ListOf({900, 1100})), enough(ListOf(Steps(5, 0, true)));
  EXPECT_TRUE(alike.agree_by_chance());
  EXPECT_FALSE(apart.agree_by_chance());
  EXPECT_FALSE(enough.agree_by_chance());
  for (DrawnSamples* const samples : {&alike, &apart, &enough}) samples->ScatterLikeOthers(others);
  EXPECT_NEAR(alike.MeanFactor(luck, 1), 1 + 0.02 / std::sqrt(2) * luck.Student(1, 9), 1e-12);
  EXPECT_FALSE(alike.agree_by_chance());
  // They are 141.42 off each other's mean in the root of squares, which is 100 for the mean of two.
  EXPECT_NEAR(apart.MeanFactor(luck, 1), std::clamp(1 + 0.1 * luck.Student(1, 1), 0.2, 5.0), 1e-12);
  EXPECT_EQ(enough.MeanFactor(luck, 1), 1);
  const DrawnSamples::Scatter two = DrawnSamples::ScatterOf({Nanos{900}, Nanos{1100}});
  EXPECT_NEAR(two.deviation, std::sqrt(2) / 10, 1e-12);
  EXPECT_EQ(two.degrees, 1);
}

// How often the true mean lies within the middle 90 % of the means that draws take for possible.
double MeansCovered(std::size_t count, double carry) {
  int covered = 0;
  constexpr int kProfiles = 1000;
  for (std::uint64_t profile = 0; profile < kProfiles; ++profile) {
    const Luck luck(profile, 0);
    std::vector<double> values;
    double state = luck.Normal(999'999);
    for (std::size_t i = 0; i < count; ++i) {
      state = carry * state + std::sqrt(1 - carry * carry) * luck.Normal(i);
      values.push_back(10'000 + 500 * state);
    }
    const DrawnSamples samples(ListOf(values));
    double mean = 0;
    for (const double value : values) mean += value / static_cast<double>(count);
    std::vector<double> means;
    for (std::uint64_t draw = 1; draw <= 199; ++draw) {
      means.push_back(mean * samples.MeanFactor(Luck(profile, draw), 1));
    }
    std::sort(means.begin(), means.end());
    covered += means[9] <= 10'000 && 10'000 <= means[189] ? 1 : 0;
  }
  return covered / static_cast<double>(kProfiles);
}

TEST(DrawnSamples, NineOfTenTrueMeansLieWithinTheDrawsOfThem) {
  EXPECT_NEAR(MeansCovered(5, 0), 0.9, 0.03);
  EXPECT_NEAR(MeansCovered(9, 0), 0.9, 0.03);
  EXPECT_NEAR(MeansCovered(15, 0), 0.9, 0.03);
  EXPECT_NEAR(MeansCovered(50, 0), 0.9, 0.03);
  EXPECT_NEAR(MeansCovered(201, 0), 0.9, 0.03);
}

TEST(DrawnSamples, DisturbancesThatLastMakeTheMeanLessSure) {
  EXPECT_NEAR(MeansCovered(201, 0.7), 0.88, 0.04);
}

}  // namespace
}  // namespace tandem
