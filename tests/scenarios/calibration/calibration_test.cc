// Is a prediction judged as docs/semantics.md defines it: error, spread, regret, tau, and when a winner is
// wrong?
#include "scenarios/calibration/calibration.h"

#include <gtest/gtest.h>

#include <sstream>

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
  std::int64_t round = 0;
  for (const std::int64_t run : measured) {
    policy.runs.push_back({Nanos{run}, static_cast<double>(run), {}, round++});
  }
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
  EXPECT_FALSE(one.regret.has_value()) << "no run is left that did not choose";
  EXPECT_EQ(one.verdict, BarVerdict::kUnknown);
  EXPECT_FALSE(one.spread.has_value());
  EXPECT_EQ(one.pairs, 0) << "nor can it tell pairs apart";
  EXPECT_FALSE(one.kendall_tau.has_value());

  const auto two = CompareWinners({Policy("a", 101, {100, 101}), Policy("b", 99, {130, 131})}, {});
  EXPECT_NEAR(*two.regret, 0.3, 0.01);
  EXPECT_EQ(two.verdict, BarVerdict::kOutside);
}

TEST(Calibration, WhatMeasuresAlikeIsNeverWrongAndThePredictedOneWins) {
  const auto even = CompareWinners({Policy("a", 101, {100, 100}), Policy("b", 99, {100, 100})}, {});
  EXPECT_EQ(even.predicted, 1U);
  EXPECT_EQ(even.measured, 1U);
  EXPECT_EQ(even.regret, 0.0);
  EXPECT_EQ(even.verdict, BarVerdict::kWithin);
}

TEST(Calibration, TheWinnerIsWrongWhereItLosesMoreThanTheBarForSure) {
  // b is 4 % behind a; from round to round that differs by little, then by much.
  const auto sure = CompareWinners(
      {Policy("a", 101, {1000, 1102, 1000, 1001}), Policy("b", 99, {1040, 1145, 1041, 1040})}, {});
  EXPECT_EQ(sure.predicted, 1U);
  EXPECT_EQ(sure.measured, 0U);
  EXPECT_NEAR(*sure.regret, 0.04, 0.002) << "a round in which both are slow changes nothing";
  EXPECT_EQ(sure.verdict, BarVerdict::kOutside);
  EXPECT_EQ(sure.kendall_tau, -1.0);
  EXPECT_EQ(sure.pairs, 1);

  const auto unsure = CompareWinners(
      {Policy("a", 101, {1000, 1090, 1000, 1050}), Policy("b", 99, {1040, 1040, 1100, 1040})}, {});
  EXPECT_EQ(unsure.verdict, BarVerdict::kUnknown);
  EXPECT_FALSE(unsure.kendall_tau.has_value()) << "the one pair is not told apart";
}

// The same, each run beyond the scenario's limits by so much.
PolicyCalibration Limited(const std::string& label, std::int64_t predicted,
                          const std::vector<std::int64_t>& measured, const std::vector<double>& excess) {
  PolicyCalibration policy = Policy(label, predicted, measured);
  for (std::size_t run = 0; run < excess.size(); ++run) policy.runs[run].excess = excess[run];
  return policy;
}

