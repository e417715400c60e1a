// Does scripts/soak notice latencies that drift, however much the minutes differ?
#include <gtest/gtest.h>

#include <vector>

#include "tests/bench/drift.h"

namespace tandem {
namespace {

constexpr double kMost = 0.05;

// An hour: in each third two minutes of three take what `usual` says, and the third one so much more.
std::vector<double> Hour(double before, double after, double disturbed) {
  std::vector<double> minutes;
  for (int minute = 0; minute < 60; ++minute) {
    const double usual = minute < 20 ? before : after;
    minutes.push_back(minute % 3 == 0 ? usual * disturbed : usual);
  }
  return minutes;
}

TEST(SoakDrift, IsNoneOfMinutesThatStayAsTheyAre) {
  const Drift drift = DriftOf(Hour(1, 1.01, 1), kMost);
  EXPECT_EQ(drift.verdict, DriftVerdict::kNone);
  EXPECT_NEAR(drift.middle, 0.01, 1e-9);
}

TEST(SoakDrift, IsNoticedHoweverBadSomeMinutesAre) {
  for (const double disturbed : {1.0, 1.02, 0.98}) {
    EXPECT_EQ(DriftOf(Hour(1, 1.2, disturbed), kMost).verdict, DriftVerdict::kDrifts) << disturbed;
    EXPECT_EQ(DriftOf(Hour(1.2, 1, disturbed), kMost).verdict, DriftVerdict::kDrifts) << disturbed;
  }
  std::vector<double> minutes = Hour(1, 1.2, 1);
  minutes[3] = minutes[7] = minutes[12] = 50;
  minutes[50] = 0.1;
  EXPECT_EQ(DriftOf(minutes, kMost).verdict, DriftVerdict::kDrifts);
}

TEST(SoakDrift, IsUnknownWhereMinutesDifferTooMuch) {
  std::vector<double> minutes;
  for (int minute = 0; minute < 60; ++minute) minutes.push_back(minute % 2 == 0 ? 1 : 1.5);
  const Drift drift = DriftOf(minutes, kMost);
  EXPECT_EQ(drift.verdict, DriftVerdict::kUnknown);
  EXPECT_NEAR(drift.low, 1 / 1.5 - 1, 1e-9);
  EXPECT_NEAR(drift.high, 0.5, 1e-9);
}

TEST(SoakDrift, IsNotToldOfAFewMinutes) {
  EXPECT_EQ(DriftOf(std::vector<double>(17, 1.0), kMost).verdict, DriftVerdict::kTooFew);
  EXPECT_EQ(DriftOf(std::vector<double>(18, 1.0), kMost).verdict, DriftVerdict::kNone);
  EXPECT_EQ(DriftOf({2.0}, kMost).verdict, DriftVerdict::kTooFew);
}

// By tables of the sign test.
TEST(SoakDrift, IsJudgedByTheMinutesAroundTheMedian) {
  const auto ranks = [](std::size_t count) {
    std::vector<double> values;
    for (std::size_t value = 1; value <= count; ++value) values.push_back(static_cast<double>(value));
    return AroundMedian(values);
  };
  EXPECT_EQ(ranks(6), std::pair(1.0, 6.0));
  EXPECT_EQ(ranks(9), std::pair(2.0, 8.0));
  EXPECT_EQ(ranks(20), std::pair(6.0, 15.0));
  EXPECT_EQ(ranks(1), std::pair(1.0, 1.0));
}

}  // namespace
}  // namespace tandem
