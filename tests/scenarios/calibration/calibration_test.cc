// Is a prediction judged as docs/semantics.md defines it: error, spread, regret, tau, and when a winner is
// wrong?
#include "scenarios/calibration/calibration.h"

#include <gtest/gtest.h>

#include "scenarios/calibration/report.h"

namespace tandem {
namespace {

// Objective and makespan alike.
PolicyCalibration Policy(const std::string& label, std::int64_t predicted,
                         const std::vector<std::int64_t>& measured) {
  PolicyCalibration policy;
  policy.policy = policy.label = label;
  policy.predicted = Nanos{predicted};
  policy.predicted_objective = static_cast<double>(predicted);
  for (const std::int64_t run : measured) policy.runs.push_back({Nanos{run}, static_cast<double>(run)});
  return policy;
}

TEST(Calibration, AnErrorIsOfTheLowerMedianAndASpreadOfAllRuns) {
  const auto makespan = Policy("a", 110, {120, 100, 90, 95}).makespan();
  ASSERT_TRUE(makespan.has_value());
  EXPECT_EQ(makespan->measured, Nanos{95});
  EXPECT_DOUBLE_EQ(*makespan->error, 110.0 / 95 - 1);
  EXPECT_DOUBLE_EQ(*makespan->spread, 30.0 / 95);
  EXPECT_FALSE(Policy("a", 110, {}).makespan().has_value());
}

TEST(Calibration, EnergyIsComparedWhereEveryRunWasMeasured) {
  PolicyCalibration policy = Policy("a", 110, {120, 100, 90});
  policy.predicted_joules = 12;
  EXPECT_FALSE(policy.measured_joules());
  EXPECT_FALSE(policy.joules_error());
  CalibrationReport report;
  report.policies = {policy};
  EXPECT_EQ(CalibrationText(report, 80).find("measured J"), std::string::npos);
  for (std::size_t run = 0; run < 3; ++run) policy.runs[run].joules = 8 + 2 * static_cast<double>(run);
  EXPECT_EQ(policy.measured_joules(), 10);
  EXPECT_DOUBLE_EQ(policy.joules_error().value_or(0), 0.2);
  report.policies = {policy};
  const std::string text = CalibrationText(report, 80);
  EXPECT_NE(text.find("measured J"), std::string::npos) << text;
  EXPECT_NE(text.find("+20.0%"), std::string::npos) << text;
  EXPECT_NE(CalibrationJson(report).find("\"measured_energy_j\": 10.0"), std::string::npos);
  policy.predicted_joules.reset();
  EXPECT_FALSE(policy.joules_error());
}

TEST(Calibration, WhatCannotBeDividedHasNoError) {
  EXPECT_FALSE(RelativeError(5, 0).has_value());
  EXPECT_EQ(RelativeError(0, 0), 0.0);
  EXPECT_FALSE(Spread({}).has_value());
  EXPECT_FALSE(Spread({0, 0, 4}).has_value());
  EXPECT_EQ(Spread({0, 0}), 0.0);
}

TEST(Calibration, TheSpreadOfOneRunIsUnknown) {
  EXPECT_FALSE(Spread({7}).has_value());
  EXPECT_FALSE(Policy("a", 110, {100}).makespan()->spread.has_value());
  EXPECT_FALSE(Policy("a", 110, {100}).objective_spread().has_value());
}

TEST(Calibration, OneRunCannotTellThatAWinnerIsWrong) {
  const auto one = CompareWinners({Policy("a", 101, {100}), Policy("b", 99, {130})}, {});
  EXPECT_EQ(one.predicted, 1U);
  EXPECT_EQ(one.measured, 0U);
  EXPECT_NEAR(*one.regret, 0.3, 1e-12);
  EXPECT_FALSE(one.wrong);
  EXPECT_TRUE(one.unknown);
  EXPECT_FALSE(one.spread.has_value());
  EXPECT_EQ(one.pairs, 0) << "nor can it tell pairs apart";
  EXPECT_FALSE(one.kendall_tau.has_value());

  const auto two = CompareWinners({Policy("a", 101, {100, 101}), Policy("b", 99, {130, 131})}, {});
  EXPECT_TRUE(two.wrong);
  EXPECT_FALSE(two.unknown);
}

TEST(Calibration, WhatMeasuresAlikeIsNeverWrongAndThePredictedOneWins) {
  const auto even = CompareWinners({Policy("a", 101, {100}), Policy("b", 99, {100})}, {});
  EXPECT_EQ(even.predicted, 1U);
  EXPECT_EQ(even.measured, 1U);
  EXPECT_EQ(even.regret, 0.0);
  EXPECT_FALSE(even.wrong);
  EXPECT_FALSE(even.unknown);
}

TEST(Calibration, TheWinnerIsWrongBeyondTheSpreadAlone) {
  // b is 4 % behind a; runs of a differ by 5 %, then by 2 %.
  const auto within = CompareWinners({Policy("a", 101, {100, 100, 105}), Policy("b", 99, {104, 104})}, {});
  EXPECT_EQ(within.predicted, 1U);
  EXPECT_EQ(within.measured, 0U);
  EXPECT_DOUBLE_EQ(*within.regret, 104.0 / 100 - 1);
  EXPECT_FALSE(within.wrong);
  EXPECT_FALSE(within.kendall_tau.has_value()) << "the one pair is closer than the spread";

  const auto beyond = CompareWinners({Policy("a", 101, {100, 100, 102}), Policy("b", 99, {104, 104})}, {});
  EXPECT_TRUE(beyond.wrong);
  EXPECT_EQ(beyond.kendall_tau, -1.0);
}

TEST(Calibration, WhereMoreIsBetterRegretIsWhatIsMissedOfTheBest) {
  const auto winner = CompareWinners({Policy("a", 10, {8}), Policy("b", 9, {12})}, Objective::kThroughput);
  EXPECT_EQ(winner.predicted, 0U);
  EXPECT_EQ(winner.measured, 1U);
  EXPECT_DOUBLE_EQ(*winner.regret, 0.5);
}

TEST(Calibration, AnObjectiveOfNoneMayBeMissedButNotDivided) {
  const auto same = CompareWinners({Policy("a", 0, {0}), Policy("b", 3, {0})}, Objective::kMisses);
  EXPECT_EQ(same.regret, 0.0);
  EXPECT_FALSE(same.wrong);
  const auto missed = CompareWinners({Policy("a", 0, {2, 2}), Policy("b", 3, {0, 0})}, Objective::kMisses);
  EXPECT_FALSE(missed.regret.has_value());
  EXPECT_TRUE(missed.wrong);
}

TEST(Calibration, WhereTheMedianIsNoneTheRunsThemselvesAreCompared) {
  const auto within =
      CompareWinners({Policy("a", 0, {1, 2, 2}), Policy("b", 3, {0, 0, 3})}, Objective::kMisses);
  EXPECT_EQ(within.measured, 1U);
  EXPECT_FALSE(within.wrong) << "2 behind, and b's runs differ by 3";
  EXPECT_FALSE(within.spread.has_value());
  const auto beyond =
      CompareWinners({Policy("a", 0, {4, 4, 5}), Policy("b", 3, {0, 0, 3})}, Objective::kMisses);
  EXPECT_TRUE(beyond.wrong);
}

TEST(Calibration, WhatIsShownBesideNeverWins) {
  PolicyCalibration beside = Policy("best", 50, {50});
  beside.beside = true;
  const auto winner = CompareWinners({beside, Policy("a", 70, {70, 70}), Policy("b", 80, {80, 80})}, {});
  EXPECT_EQ(winner.predicted, 1U);
  EXPECT_EQ(winner.measured, 1U);
  EXPECT_EQ(winner.pairs, 1);
}

TEST(Calibration, OfEqualPredictionsTheFirstIsNamed) {
  const auto winner = CompareWinners({Policy("a", 70, {90, 90}), Policy("b", 70, {80, 80})}, {});
  EXPECT_EQ(winner.predicted, 0U);
  EXPECT_EQ(winner.kendall_tau, 0.0) << "a tie in the prediction is neither right nor wrong";
}

TEST(Calibration, TauCountsPairsThatTheMeasurementTellsApart) {
  // a and b are within the spread of b; a-c and b-c are told apart, one of them as predicted.
  const auto winner = CompareWinners(
      {Policy("a", 100, {100, 100}), Policy("b", 130, {101, 101, 103}), Policy("c", 120, {150, 150})}, {});
  EXPECT_EQ(winner.pairs, 2);
  EXPECT_EQ(winner.kendall_tau, 0.0);
}

TEST(Calibration, NobodyWinsWhatWasNotRun) {
  const auto winner = CompareWinners({Policy("a", 100, {})}, {});
  EXPECT_FALSE(winner.predicted.has_value());
  EXPECT_FALSE(winner.wrong);
}

CalibrationReport ReportOf(std::vector<PolicyCalibration> policies) {
  CalibrationReport report;
  report.policies = std::move(policies);
  report.winner = CompareWinners(report.policies, report.objective);
  return report;
}

TEST(Verdict, SaysPlainlyWhoLoses) {
  const auto wrong = ReportOf({Policy("fcfs", 110, {100, 100}), Policy("best", 90, {120, 120})});
  const std::string text = CalibrationVerdict(wrong);
  EXPECT_NE(
      text.find("WRONG WINNER: best was predicted to win and fcfs was measured best; best is 20.0% behind"),
      std::string::npos)
      << text;
  EXPECT_NE(text.find("The search, best, loses to plain fcfs here, by 20.0%"), std::string::npos) << text;
  EXPECT_NE(text.find("at worst 25.0% too short (best)"), std::string::npos) << text;
}

TEST(Verdict, SaysThatOneRunCannotTell) {
  const std::string text =
      CalibrationVerdict(ReportOf({Policy("fcfs", 110, {100}), Policy("best", 90, {120})}));
  EXPECT_EQ(text.find("WRONG WINNER"), std::string::npos) << text;
  EXPECT_NE(text.find("best is 20.0% behind: whether that is more than chance cannot be told from one run"),
            std::string::npos)
      << text;
  EXPECT_EQ(text.find("loses to plain"), std::string::npos) << "nor that: " << text;
}

TEST(Verdict, SaysThatTheWinnerWasPredictedToTie) {
  const std::string text =
      CalibrationVerdict(ReportOf({Policy("fcfs", 90, {104, 100, 103}), Policy("eft", 90, {101, 101, 102})}));
  EXPECT_EQ(
      text.find("fcfs and eft were predicted to tie and eft was measured best; fcfs is 2.0% behind, within "
                "the spread of 3.9%: either will do."),
      0U)
      << text;
}

TEST(Verdict, SaysWhenTheSimplestRuleWouldDo) {
  const auto even = ReportOf({Policy("fcfs", 101, {101, 100, 104}), Policy("eft", 99, {100, 100})});
  const std::string text = CalibrationVerdict(even);
  EXPECT_EQ(text.find("eft wins, as predicted."), 0U) << text;
  EXPECT_NE(text.find("Plain fcfs does as well within the spread"), std::string::npos) << text;
}

TEST(Verdict, DoesNotTrustWrongOutputs) {
  PolicyCalibration bad = Policy("eft", 99, {100});
  bad.correct = false;
  const std::string text = CalibrationVerdict(ReportOf({Policy("fcfs", 120, {120}), bad}));
  EXPECT_NE(text.find("WRONG OUTPUTS under eft"), std::string::npos) << text;
}

}  // namespace
}  // namespace tandem
