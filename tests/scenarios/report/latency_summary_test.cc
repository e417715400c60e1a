// Are percentiles nearest-rank and means exact, over one list and over several?
#include <gtest/gtest.h>

#include "scenarios/report/latency_summary.h"

namespace tandem {
namespace {

std::deque<Nanos> UpTo(std::int64_t last) {
  std::deque<Nanos> list;
  for (std::int64_t i = 1; i <= last; ++i) list.push_back(Nanos{i});
  return list;
}

TEST(LatencySummary, OfOneToAHundred) {
  const auto summary = Summarize(UpTo(100));
  ASSERT_TRUE(summary);
  EXPECT_EQ(summary->mean, Nanos{51});  // 50.5, halves up
  EXPECT_EQ(summary->p50, Nanos{50});
  EXPECT_EQ(summary->p90, Nanos{90});
  EXPECT_EQ(summary->p95, Nanos{95});
  EXPECT_EQ(summary->p99, Nanos{99});
  EXPECT_EQ(summary->max, Nanos{100});
}

TEST(LatencySummary, OfNothingIsNothing) {
  EXPECT_FALSE(Summarize(std::deque<Nanos>{}));
  const std::deque<Nanos> empty;
  EXPECT_FALSE(Summarize(std::vector<const std::deque<Nanos>*>{&empty, &empty}));
}

TEST(LatencySummary, OfSeveralListsIsThatOfAllTheirValues) {
  const std::deque<Nanos> odd = {Nanos{1}, Nanos{3}, Nanos{5}, Nanos{7}}, even = {Nanos{2}, Nanos{4}}, empty;
  const auto summary = Summarize(std::vector<const std::deque<Nanos>*>{&odd, &empty, &even});
  ASSERT_TRUE(summary);
  EXPECT_EQ(summary->mean, Nanos{4});  // 22 / 6 = 3.67
  EXPECT_EQ(summary->p50, Nanos{3});
  EXPECT_EQ(summary->p90, Nanos{7});
  EXPECT_EQ(summary->max, Nanos{7});
}

TEST(LatencySummary, MeanOfLongTimesDoesNotOverflow) {
  const Nanos longest{(std::int64_t{1} << 53) - 1};
  const auto summary = Summarize(std::deque<Nanos>(5000, longest));
  EXPECT_EQ(summary->mean, longest);
  EXPECT_EQ(summary->p50, longest);
}

TEST(LatencySummary, MeanRoundsToTheNearest) {
  EXPECT_EQ(Summarize({Nanos{1}, Nanos{1}, Nanos{2}})->mean, Nanos{1});
  EXPECT_EQ(Summarize({Nanos{1}, Nanos{2}, Nanos{2}})->mean, Nanos{2});
  EXPECT_EQ(Summarize({Nanos{0}, Nanos{0}})->mean, Nanos{0});
}

}  // namespace
}  // namespace tandem