TEST(Calibration, WhoBreaksLimitsOnTheDeviceIsNotItsWinner) {
  const std::vector<std::int64_t> fast = {100, 100, 100, 100, 100}, slow = {150, 150, 150, 150, 150};
  const auto compare = [&](const std::vector<double>& of_fast, const std::vector<double>& of_slow) {
    return CompareWinners({Limited("fast", 100, fast, of_fast), Limited("slow", 150, slow, of_slow)}, {});
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
  EXPECT_EQ(broken.runs_needed, std::nullopt);
  EXPECT_EQ(compare(none, much).verdict, BarVerdict::kWithin);

  const auto now_and_then = compare({0, 0.5, 0, 0.5, 0}, none);
  EXPECT_EQ(now_and_then.measured, 0U);
  EXPECT_EQ(now_and_then.limits, BarVerdict::kUnknown);
  EXPECT_EQ(now_and_then.verdict, BarVerdict::kUnknown) << "noise makes nothing right";
}

TEST(Calibration, LimitsAreJudgedByIntervalsOnBothSides) {
  const std::vector<std::int64_t> fast(5, 100), slow(5, 150);
  const auto compare = [&](const std::vector<double>& of_named, const std::vector<double>& of_other,
                           bool named_is_slow = false) {
    return CompareWinners({Limited("named", 100, named_is_slow ? slow : fast, of_named),
                           Limited("other", 150, named_is_slow ? fast : slow, of_other)},
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

TEST(Calibration, DisturbedRunsCannotTellThatLimitsAreBroken) {
  PolicyCalibration named = Limited("named", 100, {100, 100, 100, 100, 100}, std::vector<double>(5, 0.2));
  for (PolicyCalibration::Run& run : named.runs) run.disturbed = true;
  const auto winner = CompareWinners(
      {named, Limited("other", 150, {150, 150, 150, 150, 150}, std::vector<double>(5, 0.0))}, {});
  EXPECT_EQ(winner.limits, BarVerdict::kUnknown);
  EXPECT_NE(winner.verdict, BarVerdict::kOutside);
}

TEST(Calibration, AnotherThatBreaksLimitsIsNoBetterWinner) {
  // The named one loses to one that breaks limits, and to nobody else.
  const auto winner =
      CompareWinners({Limited("named", 100, {150, 150, 150, 150, 150}, std::vector<double>(5, 0.0)),
                      Limited("other", 110, {100, 100, 100, 100, 100}, std::vector<double>(5, 1.0))},
                     {});
  EXPECT_EQ(winner.measured, 0U);
  EXPECT_EQ(winner.regret, 0.0);
  EXPECT_EQ(winner.verdict, BarVerdict::kWithin);
}

TEST(Calibration, FewRunsCannotTellThatLimitsAreKept) {
  const auto winner =
      CompareWinners({Limited("a", 100, {100, 100}, {0, 0}), Limited("b", 110, {150, 150}, {0, 0})}, {});
  EXPECT_EQ(winner.limits, BarVerdict::kUnknown);
  EXPECT_EQ(winner.verdict, BarVerdict::kUnknown);
  EXPECT_FALSE(CompareWinners({Policy("a", 1, {100, 100}), Policy("b", 2, {150, 150})}, {}).limits);
}

TEST(Calibration, AWinnerThatLosesLessThanTheBarIsRight) {
  const auto winner =
      CompareWinners({Policy("a", 101, {10000, 10001, 10000}), Policy("b", 99, {10051, 10050, 10050})}, {});
  EXPECT_EQ(winner.measured, 0U);
  EXPECT_NEAR(*winner.regret, 0.005, 1e-4);
  EXPECT_EQ(winner.verdict, BarVerdict::kWithin);
}

TEST(Calibration, WhereMoreIsBetterRegretIsWhatIsMissedOfTheBest) {
  const auto winner =
      CompareWinners({Policy("a", 10, {8, 8}), Policy("b", 9, {12, 12})}, Objective::kThroughput);
  EXPECT_EQ(winner.predicted, 0U);
  EXPECT_EQ(winner.measured, 1U);
  EXPECT_NEAR(*winner.regret, 0.5, 1e-12);
}

TEST(Calibration, AnObjectiveOfNoneMayBeMissedButNotDivided) {
  const auto same = CompareWinners({Policy("a", 0, {0, 0}), Policy("b", 3, {0, 0})}, Objective::kMisses);
  EXPECT_EQ(same.regret, 0.0);
  EXPECT_EQ(same.verdict, BarVerdict::kWithin);
  const auto missed = CompareWinners({Policy("a", 0, {2, 2}), Policy("b", 3, {0, 0})}, Objective::kMisses);
  EXPECT_FALSE(missed.regret.has_value());
  EXPECT_EQ(missed.verdict, BarVerdict::kOutside);
}

TEST(Calibration, RunsThatOthersDisturbedAreListedAndNotJudged) {
  CalibrationReport report;
  report.policies = {Policy("a", 100, {100, 180, 101, 100}), Policy("b", 110, {110, 111, 110, 110})};
  report.policies[0].runs[1].disturbed = true;
  Judge(report);
  EXPECT_EQ(report.policies[0].makespan()->measured, Nanos{100});
  EXPECT_LT(*report.policies[0].makespan()->spread, 0.02);
  EXPECT_EQ(report.policies[0].of_makespan.verdict, BarVerdict::kWithin);
  const std::string text = CalibrationText(report, 80), json = CalibrationJson(report);
  EXPECT_NE(text.find("1 of 8 runs do not count"), std::string::npos) << text;
  EXPECT_NE(text.find("3/4"), std::string::npos) << text;
  EXPECT_NE(json.find("180"), std::string::npos) << json;
  EXPECT_NE(json.find("\"disturbed\": 1"), std::string::npos) << json;

  for (std::size_t run = 0; run < 3; ++run) report.policies[0].runs[run].disturbed = true;
  Judge(report);
  EXPECT_EQ(report.policies[0].of_makespan.verdict, BarVerdict::kUnknown) << "one run is left";
}

TEST(Calibration, WhatWasDisturbedThroughoutIsShownAndJudgedByNobody) {
  CalibrationReport report;
  report.policies = {Policy("a", 100, {50, 50, 50}), Policy("b", 110, {110, 111, 110})};
  for (PolicyCalibration::Run& run : report.policies[0].runs) run.disturbed = true;
  for (PolicyCalibration& policy : report.policies) policy.of_makespan.predicted = Interval{90, 115};
  Judge(report);
  EXPECT_EQ(report.policies[0].makespan()->measured, Nanos{50});
  EXPECT_EQ(report.policies[0].of_makespan.verdict, BarVerdict::kUnknown);
  EXPECT_EQ(report.coverage, 1.0) << "of b alone";
  EXPECT_EQ(report.winner.measured, 1U) << "a had no run that counts";
  EXPECT_NE(CalibrationJson(report).find("\"counts\": false"), std::string::npos);
}

TEST(Calibration, CoverageIsTheShareOfMediansInTheirPredictedIntervals) {
  CalibrationReport report;
  report.policies = {Policy("a", 100, {100, 100}), Policy("b", 110, {120, 120}), Policy("c", 90, {95, 95})};
  Judge(report);
  EXPECT_FALSE(report.coverage.has_value()) << "no interval was predicted";
  report.policies[0].of_makespan.predicted = Interval{95, 105};
  report.policies[1].of_makespan.predicted = Interval{105, 115};
  Judge(report);
  EXPECT_EQ(report.coverage, 0.5);
  EXPECT_EQ(report.policies[0].of_makespan.predicted->high, 105);
  const std::string json = CalibrationJson(report);
  EXPECT_NE(json.find("\"coverage\": 0.5"), std::string::npos) << json;
}

TEST(Calibration, WhatWasPlannedIsJudgedBesideWhatIsOfTheRunsState) {
  CalibrationReport report;
  report.policies = {Policy("a", 100, {100, 100, 100}), Policy("b", 110, {110, 110, 110})};
  Judge(report);
  EXPECT_FALSE(report.planned_coverage.has_value());
  std::string json = CalibrationJson(report);
  EXPECT_EQ(json.find("planned"), std::string::npos) << "it is what was predicted: " << json;

  PlannedTime planned;
  planned.time = Nanos{120};
  planned.judged.predicted = Interval{105, 135};
  report.policies[0].planned = planned;
  planned.time = Nanos{111};
  report.policies[1].planned = planned;
  Judge(report);
  EXPECT_EQ(report.policies[0].of_makespan.verdict, BarVerdict::kWithin);
  EXPECT_EQ(report.policies[0].planned->judged.verdict, BarVerdict::kOutside);
  EXPECT_EQ(report.policies[0].planned->judged.predicted->high, 135) << "it stays";
  EXPECT_EQ(report.policies[1].planned->judged.verdict, BarVerdict::kWithin);
  EXPECT_EQ(report.planned_coverage, 0.5);
  json = CalibrationJson(report);
  EXPECT_NE(json.find("\"planned_ns\": 120"), std::string::npos) << json;
  EXPECT_NE(json.find("\"planned_interval_ns\": [105, 135]"), std::string::npos) << json;
  EXPECT_NE(json.find("\"planned_verdict\": \"outside\""), std::string::npos) << json;
  EXPECT_NE(json.find("\"planned_coverage\": 0.5"), std::string::npos) << json;
  EXPECT_NE(CalibrationVerdict(report).find(
                "As planned, before the runs, they were predicted within 0.9% (median of the policies), at "
                "worst 20.0% too long (a): 1 of 2 within it, 1 OUTSIDE; 50.0% of the medians lie in the "
                "intervals of then."),
            std::string::npos)
      << CalibrationVerdict(report);
}

TEST(Calibration, WhatWasPlannedWithoutAnIntervalIsSaidSo) {
  CalibrationReport report;
  report.policies = {Policy("a", 100, {100, 100})};
  report.policies[0].planned = PlannedTime{};
  Judge(report);
  EXPECT_NE(CalibrationJson(report).find("\"planned_interval_ns\": null"), std::string::npos);
  EXPECT_FALSE(report.planned_coverage.has_value());
}

TEST(Calibration, SaysWhyThereIsNoInterval) {
  CalibrationReport report;
  report.policies = {Policy("a", 100, {100, 100}), Policy("b", 110, {110, 110})};
  report.policies[0].interval_why = report.policies[1].interval_why = "nobody knows";
  EXPECT_NE(CalibrationText(report, 80).find("\nno intervals: nobody knows\n"), std::string::npos);
  report.policies[0].of_makespan.predicted = Interval{95, 105};
  EXPECT_NE(CalibrationText(report, 80).find("\nno interval of b: nobody knows\n"), std::string::npos);
  const std::string json = CalibrationJson(report);
  EXPECT_NE(json.find("\"interval_why\": null"), std::string::npos) << json;
  EXPECT_NE(json.find("\"interval_why\": \"nobody knows\""), std::string::npos) << json;
}

TEST(Calibration, EveryFigureIsJudgedByItsBar) {
  CalibrationReport report;
  report.objective = Objective::kP99Latency;
  report.policies = {Policy("a", 112, {100, 100, 100}), Policy("b", 130, {100, 100, 100})};
  for (const PolicyCalibration& policy : report.policies) {
    LatencyCalibration latency{policy.label, {}, {}};
    for (std::size_t f = 0; f < latency.figures.size(); ++f) {
      latency.runs[f] = {Nanos{100}, Nanos{100}, Nanos{100}};
      latency.figures[f] = TimeError::Of(policy.predicted, latency.runs[f]);
    }
    report.latencies.push_back(latency);
  }
  Judge(report);
  EXPECT_EQ(report.policies[0].of_makespan.verdict, BarVerdict::kOutside) << "12 % of 9 %";
  EXPECT_EQ(report.policies[0].of_objective.verdict, BarVerdict::kWithin) << "12 % of 15 %";
  EXPECT_EQ(report.latencies[0].judged.back().verdict, BarVerdict::kWithin);
  EXPECT_EQ(report.latencies[1].judged.back().verdict, BarVerdict::kOutside);
  EXPECT_EQ(report.latencies[0].judged.front().verdict, BarVerdict::kOutside) << "a mean: 12 % of 9 %";
  report.bars.figure = 0.2;
  Judge(report);
  EXPECT_EQ(report.policies[0].of_makespan.verdict, BarVerdict::kWithin);
  EXPECT_NE(CalibrationJson(report).find("\"bar\": 0.2"), std::string::npos);
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

TEST(Calibration, TheWinnerIsWhoWasNamedEvenWhereAnotherIsPredictedBetter) {
  std::vector<PolicyCalibration> policies = {Policy("best", 100, {100, 100}),
                                             Policy("fcfs", 102, {103, 103})};
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

TEST(Calibration, TauCountsPairsThatTheMeasurementTellsApart) {
  // a and b change places from round to round; a-c and b-c are told apart, one of them as predicted.
  const auto winner = CompareWinners({Policy("a", 100, {100, 103, 100}), Policy("b", 130, {102, 101, 101}),
                                      Policy("c", 120, {150, 151, 150})},
                                     {});
  EXPECT_EQ(winner.pairs, 2);
  EXPECT_EQ(winner.kendall_tau, 0.0);
}

TEST(Calibration, NobodyWinsWhatWasNotRun) {
  const auto winner = CompareWinners({Policy("a", 100, {})}, {});
  EXPECT_FALSE(winner.predicted.has_value());
  EXPECT_EQ(winner.verdict, BarVerdict::kUnknown);
}

CalibrationReport ReportOf(std::vector<PolicyCalibration> policies) {
  CalibrationReport report;
  report.policies = std::move(policies);
  Judge(report);
  return report;
}

TEST(Calibration, SaysWhereThePredictedTimesComeFrom) {
  CalibrationReport report = ReportOf({Policy("fcfs", 110, {100, 100})});
  EXPECT_EQ(CalibrationJson(report).find("\"profiles\""), std::string::npos) << "of two traces";
  Origin origin;
  origin.kind = OriginKind::kEstimated;
  origin.error = 0.2;
  report.profiles = {{"x.profile.json", origin}};
  EXPECT_NE(CalibrationJson(report).find("\"profile\": \"x.profile.json\""), std::string::npos);
  const std::string text = CalibrationText(report, 200);
  EXPECT_NE(text.find("\nx.profile.json: times estimated, +-20 % that all share"), std::string::npos) << text;
}

TEST(Verdict, SaysPlainlyWhoLoses) {
  const auto wrong = ReportOf({Policy("fcfs", 110, {100, 100}), Policy("best", 90, {120, 120})});
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
    return CalibrationVerdict(ReportOf(
        {Limited("fast", 100, fast, of_fast), Limited("slow", 150, slow, std::vector<double>(5, 0.0))}));
  };
  const std::string broken = text_of({1, 1, 1, 1, 1});
  EXPECT_EQ(broken.find("WRONG WINNER: fast was predicted to win and slow was measured best; fast breaks the "
                        "scenario's limits in 5 of 5 runs."),
            0U)
      << broken;
  const std::string search =
      CalibrationVerdict(ReportOf({Limited("best", 100, fast, std::vector<double>(5, 1.0)),
                                   Limited("fcfs", 150, slow, std::vector<double>(5, 0.0))}));
  EXPECT_EQ(search.find("loses to plain"), std::string::npos) << search;
  const std::string unsure = text_of({1, 0, 0, 1, 0});
  EXPECT_EQ(
      unsure.find("fast wins, as predicted; fast breaks the scenario's limits in 2 of 5 runs, so that who "
                  "wins cannot be told."),
      0U)
      << unsure;
  EXPECT_NE(CalibrationJson(ReportOf({Limited("a", 1, {1}, {0}), Limited("b", 1, {1}, {0})}))
                .find("\"limits\": \"unknown\""),
            std::string::npos);
}

TEST(Verdict, SaysForWhomTheWinnerIsTaken) {
  std::vector<PolicyCalibration> policies = {Policy("best", 90, {100, 100}), Policy("fcfs", 91, {100, 100})};
  policies[1].named = true;
  const CalibrationReport report = ReportOf(policies);
  const std::string text = CalibrationVerdict(report);
  EXPECT_EQ(text.find("fcfs, taken as simpler than best and not told from it, wins, as predicted: "), 0U)
      << text;
  EXPECT_NE(CalibrationJson(report).find("\"instead_of\": \"best\""), std::string::npos);
  EXPECT_EQ(CalibrationJson(ReportOf({Policy("a", 90, {100, 100})})).find("instead_of"), std::string::npos);
}

TEST(Verdict, SaysThatOneRunCannotTell) {
  const std::string text =
      CalibrationVerdict(ReportOf({Policy("fcfs", 110, {100}), Policy("best", 90, {120})}));
  EXPECT_EQ(text.find("best was predicted to win and fcfs was measured best; whether it loses more than 1 % "
                      "cannot be told: it takes two runs of each."),
            0U)
      << text;
  EXPECT_EQ(text.find("loses to plain"), std::string::npos) << "nor that: " << text;
  EXPECT_NE(text.find("0 of 2 within it, 2 cannot be told."), std::string::npos) << text;
}

TEST(Verdict, SaysThatTheWinnerWasPredictedToTieAndHowManyRunsWouldTell) {
  const std::string text = CalibrationVerdict(
      ReportOf({Policy("fcfs", 90, {104, 102, 104, 103}), Policy("eft", 90, {101, 102, 101, 101})}));
  EXPECT_EQ(text.find("fcfs and eft were predicted to tie and eft was measured best; fcfs is behind by 2.0%; "
                      "whether it loses more than 1 % cannot be told: about "),
            0U)
      << text;
}

TEST(Verdict, SaysWhenTheSimplestRuleWouldDo) {
  const auto even = ReportOf({Policy("fcfs", 101, {101, 100, 104}), Policy("eft", 99, {100, 101, 100})});
  const std::string text = CalibrationVerdict(even);
  EXPECT_EQ(text.find("eft wins, as predicted; whether it loses more than 1 % cannot be told: "), 0U) << text;
  EXPECT_NE(text.find("Plain fcfs cannot be told from eft"), std::string::npos) << text;
}

TEST(Verdict, TheTableFitsATerminal) {
  auto report = ReportOf({Policy("fcfs", 428620123, {427850000, 431850000, 429850000}),
                          Policy("round_robin", 443696000, {456150000, 450000000, 481000000})});
  for (PolicyCalibration& policy : report.policies) {
    policy.correct = true;
    policy.of_makespan.predicted = Interval{400e6, 460e6};
  }
  report.policies[0].runs[0].disturbed = true;
  std::istringstream lines(CalibrationText(report, 80));
  for (std::string line; std::getline(lines, line);) EXPECT_LE(line.size(), 80U) << line;
}

TEST(Verdict, LatenciesOutsideTheirBarAndThoseOfWhichItCannotBeToldAreMarked) {
  CalibrationReport report = ReportOf({Policy("fcfs", 100, {100, 100})});
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
  PolicyCalibration bad = Policy("eft", 99, {100});
  bad.correct = false;
  const std::string text = CalibrationVerdict(ReportOf({Policy("fcfs", 120, {120}), bad}));
  EXPECT_NE(text.find("WRONG OUTPUTS under eft"), std::string::npos) << text;
}

}  // namespace
}  // namespace tandem
