// Are means, quantiles, their intervals and comparisons what statistics books say?
#include "scenarios/report/replication.h"

#include <gtest/gtest.h>

#include <nlohmann/json.hpp>
#include <random>

#include "scenarios/report/json.h"
#include "scenarios/report/table.h"
#include "tests/support/hand_made_run.h"

namespace tandem {
namespace {

TEST(StudentQuantile, IsThatOfTheTables) {
  EXPECT_NEAR(StudentQuantile(0.95, 1), 6.3138, 1e-4);
  EXPECT_NEAR(StudentQuantile(0.95, 2), 2.9200, 1e-4);
  EXPECT_NEAR(StudentQuantile(0.95, 7), 1.8946, 1e-4);
  EXPECT_NEAR(StudentQuantile(0.975, 1), 12.7062, 1e-4);
  EXPECT_NEAR(StudentQuantile(0.975, 9), 2.2622, 1e-4);
  EXPECT_NEAR(StudentQuantile(0.975, 30), 2.0423, 1e-4);
  EXPECT_NEAR(StudentQuantile(0.975, 31), 2.0395, 1e-4);
  EXPECT_NEAR(StudentQuantile(0.975, 120), 1.9799, 1e-4);
  EXPECT_NEAR(StudentQuantile(0.975, 100000), 1.9600, 2e-3);
  EXPECT_NEAR(StudentQuantile(0.5, 3), 0, 1e-9);
}

TEST(MeanEstimate, OfFiveNumbersByHand) {
  const std::vector<double> samples = {2, 4, 4, 6, 9};
  const Estimate estimate = MeanEstimate(samples, 0.95);
  EXPECT_EQ(estimate.value, 5);
  // Variance 28 / 4 = 7, standard error sqrt(7 / 5) = 1.18322, t of 4 degrees 2.7764.
  ASSERT_TRUE(estimate.interval);
  EXPECT_NEAR(estimate.interval->low, 5 - 3.28509, 1e-4);
  EXPECT_NEAR(estimate.interval->high, 5 + 3.28509, 1e-4);
  EXPECT_NEAR(MeanEstimate(samples).interval->high, 5 + 1.18322 * 2.1318, 1e-4) << "90 % unless it is said";
}

TEST(MeanEstimate, OfOneNumberHasNoInterval) {
  const Estimate estimate = MeanEstimate(std::vector<double>{7});
  EXPECT_EQ(estimate.value, 7);
  EXPECT_FALSE(estimate.interval);
}

std::vector<double> NumbersUpTo(int last) {
  std::vector<double> samples;
  for (int i = 1; i <= last; ++i) samples.push_back(i);
  return samples;
}

TEST(QuantileEstimate, MedianIsBetweenTheOrderStatisticsOfTheSignTest) {
  // The classical table: n = 10 gives the 2nd and 9th, n = 20 the 6th and 15th, n = 100 the 40th and 61st.
  EXPECT_EQ(QuantileEstimate(NumbersUpTo(10), 0.5, 0.95).interval->low, 2);
  EXPECT_EQ(QuantileEstimate(NumbersUpTo(10), 0.5, 0.95).interval->high, 9);
  EXPECT_EQ(QuantileEstimate(NumbersUpTo(20), 0.5, 0.95).interval->low, 6);
  EXPECT_EQ(QuantileEstimate(NumbersUpTo(20), 0.5, 0.95).interval->high, 15);
  EXPECT_EQ(QuantileEstimate(NumbersUpTo(100), 0.5, 0.95).interval->low, 40);
  EXPECT_EQ(QuantileEstimate(NumbersUpTo(100), 0.5, 0.95).interval->high, 61);
  EXPECT_EQ(QuantileEstimate(NumbersUpTo(100), 0.5, 0.95).value, 50);
}

TEST(QuantileEstimate, NeedsSixSamplesForTheMedianAndMoreForTheTail) {
  EXPECT_FALSE(QuantileEstimate(NumbersUpTo(5), 0.5, 0.95).interval);
  ASSERT_TRUE(QuantileEstimate(NumbersUpTo(6), 0.5, 0.95).interval);
  EXPECT_EQ(QuantileEstimate(NumbersUpTo(6), 0.5, 0.95).interval->low, 1);
  EXPECT_EQ(QuantileEstimate(NumbersUpTo(6), 0.5, 0.95).interval->high, 6);
  EXPECT_FALSE(QuantileEstimate(NumbersUpTo(4), 0.5, 0.9).interval);
  EXPECT_TRUE(QuantileEstimate(NumbersUpTo(5), 0.5, 0.9).interval) << "a less sure one needs fewer";
  EXPECT_FALSE(QuantileEstimate(NumbersUpTo(100), 0.99, 0.95).interval);
  EXPECT_TRUE(QuantileEstimate(NumbersUpTo(1000), 0.99, 0.95).interval);
}

TEST(QuantileEstimate, OfManySamplesDoesNotUnderflow) {
  const auto estimate = QuantileEstimate(NumbersUpTo(100'000), 0.5, 0.95);  // 0.5^100000 is below any double
  ASSERT_TRUE(estimate.interval);
  EXPECT_NEAR(estimate.interval->low, 50'000 - 310, 3);  // normal approximation: 1.96 sqrt(n) / 2
  EXPECT_NEAR(estimate.interval->high, 50'001 + 310, 3);
}

// A law: intervals cover the true value about as often as they promise.
TEST(Intervals, CoverTheTruth) {
  std::mt19937_64 bits(1);
  int mean_covers = 0, median_covers = 0;
  constexpr int kTrials = 1000;
  for (int trial = 0; trial < kTrials; ++trial) {
    std::vector<double> samples;
    for (int i = 0; i < 15; ++i) samples.push_back(static_cast<double>(bits() >> 11) * 0x1p-53);
    mean_covers += MeanEstimate(samples, 0.95).interval->Contains(0.5) ? 1 : 0;
    median_covers += QuantileEstimate(samples, 0.5, 0.95).interval->Contains(0.5) ? 1 : 0;
  }
  EXPECT_NEAR(mean_covers, 950, 25);
  EXPECT_GE(median_covers, 950 - 15);
  EXPECT_LE(median_covers, 985);
}

TEST(Compare, CountsTheRunsInWhichNoneWasBetter) {
  const Comparison comparison = Compare({{1, 5, 3, 2}, {2, 4, 3, 9}}, false);
  EXPECT_EQ(comparison.best, 0u);  // means 2.75 and 4.5
  EXPECT_EQ(comparison.standings[0].win_probability, 0.75);
  EXPECT_EQ(comparison.standings[1].win_probability, 0.5) << "one of them alike";
  EXPECT_EQ(comparison.standings[1].tied, true);  // differences 1, -1, 0, 7
}

TEST(Compare, CommonRandomNumbersTellApartWhatMeansAloneCouldNot) {
  // Both vary much more than they differ, but always in the same direction.
  const Comparison comparison = Compare({{10, 20, 30, 40}, {11, 21.5, 31, 41.5}}, false);
  EXPECT_EQ(comparison.best, 0u);
  EXPECT_EQ(comparison.standings[1].tied, false);
  EXPECT_DOUBLE_EQ(comparison.standings[1].difference.value, 1.25);
  EXPECT_EQ(comparison.standings[0].win_probability, 1);
}

TEST(Compare, HigherIsBetterWhereItIs) {
  EXPECT_EQ(Compare({{1, 1}, {2, 2}}, true).best, 1u);
  EXPECT_EQ(Compare({{1, 1}, {2, 2}}, false).best, 0u);
}

TEST(Compare, EqualPoliciesAreTiedAndOneReplicationTellsNothing) {
  EXPECT_EQ(Compare({{3, 4}, {3, 4}}, false).standings[1].tied, true);
  const Comparison once = Compare({{3}, {4}}, false);
  for (const Standing& standing : once.standings) {
    EXPECT_FALSE(standing.tied);
    EXPECT_FALSE(standing.win_probability);
    EXPECT_FALSE(standing.difference.interval);
  }
  EXPECT_EQ(once.standings[1].difference.value, 1);
}

// Of runs from 20 to 22 ms, from 4 to 6 inferences a second.
Report Replicated() {
  Report report = MakeRun().MakeReport();
  ReplicationReport all;
  all.runs = 7;
  all.objective = all.makespan = Estimate{21e6, Interval{20e6, 22e6}};
  all.throughput_per_s = Estimate{5, Interval{4, 6}};
  all.missed = Estimate{3, Interval{1.5, 4.5}};
  report.replications = all;
  return report;
}

TEST(ReplicationTable, HasTheMeansOfOtherFiguresWhereThereIsRoom) {
  const std::string wide = ReplicationTable({Replicated()}, 200),
                    narrow = ReplicationTable({Replicated()}, 80);
  EXPECT_NE(wide.find("inf/s     +-  missed     +-\n"), std::string::npos) << wide;
  EXPECT_NE(wide.find("5.000  1.000   3.000  1.500\n"), std::string::npos) << wide;
  EXPECT_EQ(wide.find("--wide"), std::string::npos) << wide;
  EXPECT_EQ(narrow.find("5.000  1.000"), std::string::npos) << narrow;
  EXPECT_NE(narrow.find("--wide shows the means of others, too: inf/s, missed\n"), std::string::npos)
      << narrow;
}

TEST(ReplicationTable, OfOneRunNamesNoWinner) {
  std::vector<Report> reports = {Replicated(), Replicated()};
  const Comparison once = Compare({{3}, {4}}, false);
  for (std::size_t i = 0; i < reports.size(); ++i) {
    reports[i].replications->runs = 1;
    reports[i].replications->standing = once.standings[i];
  }
  const std::string table = ReplicationTable(reports, 200);
  EXPECT_NE(table.find("\none run cannot tell who wins\n"), std::string::npos) << table;
  EXPECT_EQ(table.find("* "), std::string::npos) << table;
  const auto json = nlohmann::json::parse(ReportJson(reports[0]))["replications"];
  EXPECT_TRUE(json["tied"].is_null());
  EXPECT_TRUE(json["win_probability"].is_null());
}

TEST(ReplicationJson, HasAnIntervalOfEveryMean) {
  const auto json = nlohmann::json::parse(ReportJson(Replicated()))["replications"];
  EXPECT_EQ(json["makespan_ns"], nlohmann::json::parse(R"({"value": 21e6, "low": 20e6, "high": 22e6})"));
  EXPECT_EQ(json["throughput_per_s"]["low"], 4);
  EXPECT_EQ(json["missed"]["high"], 4.5);
  EXPECT_TRUE(json["energy_j"].is_null());
}

}  // namespace
}  // namespace tandem
