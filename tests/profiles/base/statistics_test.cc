// Are medians and percentiles always one of the values, the smaller of two in the middle?
#include "profiles/base/statistics.h"

#include <gtest/gtest.h>

namespace tandem {
namespace {

TEST(LowerMedian, IsTheSmallerOfTwoInTheMiddle) {
  EXPECT_EQ(LowerMedian(std::vector<int>{7}), 7);
  EXPECT_EQ(LowerMedian(std::vector<int>{9, 1}), 1);
  EXPECT_EQ(LowerMedian(std::vector<int>{9, 1, 5}), 5);
  EXPECT_EQ(LowerMedian(std::vector<double>{4.5, 1.5, 9.5, 2.5}), 2.5);
}

TEST(NearestRank, IsTheLeastRankThatCoversTheShare) {
  EXPECT_EQ(NearestRank(100, 9900), 99);
  EXPECT_EQ(NearestRank(101, 9900), 100);
  EXPECT_EQ(NearestRank(1, 9900), 1);
  EXPECT_EQ(NearestRank(4, 5000), 2);
  EXPECT_EQ(NearestRank(5, 5000), 3);
  EXPECT_EQ(NearestRank(1000, 9995), 1000);
  EXPECT_EQ(NearestRank(10000, 9995), 9995);
}

TEST(Percentile, IsTheValueOfTheNearestRank) {
  std::vector<int> values;
  for (int i = 100; i >= 1; --i) values.push_back(i);
  EXPECT_EQ(Percentile(values, 9900), 99);
  EXPECT_EQ(Percentile(values, 9000), 90);
  EXPECT_EQ(Percentile(values, 5000), LowerMedian(values));
  EXPECT_EQ(Percentile(std::vector<int>{3}, 9900), 3);
}

TEST(StandardErrorOfMean, IsThatOfTheDeviationOverTheRootOfTheirNumber) {
  EXPECT_DOUBLE_EQ(Mean(std::vector<double>{1, 2, 6}), 3);
  EXPECT_DOUBLE_EQ(StandardErrorOfMean(std::vector<double>{1, 2, 6}), std::sqrt(7.0 / 3));
  EXPECT_EQ(StandardErrorOfMean(std::vector<double>{5, 5}), 0);
}

}  // namespace
}  // namespace tandem
