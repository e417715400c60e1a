// Is a prediction judged as docs/semantics.md defines it: error, spread, bars and coverage?
#include "scenarios/calibration/calibration.h"

#include <gtest/gtest.h>

#include "tests/support/calibrated_policies.h"

namespace tandem {
namespace {

TEST(Calibration, AnErrorIsOfTheLowerMedianAndASpreadOfAllRuns) {
  const auto makespan = MeasuredPolicy("a", 110, {120, 100, 90, 95}).makespan();
  ASSERT_TRUE(makespan.has_value());
  EXPECT_EQ(makespan->measured, Nanos{95});
  EXPECT_DOUBLE_EQ(*makespan->error, 110.0 / 95 - 1);
  EXPECT_DOUBLE_EQ(*makespan->spread, 30.0 / 95);
  EXPECT_FALSE(MeasuredPolicy("a", 110, {}).makespan().has_value());
}

TEST(Calibration, EnergyIsComparedWhereEveryRunWasMeasured) {
  PolicyCalibration policy = MeasuredPolicy("a", 110, {120, 100, 90});
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
  EXPECT_FALSE(MeasuredPolicy("a", 110, {100}).makespan()->spread.has_value());
  EXPECT_FALSE(MeasuredPolicy("a", 110, {100}).objective_spread().has_value());
}

TEST(Calibration, RunsThatOthersDisturbedAreListedAndNotJudged) {
  CalibrationReport report;
  report.policies = {MeasuredPolicy("a", 100, {100, 180, 101, 100}),
                     MeasuredPolicy("b", 110, {110, 111, 110, 110})};
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
  report.policies = {MeasuredPolicy("a", 100, {50, 50, 50}), MeasuredPolicy("b", 110, {110, 111, 110})};
  for (PolicyCalibration::Run& run : report.policies[0].runs) run.disturbed = true;
  for (PolicyCalibration& policy : report.policies) policy.of_makespan.predicted = Interval{90, 115};
  Judge(report);
  EXPECT_EQ(report.policies[0].makespan()->measured, Nanos{50});
  EXPECT_EQ(report.policies[0].of_makespan.verdict, BarVerdict::kUnknown);
  EXPECT_EQ(report.coverage, 1.0) << "of b alone";
  EXPECT_EQ(report.winner.measured, 1U) << "a had no run that counts";
  EXPECT_NE(CalibrationJson(report).find("\"counts\": false"), std::string::npos);
}

TEST(Calibration, WhatHasWrongOutputsIsShownAndJudgedByNobody) {
  CalibrationReport report;
  report.policies = {MeasuredPolicy("a", 100, {50, 51, 50}), MeasuredPolicy("b", 110, {110, 111, 110})};
  report.policies[0].correct = false;
  for (PolicyCalibration& policy : report.policies) policy.of_makespan.predicted = Interval{90, 115};
  LatencyCalibration latency;
  latency.label = "a";
  for (TimeError& figure : latency.figures) figure = TimeError::Of(Nanos{100}, {Nanos{50}});
  for (std::vector<Nanos>& runs : latency.runs) runs = {Nanos{50}, Nanos{51}, Nanos{50}};
  report.latencies = {latency};
  Judge(report);
  const PolicyCalibration& wrong = report.policies[0];
  EXPECT_EQ(wrong.makespan()->measured, Nanos{50});
  EXPECT_EQ(wrong.of_makespan.verdict, BarVerdict::kUnknown);
  EXPECT_EQ(wrong.of_objective.verdict, BarVerdict::kUnknown);
  EXPECT_EQ(report.latencies[0].judged[0].verdict, BarVerdict::kUnknown);
  EXPECT_EQ(report.policies[1].of_makespan.verdict, BarVerdict::kWithin);
  EXPECT_EQ(report.coverage, 1.0) << "of b alone";
  EXPECT_EQ(report.winner.pairs, 0) << "nobody is left that b could be told from";
  EXPECT_NE(CalibrationJson(report).find("\"counts\": false"), std::string::npos);
}

TEST(Calibration, CoverageIsTheShareOfMediansInTheirPredictedIntervals) {
  CalibrationReport report;
  report.policies = {MeasuredPolicy("a", 100, {100, 100}), MeasuredPolicy("b", 110, {120, 120}),
                     MeasuredPolicy("c", 90, {95, 95})};
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
  report.policies = {MeasuredPolicy("a", 100, {100, 100, 100}), MeasuredPolicy("b", 110, {110, 110, 110})};
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
                "As planned, before the runs, they were predicted within 20.0% (median of the policies), at "
                "worst 20.0% too long (a): 1 of 2 within it, 1 OUTSIDE; 50.0% of the medians lie in the "
                "intervals of then."),
            std::string::npos)
      << CalibrationVerdict(report);
}

TEST(Calibration, WhatWasPlannedWithoutAnIntervalIsSaidSo) {
  CalibrationReport report;
  report.policies = {MeasuredPolicy("a", 100, {100, 100})};
  report.policies[0].planned = PlannedTime{};
  Judge(report);
  EXPECT_NE(CalibrationJson(report).find("\"planned_interval_ns\": null"), std::string::npos);
  EXPECT_FALSE(report.planned_coverage.has_value());
}

TEST(Calibration, SaysWhyThereIsNoInterval) {
  CalibrationReport report;
  report.policies = {MeasuredPolicy("a", 100, {100, 100}), MeasuredPolicy("b", 110, {110, 110})};
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
  report.policies = {MeasuredPolicy("a", 112, {100, 100, 100}), MeasuredPolicy("b", 130, {100, 100, 100})};
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

TEST(Calibration, SaysWhereThePredictedTimesComeFrom) {
  CalibrationReport report = JudgedReport({MeasuredPolicy("fcfs", 110, {100, 100})});
  EXPECT_EQ(CalibrationJson(report).find("\"profiles\""), std::string::npos) << "of two traces";
  Origin origin;
  origin.kind = OriginKind::kEstimated;
  origin.error = 0.2;
  report.profiles = {{"x.profile.json", origin}};
  EXPECT_NE(CalibrationJson(report).find("\"profile\": \"x.profile.json\""), std::string::npos);
  const std::string text = CalibrationText(report, 200);
  EXPECT_NE(text.find("\nx.profile.json: times estimated, +-20 % that all share"), std::string::npos) << text;
}

TEST(Calibration, SaysThatDrawsHaveTheErrorOfProfilesWhereTheseToldWhoIsBest) {
  CalibrationReport report = JudgedReport({MeasuredPolicy("fcfs", 110, {100, 100})});
  Origin origin;
  origin.kind = OriginKind::kEstimated;
  origin.error = 0.2;
  report.profiles = {{"x.profile.json", origin}};
  report.told = ToldBy::kDraws;
  const std::string text = CalibrationText(report, 200);
  EXPECT_NE(
      text.find("\nx.profile.json: times estimated, +-20 % of each unit and model: every draw has its own"),
      std::string::npos)
      << text;
  EXPECT_EQ(text.find("no win"), std::string::npos) << text;
}

}  // namespace
}  // namespace tandem
