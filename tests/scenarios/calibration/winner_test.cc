// Who has won on the device, when is the predicted winner wrong, and what do limits and ties change?
#include <gtest/gtest.h>

#include "tests/support/calibrated_policies.h"

namespace tandem {
namespace {

TEST(MeasuredWinner, OneRunCannotTellThatAWinnerIsWrong) {
  const auto one = CompareWinners({MeasuredPolicy("a", 101, {100}), MeasuredPolicy("b", 99, {130})}, {});
  EXPECT_EQ(one.predicted, 1U);
  EXPECT_EQ(one.measured, 0U);
  EXPECT_FALSE(one.regret.has_value()) << "no run is left that did not choose";
  EXPECT_EQ(one.verdict, BarVerdict::kUnknown);
  EXPECT_FALSE(one.spread.has_value());
  EXPECT_EQ(one.pairs, 0) << "nor can it tell pairs apart";
  EXPECT_FALSE(one.kendall_tau.has_value());

  const auto two =
      CompareWinners({MeasuredPolicy("a", 101, {100, 101}), MeasuredPolicy("b", 99, {130, 131})}, {});
  EXPECT_NEAR(*two.regret, 0.3, 0.01);
  EXPECT_EQ(two.verdict, BarVerdict::kOutside);
}

TEST(MeasuredWinner, WhatMeasuresAlikeIsNeverWrongAndThePredictedOneWins) {
  const auto even =
      CompareWinners({MeasuredPolicy("a", 101, {100, 100}), MeasuredPolicy("b", 99, {100, 100})}, {});
  EXPECT_EQ(even.predicted, 1U);
  EXPECT_EQ(even.measured, 1U);
  EXPECT_EQ(even.regret, 0.0);
  EXPECT_EQ(even.verdict, BarVerdict::kWithin);
}

TEST(MeasuredWinner, TheWinnerIsWrongWhereItLosesMoreThanTheBarForSure) {
  // b is 4 % behind a; from round to round that differs by little, then by much.
  const auto sure = CompareWinners(
      {MeasuredPolicy("a", 101, {1000, 1102, 1000, 1001}), MeasuredPolicy("b", 99, {1040, 1145, 1041, 1040})},
      {});
  EXPECT_EQ(sure.predicted, 1U);
  EXPECT_EQ(sure.measured, 0U);
  EXPECT_NEAR(*sure.regret, 0.04, 0.002) << "a round in which both are slow changes nothing";
  EXPECT_EQ(sure.verdict, BarVerdict::kOutside);
  EXPECT_EQ(sure.kendall_tau, -1.0);
  EXPECT_EQ(sure.pairs, 1);

  const auto unsure = CompareWinners(
      {MeasuredPolicy("a", 101, {1000, 1090, 1000, 1050}), MeasuredPolicy("b", 99, {1040, 1040, 1100, 1040})},
      {});
  EXPECT_EQ(unsure.verdict, BarVerdict::kUnknown);
  EXPECT_FALSE(unsure.kendall_tau.has_value()) << "the one pair is not told apart";
}

TEST(MeasuredWinner, WhoBreaksLimitsOnTheDeviceIsNotItsWinner) {
  const std::vector<std::int64_t> fast = {100, 100, 100, 100, 100}, slow = {150, 150, 150, 150, 150};
  const auto compare = [&](const std::vector<double>& of_fast, const std::vector<double>& of_slow) {
    return CompareWinners(
        {LimitedPolicy("fast", 100, fast, of_fast), LimitedPolicy("slow", 150, slow, of_slow)}, {});
  };
  const std::vector<double> none(5, 0.0), much(5, 0.5);
  const auto kept = compare(none, none);
  EXPECT_EQ(kept.measured, 0U);
  EXPECT_EQ(kept.limits, BarVerdict::kWithin);
  EXPECT_EQ(kept.verdict, BarVerdict::kWithin);

  const auto broken = compare(much, none);
  EXPECT_EQ(broken.predicted, 0U);
  EXPECT_EQ(broken.measured, 1U) << "it is slower, and keeps the limits";
  EXPECT_EQ(broken.limits, BarVerdict::kOutside);
  EXPECT_EQ(broken.verdict, BarVerdict::kOutside);

  EXPECT_EQ(compare(much, much).verdict, BarVerdict::kWithin) << "nobody keeps them better";
  EXPECT_EQ(broken.runs.needed, std::nullopt);
  EXPECT_EQ(compare(none, much).verdict, BarVerdict::kWithin);

  const auto now_and_then = compare({0, 0.5, 0, 0.5, 0}, none);
  EXPECT_EQ(now_and_then.measured, 0U);
  EXPECT_EQ(now_and_then.limits, BarVerdict::kUnknown);
  EXPECT_EQ(now_and_then.verdict, BarVerdict::kUnknown) << "noise makes nothing right";
}

TEST(MeasuredWinner, LimitsAreJudgedByIntervalsOnBothSides) {
  const std::vector<std::int64_t> fast(5, 100), slow(5, 150);
  const auto compare = [&](const std::vector<double>& of_named, const std::vector<double>& of_other,
                           bool named_is_slow = false) {
    return CompareWinners({LimitedPolicy("named", 100, named_is_slow ? slow : fast, of_named),
                           LimitedPolicy("other", 150, named_is_slow ? fast : slow, of_other)},
                          {});
  };
  EXPECT_EQ(compare({.09, .1, .11, .1, .1}, {1, 1, 1, 1, 1}).limits, BarVerdict::kWithin)
      << "nobody keeps them, and it breaks them the least for sure";
  EXPECT_EQ(compare({.2, .1, .3, .2, .2}, {.1, .2, .1, .3, .1}).limits, BarVerdict::kUnknown)
      << "they scatter alike";
  const auto loses = compare({0, 0, 0, 0, 0}, {0, 0, .01, .01, .01}, true);
  EXPECT_EQ(loses.measured, 0U);
  EXPECT_EQ(loses.verdict, BarVerdict::kUnknown) << "who is faster by half may keep them";
  EXPECT_EQ(compare({0, 0, 0, 0, 0}, {0, 0, 0, 0, 0}, true).verdict, BarVerdict::kOutside);
}

TEST(MeasuredWinner, DisturbedRunsCannotTellThatLimitsAreBroken) {
  PolicyCalibration named =
      LimitedPolicy("named", 100, {100, 100, 100, 100, 100}, std::vector<double>(5, 0.2));
  for (PolicyCalibration::Run& run : named.runs) run.disturbed = true;
  const auto winner = CompareWinners(
      {named, LimitedPolicy("other", 150, {150, 150, 150, 150, 150}, std::vector<double>(5, 0.0))}, {});
  EXPECT_EQ(winner.limits, BarVerdict::kUnknown);
  EXPECT_NE(winner.verdict, BarVerdict::kOutside);
}

TEST(MeasuredWinner, WhoseOutputsAreWrongIsNeverTheWinner) {
  std::vector<PolicyCalibration> policies = {MeasuredPolicy("fast", 50, {50, 50, 50, 50, 50}),
                                             MeasuredPolicy("slow", 100, {100, 100, 100, 100, 100}),
                                             MeasuredPolicy("slower", 120, {120, 120, 120, 120, 120})};
  policies[0].correct = false;
  const auto predicted = CompareWinners(policies, {});
  EXPECT_EQ(predicted.predicted, 0U);
  EXPECT_EQ(predicted.measured, 1U);
  EXPECT_EQ(predicted.verdict, BarVerdict::kUnknown) << "its times say nothing, good or bad";
  EXPECT_EQ(predicted.pairs, 1) << "of the other two";

  policies[1].named = true;
  const auto rival = CompareWinners(policies, {});
  EXPECT_EQ(rival.predicted, 1U);
  EXPECT_EQ(rival.measured, 1U);
  EXPECT_EQ(rival.verdict, BarVerdict::kWithin) << "nobody loses to what is wrong";
}

TEST(MeasuredWinner, AnotherThatBreaksLimitsIsNoBetterWinner) {
  // The named one loses to one that breaks limits, and to nobody else.
  const auto winner =
      CompareWinners({LimitedPolicy("named", 100, {150, 150, 150, 150, 150}, std::vector<double>(5, 0.0)),
                      LimitedPolicy("other", 110, {100, 100, 100, 100, 100}, std::vector<double>(5, 1.0))},
                     {});
  EXPECT_EQ(winner.measured, 0U);
  EXPECT_EQ(winner.regret, 0.0);
  EXPECT_EQ(winner.verdict, BarVerdict::kWithin);
}

TEST(MeasuredWinner, FewRunsCannotTellThatLimitsAreKept) {
  const auto winner = CompareWinners(
      {LimitedPolicy("a", 100, {100, 100}, {0, 0}), LimitedPolicy("b", 110, {150, 150}, {0, 0})}, {});
  EXPECT_EQ(winner.limits, BarVerdict::kUnknown);
  EXPECT_EQ(winner.verdict, BarVerdict::kUnknown);
  EXPECT_FALSE(
      CompareWinners({MeasuredPolicy("a", 1, {100, 100}), MeasuredPolicy("b", 2, {150, 150})}, {}).limits);
}

TEST(MeasuredWinner, AWinnerThatLosesLessThanTheBarIsRight) {
  const auto winner = CompareWinners(
      {MeasuredPolicy("a", 101, {10000, 10001, 10000}), MeasuredPolicy("b", 99, {10051, 10050, 10050})}, {});
  EXPECT_EQ(winner.measured, 0U);
  EXPECT_NEAR(*winner.regret, 0.005, 1e-4);
  EXPECT_EQ(winner.verdict, BarVerdict::kWithin);
}

TEST(MeasuredWinner, WhereMoreIsBetterRegretIsWhatIsMissedOfTheBest) {
  const auto winner = CompareWinners({MeasuredPolicy("a", 10, {8, 8}), MeasuredPolicy("b", 9, {12, 12})},
                                     Objective::kThroughput);
  EXPECT_EQ(winner.predicted, 0U);
  EXPECT_EQ(winner.measured, 1U);
  EXPECT_NEAR(*winner.regret, 0.5, 1e-12);
}

TEST(MeasuredWinner, AnObjectiveOfNoneMayBeMissedButNotDivided) {
  const auto same = CompareWinners(
      {MeasuredPolicy("a", 0, {0, 0, 0, 0, 0}), MeasuredPolicy("b", 3, {0, 0, 0, 0, 0})}, Objective::kMisses);
  EXPECT_EQ(same.regret, 0.0);
  EXPECT_EQ(same.verdict, BarVerdict::kWithin);
  const auto missed = CompareWinners(
      {MeasuredPolicy("a", 0, {2, 2, 2, 2, 2}), MeasuredPolicy("b", 3, {0, 0, 0, 0, 0})}, Objective::kMisses);
  EXPECT_FALSE(missed.regret.has_value());
  EXPECT_EQ(missed.verdict, BarVerdict::kOutside);
}

TEST(MeasuredWinner, FewCountsThatAreAlikeByChanceTellNothing) {
  for (const std::size_t runs : {2U, 4U}) {
    for (const std::int64_t missed : {2, 0}) {
      for (const std::int64_t of_other : {0, 1}) {
        const auto winner =
            CompareWinners({MeasuredPolicy("a", 0, std::vector<std::int64_t>(runs, missed)),
                            MeasuredPolicy("b", 3, std::vector<std::int64_t>(runs, of_other))},
                           Objective::kMisses);
        EXPECT_EQ(winner.verdict, BarVerdict::kUnknown)
            << runs << " runs of " << missed << " and " << of_other;
        EXPECT_EQ(winner.pairs, 0);
      }
    }
  }
  CalibrationReport report;
  report.objective = Objective::kMisses;
  report.policies = {MeasuredPolicy("a", 5, {3, 3})};
  Judge(report);
  EXPECT_EQ(report.policies[0].of_objective.verdict, BarVerdict::kUnknown);
  EXPECT_EQ(report.policies[0].of_makespan.verdict, BarVerdict::kOutside) << "times are not alike by chance";
}

TEST(MeasuredWinner, WhatIsShownBesideNeverWins) {
  PolicyCalibration beside = MeasuredPolicy("best", 50, {50});
  beside.beside = true;
  const auto winner =
      CompareWinners({beside, MeasuredPolicy("a", 70, {70, 70}), MeasuredPolicy("b", 80, {80, 80})}, {});
  EXPECT_EQ(winner.predicted, 1U);
  EXPECT_EQ(winner.measured, 1U);
  EXPECT_EQ(winner.pairs, 1);
}

TEST(MeasuredWinner, OfEqualPredictionsTheFirstIsNamed) {
  const auto winner =
      CompareWinners({MeasuredPolicy("a", 70, {90, 90}), MeasuredPolicy("b", 70, {80, 80})}, {});
  EXPECT_EQ(winner.predicted, 0U);
  EXPECT_EQ(winner.kendall_tau, 0.0) << "a tie in the prediction is neither right nor wrong";
}

TEST(MeasuredWinner, TheWinnerIsWhoWasNamedEvenWhereAnotherIsPredictedBetter) {
  std::vector<PolicyCalibration> policies = {MeasuredPolicy("best", 100, {100, 100}),
                                             MeasuredPolicy("fcfs", 102, {103, 103})};
  policies[1].named = true;
  const auto winner = CompareWinners(policies, {});
  EXPECT_EQ(winner.predicted, 1U);
  EXPECT_EQ(winner.measured, 0U);
  EXPECT_EQ(winner.instead_of, 0U);
  EXPECT_EQ(winner.verdict, BarVerdict::kOutside) << "it loses 3 %";

  policies[1].runs.clear();
  const auto other = CompareWinners(policies, {});
  EXPECT_EQ(other.predicted, 0U) << "who was named was not measured";
  EXPECT_FALSE(other.instead_of.has_value());
}

TEST(MeasuredWinner, TauCountsPairsThatTheMeasurementTellsApart) {
  // a and b change places from round to round; a-c and b-c are told apart, one of them as predicted.
  const auto winner =
      CompareWinners({MeasuredPolicy("a", 100, {100, 103, 100}), MeasuredPolicy("b", 130, {102, 101, 101}),
                      MeasuredPolicy("c", 120, {150, 151, 150})},
                     {});
  EXPECT_EQ(winner.pairs, 2);
  EXPECT_EQ(winner.kendall_tau, 0.0);
}

TEST(MeasuredWinner, NobodyWinsWhatWasNotRun) {
  const auto winner = CompareWinners({MeasuredPolicy("a", 100, {})}, {});
  EXPECT_FALSE(winner.predicted.has_value());
  EXPECT_EQ(winner.verdict, BarVerdict::kUnknown);
}

}  // namespace
}  // namespace tandem
