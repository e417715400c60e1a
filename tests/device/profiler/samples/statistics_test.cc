// Do the profiler's statistics say what the samples say, and no more?
#include "device/profiler/samples/statistics.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <functional>

namespace tandem {
namespace {

// `values` in an order that is not theirs.
std::vector<Nanos> Samples(std::int64_t first, std::int64_t last) {
  std::vector<Nanos> samples;
  for (std::int64_t value = first; value <= last; ++value) samples.emplace_back(value);
  std::rotate(samples.begin(), samples.begin() + static_cast<std::ptrdiff_t>(samples.size() / 3),
              samples.end());
  return samples;
}

TEST(ProfilerStatistics, TheIntervalOfTheMedianIsTheTextbooks) {
  // Tables of the sign test give, for 95 %, the 3rd and 10th of 12, the 6th and 15th of 20, the 40th and 61st
  // of 100.
  const std::pair<std::int64_t, std::pair<int, int>> kTable[] = {
      {6, {1, 6}}, {12, {3, 10}}, {20, {6, 15}}, {100, {40, 61}}};
  for (const auto& [count, ranks] : kTable) {
    const MedianInterval interval = IntervalOfMedian(Samples(1, count));
    EXPECT_EQ(interval.low, Nanos{ranks.first}) << count;
    EXPECT_EQ(interval.high, Nanos{ranks.second}) << count;
    EXPECT_EQ(interval.median, Nanos{(count + 1) / 2}) << count;
  }
}

TEST(ProfilerStatistics, FewSamplesAreKnownNoBetterThanTheirRange) {
  for (std::int64_t count = 1; count < 6; ++count) {
    const MedianInterval interval = IntervalOfMedian(Samples(101, 100 + count));
    EXPECT_EQ(interval.low, Nanos{101});
    EXPECT_EQ(interval.high, Nanos{100 + count});
  }
}

TEST(ProfilerStatistics, ManySamplesContinueTheTable) {
  const std::size_t exact = RanksOutside(500), near = RanksOutside(501);
  EXPECT_LE(exact > near ? exact - near : near - exact, 1U);
  EXPECT_GT(RanksOutside(100'000), 49'600U);
  EXPECT_LT(RanksOutside(100'000), 49'800U);
}

TEST(ProfilerStatistics, OneOutlierDoesNotMoveTheMedianOrItsInterval) {
  std::vector<Nanos> samples = Samples(10'000, 10'029);
  const MedianInterval before = IntervalOfMedian(samples);
  *std::max_element(samples.begin(), samples.end()) = Nanos{9'000'000};
  const MedianInterval after = IntervalOfMedian(samples);
  EXPECT_EQ(before.median, after.median);
  EXPECT_EQ(before.high, after.high);
}

TEST(ProfilerStatistics, StopsWhereTheMedianIsKnownAsWellAsAsked) {
  const StopRule rule{0.01, 10};
  std::vector<Nanos> samples(9, Nanos{100'000});
  EXPECT_FALSE(KnownWell(samples, rule)) << "too few";
  samples.emplace_back(100'000);
  EXPECT_TRUE(KnownWell(samples, rule));
  for (std::size_t i = 0; i < samples.size(); ++i) samples[i] += Nanos{static_cast<std::int64_t>(i) * 1000};
  EXPECT_FALSE(KnownWell(samples, rule)) << "spread over nine percent";
  EXPECT_TRUE(KnownWell(samples, {0.05, 10}));
  EXPECT_FALSE(KnownWell({}, rule));
}

TEST(ProfilerStatistics, WhatTheClockCannotTellApartIsKnownWell) {
  std::vector<Nanos> samples = Samples(300, 390);  // 91 samples, 30 % apart, but by 90 ns
  EXPECT_TRUE(KnownWell(samples, {0.001, 10}));
  EXPECT_FALSE(IsUnstable(samples, 0.001));
  EXPECT_FALSE(KnownWell(samples, {0.001, 10, Nanos{5}}));
}

TEST(ProfilerStatistics, SamplesThatDoNotComeTogetherAreUnstable) {
  std::vector<Nanos> samples(10, Nanos{100'000});
  EXPECT_FALSE(IsUnstable(samples, 0.01));
  for (std::size_t i = 0; i < 5; ++i) samples[i] = Nanos{150'000};
  EXPECT_TRUE(IsUnstable(samples, 0.01));
  EXPECT_FALSE(IsUnstable(samples, 0.5)) << "that well was enough";
}

TEST(ProfilerStatistics, ThinningKeepsTheOrderOfTimeAndBothEnds) {
  std::vector<Nanos> samples;
  for (std::int64_t i = 0; i < 1000; ++i) samples.emplace_back(i < 500 ? 1000 + i % 7 : 3000 - i);
  const std::vector<Nanos> kept = Thinned(samples);
  ASSERT_EQ(kept.size(), kMostSamplesKept);
  EXPECT_EQ(kept.front(), samples.front());
  EXPECT_EQ(kept.back(), samples.back());
  EXPECT_LT(kept[100], Nanos{1007}) << "the first half of the time is half of them";
  EXPECT_TRUE(std::is_sorted(kept.begin() + 101, kept.end(), std::greater<>())) << "as they came";
}

TEST(ProfilerStatistics, FewSamplesStayAsTheyWere) {
  const std::vector<Nanos> samples = Samples(1, 201);
  EXPECT_EQ(Thinned(samples), samples);
}

TEST(ProfilerStatistics, WhatIsKnownWellWantsNoMore) {
  const StopRule rule{0.01, 10, Nanos{0}};
  EXPECT_LE(WantOf(Samples(10'000, 10'099), rule), 1);
  EXPECT_GT(WantOf(Samples(10'000, 14'000), rule), WantOf(Samples(10'000, 12'000), rule));
  EXPECT_GT(WantOf(Samples(10'000, 10'002), rule), 1) << "they are too few";
  EXPECT_GT(WantOf({}, rule), WantOf(Samples(1, 100), rule));
}

TEST(ProfilerStatistics, TimeGoesToTheQuarterThatWantsMost) {
  const std::vector<double> wants = {1, 9, 2, 7, 0.5};
  EXPECT_EQ(WantMost(wants), (std::vector<std::size_t>{1, 3}));
  EXPECT_EQ(WantMost(std::vector<double>{3}), std::vector<std::size_t>{0});
  EXPECT_TRUE(WantMost({}).empty());
}

}  // namespace
}  // namespace tandem
