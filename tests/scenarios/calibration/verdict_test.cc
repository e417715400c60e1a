// Does the verdict of a calibration say plainly what was right, what was wrong, and what cannot be told?
#include <gtest/gtest.h>

#include <sstream>

#include "tests/support/calibrated_policies.h"

namespace tandem {
namespace {

TEST(Verdict, SaysPlainlyWhoLoses) {
  const auto wrong =
      JudgedReport({MeasuredPolicy("fcfs", 110, {100, 100}), MeasuredPolicy("best", 90, {120, 120})});
  const std::string text = CalibrationVerdict(wrong);
  EXPECT_EQ(text.find("WRONG WINNER: best was predicted to win and fcfs was measured best; best is behind by "
                      "20.0%, for sure by more than 1 %."),
            0U)
      << text;
  EXPECT_NE(text.find("The search, best, loses to plain fcfs here, by 20.0%"), std::string::npos) << text;
  EXPECT_NE(text.find("at worst 25.0% too short (best); the bar is 9 %: 0 of 2 within it, 2 OUTSIDE."),
            std::string::npos)
      << text;
}

TEST(Verdict, SaysThatLimitsAreBroken) {
  const std::vector<std::int64_t> fast(5, 100), slow(5, 150);
  const auto text_of = [&](const std::vector<double>& of_fast) {
    return CalibrationVerdict(JudgedReport({LimitedPolicy("fast", 100, fast, of_fast),
                                            LimitedPolicy("slow", 150, slow, std::vector<double>(5, 0.0))}));
  };
  const std::string broken = text_of({1, 1, 1, 1, 1});
  EXPECT_EQ(broken.find("WRONG WINNER: fast was predicted to win and slow was measured best; fast breaks the "
                        "scenario's limits in 5 of 5 runs."),
            0U)
      << broken;
  const std::string search =
      CalibrationVerdict(JudgedReport({LimitedPolicy("best", 100, fast, std::vector<double>(5, 1.0)),
                                       LimitedPolicy("fcfs", 150, slow, std::vector<double>(5, 0.0))}));
  EXPECT_EQ(search.find("loses to plain"), std::string::npos) << search;
  const std::string unsure = text_of({1, 0, 0, 1, 0});
  EXPECT_EQ(unsure.find("fast was measured best, as predicted; fast breaks the scenario's limits in 2 of 5 "
                        "runs, so that who "
                        "wins cannot be told."),
            0U)
      << unsure;
  EXPECT_NE(CalibrationJson(JudgedReport({LimitedPolicy("a", 1, {1}, {0}), LimitedPolicy("b", 1, {1}, {0})}))
                .find("\"limits\": \"unknown\""),
            std::string::npos);
}

TEST(Verdict, SaysForWhomTheWinnerIsTaken) {
  std::vector<PolicyCalibration> policies = {MeasuredPolicy("best", 90, {100, 100}),
                                             MeasuredPolicy("fcfs", 91, {100, 100})};
  policies[1].named = true;
  const CalibrationReport report = JudgedReport(policies);
  const std::string text = CalibrationVerdict(report);
  EXPECT_EQ(text.find("fcfs, taken as simpler than best and not told from it, wins, as predicted: "), 0U)
      << text;
  EXPECT_NE(CalibrationJson(report).find("\"instead_of\": \"best\""), std::string::npos);
  EXPECT_EQ(CalibrationJson(JudgedReport({MeasuredPolicy("a", 90, {100, 100})})).find("instead_of"),
            std::string::npos);
}

TEST(Verdict, SaysThatOneRunCannotTell) {
  const std::string text = CalibrationVerdict(
      JudgedReport({MeasuredPolicy("fcfs", 110, {100}), MeasuredPolicy("best", 90, {120})}));
  EXPECT_EQ(text.find("best was predicted to win and fcfs was measured best; whether it loses more than 1 % "
                      "cannot be told: it takes two runs of each."),
            0U)
      << text;
  EXPECT_EQ(text.find("loses to plain"), std::string::npos) << "nor that: " << text;
  EXPECT_NE(text.find("0 of 2 within it, 2 cannot be told."), std::string::npos) << text;
}

TEST(Verdict, SaysThatTheWinnerWasPredictedToTieAndHowManyRunsWouldTell) {
  const std::string text = CalibrationVerdict(JudgedReport(
      {MeasuredPolicy("fcfs", 90, {104, 102, 104, 103}), MeasuredPolicy("eft", 90, {101, 102, 101, 101})}));
  EXPECT_EQ(text.find("fcfs and eft were predicted to tie and eft was measured best; fcfs is behind by 2.0%; "
                      "whether it loses more than 1 % cannot be told: about "),
            0U)
      << text;
}

TEST(Verdict, NamesNoWinnerWhereNoRivalWasMeasured) {
  const std::string text = CalibrationVerdict(
      JudgedReport({MeasuredPolicy("fcfs", 90, {100, 100}), MeasuredPolicy("eft", 95, {})}));
  EXPECT_EQ(text.find("fcfs alone was measured, so that nothing can be said of winners."), 0U) << text;
  EXPECT_NE(text.find("Not measured: eft."), std::string::npos) << text;
}

TEST(Verdict, SaysWhenTheSimplestRuleWouldDo) {
  const auto even = JudgedReport(
      {MeasuredPolicy("fcfs", 101, {101, 100, 104}), MeasuredPolicy("eft", 99, {100, 101, 100})});
  const std::string text = CalibrationVerdict(even);
  EXPECT_EQ(text.find("eft was measured best, as predicted; whether it loses more than 1 % cannot be told: "),
            0U)
      << text;
  EXPECT_NE(text.find("Plain fcfs cannot be told from eft"), std::string::npos) << text;
}

TEST(Verdict, SaysThatNothingIsGainedOnlyWhereTheRunsShowIt) {
  const auto text_of = [](const std::vector<std::int64_t>& of_fcfs, const std::vector<std::int64_t>& of_eft,
                          Objective objective) {
    CalibrationReport report;
    report.objective = objective;
    report.policies = {MeasuredPolicy("fcfs", 101, of_fcfs), MeasuredPolicy("eft", 99, of_eft)};
    Judge(report);
    return CalibrationVerdict(report);
  };
  const std::string noise = "whether that gains anything cannot be told by so many runs.";
  const std::string nothing = ", which gains nothing that was measured.";
  const std::string noisy = text_of({1000, 900}, {500, 560}, Objective::kMakespan);
  EXPECT_NE(noisy.find("Plain fcfs cannot be told from eft; " + noise), std::string::npos) << noisy;
  const std::string calm =
      text_of({10001, 10000, 10002, 10000, 10001}, {10000, 10001, 10000, 10001, 10000}, Objective::kMakespan);
  EXPECT_NE(calm.find("Plain fcfs cannot be told from eft" + nothing), std::string::npos) << calm;

  const std::string more = text_of({1000, 1001, 1000}, {1001, 1000, 1001}, Objective::kThroughput);
  EXPECT_NE(more.find("Plain fcfs cannot be told from eft" + nothing), std::string::npos) << more;
  const std::string misses = text_of({0, 40, 0, 0, 40}, {0, 0, 10, 0, 0}, Objective::kMisses);
  EXPECT_NE(misses.find("Plain fcfs cannot be told from eft; " + noise), std::string::npos) << misses;
}

PolicyCalibration DisturbedPolicy(const std::string& label, std::int64_t predicted,
                                  const std::vector<std::int64_t>& measured) {
  PolicyCalibration policy = MeasuredPolicy(label, predicted, measured);
  for (PolicyCalibration::Run& run : policy.runs) run.disturbed = true;
  return policy;
}

TEST(Verdict, WhatWasDisturbedThroughoutIsInNoSentenceButThatWhichSaysSo) {
  const std::vector<std::int64_t> calm(5, 100);
  PolicyCalibration disturbed = DisturbedPolicy("eft", 90, {120, 121, 120, 122, 120});
  disturbed.planned = PlannedTime{Nanos{60}};
  disturbed.planned_objective = 60;
  PolicyCalibration other = MeasuredPolicy("fcfs", 101, calm);
  other.planned = PlannedTime{Nanos{102}};
  other.planned_objective = 102;
  CalibrationReport report;
  report.policies = {disturbed, other, MeasuredPolicy("sjf", 104, {103, 103, 103, 103, 103})};
  for (const char* label : {"eft", "fcfs"}) {
    LatencyCalibration latency;
    latency.label = label;
    for (TimeError& figure : latency.figures) figure = TimeError::Of(Nanos{100}, {Nanos{100}});
    for (std::vector<Nanos>& runs : latency.runs) runs = std::vector<Nanos>(5, Nanos{100});
    report.latencies.push_back(latency);
  }
  Judge(report);
  const std::string text = CalibrationVerdict(report);
  EXPECT_EQ(text.find("eft was predicted to win and fcfs was measured best; whether eft loses more than 1 % "
                      "cannot be told: none of its runs counts."),
            0U)
      << text;
  EXPECT_NE(text.find("Makespans are predicted within 1.0% (median of the policies), at worst 1.0% too long "
                      "(fcfs); the bar is 9 %: 2 of 2 within it."),
            std::string::npos)
      << text;
  EXPECT_NE(text.find("they were predicted within 2.0% (median of the policies), at worst 2.0% too long "
                      "(fcfs): 1 of 1 within it"),
            std::string::npos)
      << text;
  EXPECT_NE(text.find("Of p99 latencies the bar is 15 %: 1 of 1 within it."), std::string::npos) << text;
  EXPECT_NE(text.find("5 of 15 runs do not count: others had the machine meanwhile, or heat held its clocks "
                      "back. Nothing is judged of eft: none of its runs counts."),
            std::string::npos)
      << text;
}

TEST(Verdict, WhereNoRivalHasRunsThatCountNobodyIsCalledTheWinner) {
  const auto one =
      JudgedReport({MeasuredPolicy("fcfs", 90, {100, 100}), DisturbedPolicy("eft", 95, {90, 90})});
  EXPECT_EQ(one.winner.verdict, BarVerdict::kUnknown);
  EXPECT_EQ(
      CalibrationVerdict(one).find("fcfs alone has runs that count, so that nothing can be said of winners."),
      0U)
      << CalibrationVerdict(one);
  PolicyCalibration unpredicted = MeasuredPolicy("eft", 95, {100, 100});
  unpredicted.predicted_objective.reset();
  const std::string other =
      CalibrationVerdict(JudgedReport({DisturbedPolicy("fcfs", 90, {90, 90}), unpredicted}));
  EXPECT_EQ(other.find("eft alone has runs that count, "), 0U) << other;
  const std::string none = CalibrationVerdict(
      JudgedReport({DisturbedPolicy("fcfs", 90, {100, 100}), DisturbedPolicy("eft", 95, {90, 90})}));
  EXPECT_EQ(none.find("Who wins cannot be told: none of the runs counts."), 0U) << none;
  EXPECT_EQ(none.find("predicted within"), std::string::npos) << none;
}

TEST(Verdict, DoesNotSayThatTwoRunsWouldTellWhereTheyWereMade) {
  CalibrationReport report;
  report.objective = Objective::kMisses;
  report.policies = {MeasuredPolicy("a", 0, {2, 0, 0, 2, 0}), MeasuredPolicy("b", 3, {0, 0, 0, 0, 0})};
  Judge(report);
  const std::string text = CalibrationVerdict(report);
  EXPECT_NE(text.find("cannot be told: how many runs would tell is not known."), std::string::npos) << text;
}

TEST(Verdict, SaysThatItTakesRunsThatCount) {
  PolicyCalibration eft = MeasuredPolicy("eft", 90, {120, 120, 120});
  eft.runs[0].disturbed = eft.runs[1].disturbed = true;
  const std::string text =
      CalibrationVerdict(JudgedReport({MeasuredPolicy("fcfs", 110, {100, 100, 100}), eft}));
  EXPECT_NE(text.find("cannot be told: it takes two runs of each that count."), std::string::npos) << text;
}

TEST(Verdict, OfTwoErrorsInTheMiddleTheLargerIsSaid) {
  const std::string two = CalibrationVerdict(
      JudgedReport({MeasuredPolicy("fcfs", 100, {100, 100}), MeasuredPolicy("eft", 50, {100, 100})}));
  EXPECT_NE(two.find("predicted within 50.0% (median of the policies), at worst 50.0% too short (eft)"),
            std::string::npos)
      << two;
  const std::string three = CalibrationVerdict(
      JudgedReport({MeasuredPolicy("fcfs", 100, {100, 100}), MeasuredPolicy("eft", 50, {100, 100}),
                    MeasuredPolicy("sjf", 102, {100, 100})}));
  EXPECT_NE(three.find("predicted within 2.0% (median of the policies)"), std::string::npos) << three;
}

TEST(Verdict, TheTableFitsATerminal) {
  auto report = JudgedReport({MeasuredPolicy("fcfs", 428620123, {427850000, 431850000, 429850000}),
                              MeasuredPolicy("round_robin", 443696000, {456150000, 450000000, 481000000})});
  for (PolicyCalibration& policy : report.policies) {
    policy.correct = true;
    policy.of_makespan.predicted = Interval{400e6, 460e6};
  }
  report.policies[0].runs[0].disturbed = true;
  std::istringstream lines(CalibrationText(report, 80));
  for (std::string line; std::getline(lines, line);) EXPECT_LE(line.size(), 80U) << line;
}

TEST(Verdict, LatenciesOutsideTheirBarAndThoseOfWhichItCannotBeToldAreMarked) {
  CalibrationReport report = JudgedReport({MeasuredPolicy("fcfs", 100, {100, 100})});
  LatencyCalibration latency;
  latency.label = "fcfs";
  for (TimeError& figure : latency.figures) figure = TimeError::Of(Nanos{120}, {Nanos{100}, Nanos{100}});
  for (Judgement& judged : latency.judged) judged = {{}, {}, Interval{0.19, 0.21}, BarVerdict::kWithin, {}};
  report.latencies = {latency};
  EXPECT_EQ(CalibrationText(report, 80).find("its bar"), std::string::npos) << "all are within it";
  report.latencies[0].judged[0].verdict = BarVerdict::kOutside;
  report.latencies[0].judged[1].verdict = BarVerdict::kUnknown;
  const std::string text = CalibrationText(report, 80);
  EXPECT_NE(text.find("+20.0 +-1.0%!"), std::string::npos) << text;
  EXPECT_NE(text.find("+20.0 +-1.0%?"), std::string::npos) << text;
  EXPECT_NE(text.find("\n!: outside its bar; ?: whether it is in its bar cannot be told\n"),
            std::string::npos)
      << text;
}

TEST(Verdict, DoesNotTrustWrongOutputs) {
  PolicyCalibration bad = MeasuredPolicy("eft", 99, {100});
  bad.correct = false;
  const std::string text = CalibrationVerdict(JudgedReport({MeasuredPolicy("fcfs", 120, {120}), bad}));
  EXPECT_NE(text.find("WRONG OUTPUTS under eft"), std::string::npos) << text;
}

}  // namespace
}  // namespace tandem
