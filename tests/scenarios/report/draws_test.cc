// Do draws become intervals of the right ranks, and does a winner that luck decides go without the name?
#include "scenarios/report/draws.h"

#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "scenarios/report/json.h"
#include "scenarios/report/objective.h"
#include "scenarios/report/table.h"
#include "tests/support/hand_made_run.h"

namespace tandem {
namespace {

using Json = nlohmann::ordered_json;

Report ReportWith(const std::string& label, std::int64_t makespan) {
  Report report = MakeRun().MakeReport();
  report.label = label;
  report.makespan = Nanos{makespan};
  return report;
}

// Draw d has this makespan.
Report DrawnReport(const std::string& label, const std::vector<std::int64_t>& makespans,
                   double probability = 0.9) {
  Report report = ReportWith(label, makespans[makespans.size() / 2]);
  std::vector<Report> drawn;
  for (const std::int64_t makespan : makespans) drawn.push_back(ReportWith(label, makespan));
  SetDraws(drawn, probability, report);
  return report;
}

std::vector<std::int64_t> Steps(std::int64_t count, std::int64_t from = 1000) {
  std::vector<std::int64_t> values;
  for (std::int64_t i = 0; i < count; ++i) values.push_back(from + i * 7 % count);  // count: no multiple of 7
  return values;
}

TEST(Draws, AnIntervalLeavesAsManyOutAtEitherEnd) {
  const Report report = DrawnReport("a", Steps(101));
  EXPECT_EQ(report.draws->makespan.low, Nanos{1004});  // 102 x 0.05 = 5.1: the fifth least
  EXPECT_EQ(report.draws->makespan.median, Nanos{1050});
  EXPECT_EQ(report.draws->makespan.high, Nanos{1096});
  EXPECT_EQ(DrawnReport("a", Steps(19)).draws->makespan.low, Nanos{1000});
  EXPECT_EQ(DrawnReport("a", Steps(99), 0.5).draws->makespan.high, Nanos{1074});
}

TEST(Draws, AreAsManyAsTheProbabilityNeeds) {
  EXPECT_EQ(LeastDrawsFor(0.9), 19);
  EXPECT_EQ(LeastDrawsFor(0.99), 199);
  EXPECT_EQ(DrawsFor(0.9), 101);
  EXPECT_EQ(DrawsFor(0.999), 1999);
}

TEST(Draws, StandBesideEveryFigureInJson) {
  const Json json = Json::parse(ReportJson(DrawnReport("a", Steps(101))));
  EXPECT_EQ(json["interval"], 0.9);
  EXPECT_TRUE(json["interval_why"].is_null());
  EXPECT_EQ(json["makespan_interval_ns"], (Json{1004, 1096}));
  EXPECT_EQ(json["objective"]["interval"], (Json{1004, 1096}));
  EXPECT_EQ(json["missed_interval"], (Json{2, 2}));
  EXPECT_EQ(json["latency_interval_ns"]["p99"].size(), 2u);
  EXPECT_TRUE(json["energy_interval_j"].is_null());
  EXPECT_EQ(json["streams"][1]["latency_interval_ns"]["max"], (Json{3000000, 3000000}));
  EXPECT_EQ(json["units"][0]["busy_interval_ns"], (Json{10000000, 10000000}));
}

TEST(Draws, AreNullWithTheReasonWhereNothingIsKnown) {
  Report report = DrawnReport("a", Steps(101));
  ForgetDraws("nobody knows", report);
  const Json json = Json::parse(ReportJson(report));
  EXPECT_TRUE(json["interval"].is_null());
  EXPECT_EQ(json["interval_why"], "nobody knows");
  EXPECT_TRUE(json["makespan_interval_ns"].is_null());
  EXPECT_TRUE(json["streams"][0]["latency_interval_ns"].is_null());
  EXPECT_NE(ReportTable({report}, 80).find("no intervals: nobody knows"), std::string::npos);
  Report other = report;
  other.label = "b";
  EXPECT_NE(ReportTable({DrawnReport("c", Steps(101)), report, other}, 80)
                .find("no interval of a, b: nobody knows"),
            std::string::npos);
}

TEST(Draws, MediansTakeThePlaceOfWhatTheRunCameOutAs) {
  Report report = DrawnReport("a", Steps(101));
  report.makespan = Nanos{1};
  TakeMedians(report);
  EXPECT_EQ(report.makespan, Nanos{1050});
}

TEST(Draws, AnIntervalHasTheFigureOfTheRunInsideWhereverDrawsLie) {
  Report report = DrawnReport("a", Steps(101));
  report.makespan = Nanos{1000};
  report.missed = 7;
  report.streams[1].latency->p99 = Nanos{9'000'000};
  report.units[0].busy = Nanos{1};
  CoverFigures(report);
  EXPECT_EQ(report.draws->makespan.low, Nanos{1000});
  EXPECT_EQ(report.draws->makespan.high, Nanos{1096});
  EXPECT_EQ(report.draws->objective->low, 1000);
  EXPECT_EQ(report.draws->missed.high, 7);
  EXPECT_EQ(report.streams[1].draws->latency->high.p99, Nanos{9'000'000});
  EXPECT_EQ(report.units[0].draws->busy.low, Nanos{1});
  EXPECT_EQ(report.makespan, Nanos{1000}) << "the figure stays";
}

// 101 draws from 1004 to 1096 of an exact run of 1050 ns, which takes so long by the fluid engine.
Report WithContention(std::int64_t fluid, bool is_fluid) {
  Report drawn = DrawnReport("a", Steps(101)), other = drawn;
  drawn.makespan = Nanos{is_fluid ? fluid : 1050};
  other.makespan = Nanos{is_fluid ? 1050 : fluid};
  (is_fluid ? drawn : other).engine = "fluid";
  (is_fluid ? drawn : other).streams[1].latency->p99 = Nanos{2'000'000};
  (is_fluid ? drawn : other).units[0].utilization = 1;
  drawn.other_physics = std::make_shared<const Report>(other);
  AddContention(drawn);
  return drawn;
}

TEST(Draws, AnIntervalIsLongerByWhatTwoPhysicsAreApart) {
  for (const bool is_fluid : {false, true}) {
    const Report later = WithContention(1080, is_fluid), sooner = WithContention(1000, is_fluid);
    EXPECT_EQ(later.draws->makespan.low, Nanos{1004});
    EXPECT_EQ(later.draws->makespan.high, Nanos{1126});
    EXPECT_EQ(later.draws->makespan.median, Nanos{1050});
    EXPECT_EQ(later.draws->objective->high, 1126);
    EXPECT_EQ(sooner.draws->makespan.low, Nanos{954});
    EXPECT_EQ(sooner.draws->makespan.high, Nanos{1096});
    EXPECT_EQ(sooner.draws->objective->low, 954);
    EXPECT_EQ(later.streams[1].draws->latency->low.p99, Nanos{2'000'000});
    EXPECT_EQ(later.streams[1].draws->latency->high.p99, Nanos{3'000'000});
    EXPECT_EQ(later.units[0].draws->utilization.high, 1) << "and never more";
    const std::string table = ReportTable({later}, 400);
    EXPECT_NE(table.find("cost each other, and intervals reach as far\n"), std::string::npos) << table;
  }
}

TEST(Draws, TheirMedianIsSaidWhereTheRunLiesBeyondThem) {
  Report beyond = DrawnReport("a", Steps(101)), among = DrawnReport("b", Steps(101));
  beyond.makespan = Nanos{1000};
  among.makespan = Nanos{1004};
  const auto texts = IntervalTexts({beyond, among});
  ASSERT_EQ(texts.size(), 2u);
  EXPECT_EQ(texts[1],
            "to be expected is another makespan than that of every task at its median, by the median "
            "over the draws: a +5.0 %");
  EXPECT_EQ(IntervalTexts({among}).size(), 1u);
  const Json json = Json::parse(ReportJson(beyond));
  EXPECT_EQ(json["makespan_ns"], 1000);
  EXPECT_EQ(json["makespan_median_ns"], 1050);
  EXPECT_EQ(json["objective"]["median"], 1050);
}

TEST(Draws, HaveAMedianOfEveryObjectiveThatTheyTellOf) {
  const Report report = DrawnReport("a", Steps(101));
  EXPECT_EQ(DrawnMedian(report, Objective::kMakespan), 1050);
  EXPECT_EQ(DrawnMedian(report, Objective::kMisses), 2);
  EXPECT_EQ(DrawnMedian(report, Objective::kP99Latency), 10e6);
  EXPECT_EQ(DrawnMedian(report, Objective::kBalancedGain), ObjectiveValue(report, Objective::kBalancedGain))
      << "all draws have the same latencies";
  EXPECT_FALSE(DrawnMedian(ReportWith("b", 1), Objective::kMakespan));
}

TEST(Draws, TheTableSaysHowFarTheFartherEndIs) {
  Report report = DrawnReport("a", Steps(101));
  report.makespan = Nanos{1060};
  const std::string table = ReportTable({report}, 80);
  EXPECT_NE(table.find(" 5.3%"), std::string::npos) << table;  // 1004
  EXPECT_NE(table.find("interval of 90 %, by 101 draws"), std::string::npos) << table;
}

TEST(Draws, StandBesideEveryFigureOfATableThatHasRoom) {
  Report report = ReportWith("a", 1050);
  report.latency->p99 = Nanos{10'040};
  std::vector<Report> drawn;
  for (const std::int64_t makespan : Steps(101)) {
    drawn.push_back(ReportWith("a", makespan));
    drawn.back().latency->p99 = Nanos{10 * makespan};
    drawn.back().streams[1].age = drawn.back().latency;
  }
  SetDraws(drawn, 0.9, report);
  const std::string wide = ReportTable({report}, 200), narrow = ReportTable({report}, 60);
  EXPECT_NE(wide.find(" 9.2%"), std::string::npos) << wide;  // 10,960 of 10,040
  EXPECT_NE(wide.find(" 2..2"), std::string::npos) << "ends of a count: " << wide;
  EXPECT_EQ(narrow.find(" 9.2%"), std::string::npos) << narrow;
  EXPECT_NE(narrow.find(" 4.4%"), std::string::npos) << "the objective's stays: " << narrow;
  const Json json = Json::parse(ReportJson(report));
  EXPECT_EQ(json["latency_interval_ns"]["p99"], (Json{10'040, 10'960}));
  EXPECT_EQ(json["streams"][1]["age_interval_ns"]["p99"], (Json{10'040, 10'960}));
  EXPECT_FALSE(json["streams"][0].contains("age_interval_ns"));
}

// Of 101 draws of a run without a miss, each misses another number of requests from 0 on.
Report WithoutMisses() {
  const auto missing = [](std::int64_t missed) {
    Report report = ReportWith("a", 1000);
    report.objective = Objective::kMisses;
    report.missed = missed;
    return report;
  };
  std::vector<Report> drawn;
  for (const std::int64_t missed : Steps(101, 0)) drawn.push_back(missing(missed));
  Report report = missing(0);
  SetDraws(drawn, 0.9, report);
  CoverFigures(report);
  return report;
}

TEST(Draws, AFigureOfNoneHidesNeitherItsIntervalNorItsMedian) {
  const Report report = WithoutMisses();  // the fifth greatest of 0..100 is 96, the one in the middle 50
  EXPECT_EQ(IntervalCell(report), "0..96");
  const std::string table = ReportTable({report}, 400);
  EXPECT_NE(table.find("objective +-"), std::string::npos) << table;
  EXPECT_NE(table.find(" 0..96 "), std::string::npos) << table;
  const auto texts = IntervalTexts({report});
  ASSERT_EQ(texts.size(), 2u);
  EXPECT_EQ(texts[1],
            "to be expected are other misses than those of every task at its median, by the median over the "
            "draws: a misses 50");
}

TEST(Draws, OfAFigureOfNoneThatIsNoCountHaveEndsToo) {
  Report report = ReportWith("a", 1000);
  report.throughput_per_s = 0;
  std::vector<Report> drawn(101, report);
  for (std::size_t d = 0; d < drawn.size(); ++d) drawn[d].throughput_per_s = static_cast<double>(d);
  SetDraws(drawn, 0.9, report);
  CoverFigures(report);
  EXPECT_EQ(IntervalCell(report, Objective::kThroughput), "0.000..96.00");
}

TEST(Draws, HaveAMedianBesideEveryInterval) {
  Report report = ReportWith("a", 1050);
  std::vector<Report> drawn;
  for (const std::int64_t value : Steps(101)) {  // from 1000 to 1100: 1004, 1050 and 1096
    drawn.push_back(ReportWith("a", value));
    Report& draw = drawn.back();
    draw.dropped = draw.streams[1].dropped = value;
    draw.streams[1].dropped_share = static_cast<double>(value) / 2000;
    draw.streams[1].drop_age = draw.streams[1].latency;
    draw.streams[1].drop_age->p99 = Nanos{value};
    draw.streams[1].energy_above_idle_j = static_cast<double>(value) / 2;
    draw.streams[1].xrbench =
        XrbenchScore{.real_time = 0.5, .energy = {}, .qoe = static_cast<double>(value) / 2000};
    draw.xrbench_overall = static_cast<double>(value) / 100;
    draw.units[0].busy = Nanos{value};
  }
  report.streams[1].may_drop = true;
  report.streams[1].drop_age = report.streams[1].latency;
  SetDraws(drawn, 0.9, report);
  const Json json = Json::parse(ReportJson(report)), &stream = json["streams"][1];
  EXPECT_EQ(json["makespan_median_ns"], 1050);
  EXPECT_EQ(json["latency_median_ns"]["p99"], 10'000'000) << "of all draws";
  EXPECT_EQ(json["missed_median"], 2);
  EXPECT_TRUE(json["energy_median_j"].is_null());
  EXPECT_EQ(json["dropped_interval"], (Json{1004, 1096}));
  EXPECT_EQ(json["dropped_median"], 1050);
  EXPECT_EQ(json["xrbench_interval"]["overall"], (Json{10.04, 10.96}));
  EXPECT_EQ(json["xrbench_median"]["overall"], 10.5);
  EXPECT_EQ(json["units"][0]["busy_median_ns"], 1050);
  EXPECT_EQ(stream["dropped_share_interval"], (Json{0.502, 0.548}));
  EXPECT_EQ(stream["dropped_share_median"], 0.525);
  EXPECT_EQ(stream["drop_age_interval_ns"]["p99"], (Json{1004, 1096}));
  EXPECT_EQ(stream["drop_age_median_ns"]["p99"], 1050);
  EXPECT_EQ(stream["energy_above_idle_interval_j"], (Json{502.0, 548.0}));
  EXPECT_EQ(stream["energy_above_idle_median_j"], 525.0);
  EXPECT_EQ(stream["xrbench_interval"]["qoe"], (Json{0.502, 0.548}));
  EXPECT_TRUE(stream["xrbench_interval"]["energy"].is_null());
  EXPECT_EQ(stream["xrbench_median"]["real_time"], 0.5);
  EXPECT_FALSE(json["streams"][0].contains("dropped_interval")) << "it drops none";
}

TEST(Draws, OfWhichATableHasNoRoomAreSaidToStandInAWideOne) {
  const Report report = DrawnReport("a", Steps(101));
  const std::string said = "--wide shows the intervals of the other figures, too\n";
  EXPECT_NE(ReportTable({report}, 60).find(said), std::string::npos);
  EXPECT_EQ(ReportTable({report}, 400).find(said), std::string::npos);
}

TEST(Draws, HaveTheErrorOfProfilesInThemAndElsewhereAMarginInsideItIsNoWin) {
  Report report = DrawnReport("a", Steps(101));
  report.profiles = {{"x.profile.json", {}}};
  report.profiles[0].origin.kind = OriginKind::kEstimated;
  report.profiles[0].origin.error = 0.2;
  const std::string no_win = "that all share: a margin inside that is no win\n",
                    drawn = "+-20 % of each unit and model: every draw has its own\n";
  const std::string by_draws = ReportTable({report}, 400);
  EXPECT_NE(by_draws.find(drawn), std::string::npos) << by_draws;
  EXPECT_EQ(by_draws.find(no_win), std::string::npos) << by_draws;
  report.draws.reset();
  const std::string by_runs = ReportTable({report}, 400);
  EXPECT_NE(by_runs.find(no_win), std::string::npos) << by_runs;
  EXPECT_EQ(by_runs.find(drawn), std::string::npos) << by_runs;
}

TEST(WinnerOfDraws, IsNamedWithTheShareInWhichItIsBest) {
  std::vector<std::int64_t> other = Steps(100, 1010);
  for (std::size_t d = 0; d < 9; ++d) other[d] = 1;
  std::vector<Report> reports = {DrawnReport("other", other), DrawnReport("best", Steps(100))};
  SetWinProbabilities(reports, Objective::kMakespan);
  EXPECT_DOUBLE_EQ(*reports[1].draws->win_probability, 0.91);
  EXPECT_TRUE(NotToldFrom(reports, 1, Objective::kMakespan).empty());
  EXPECT_EQ(WinnerText(reports, 1, Objective::kMakespan), "best is best in 91.0% of 100 draws");
}

TEST(WinnerOfDraws, IsNotNamedWhereAnotherIsBetterInATenthOfThem) {
  std::vector<std::int64_t> other = Steps(100, 1010);
  for (std::size_t d = 0; d < 10; ++d) other[d] = 1;
  std::vector<Report> reports = {DrawnReport("other", other), DrawnReport("best", Steps(100))};
  SetWinProbabilities(reports, Objective::kMakespan);
  EXPECT_EQ(NotToldFrom(reports, 1, Objective::kMakespan), std::vector<std::size_t>{0});
  EXPECT_EQ(WinnerText(reports, 1, Objective::kMakespan),
            "these cannot be told apart by makespan: best, other; best is best in 90.0% of 100 draws");
}

TEST(WinnerOfDraws, IsNotNamedWhereAnotherMayWellBeBetterThanWhatIsCertain) {
  std::vector<std::int64_t> other(100, 1060);
  for (std::size_t d = 0; d < 40; ++d) other[d] = 950;
  std::vector<Report> reports = {DrawnReport("other", other),
                                 DrawnReport("best", std::vector<std::int64_t>(100, 1000))};
  SetWinProbabilities(reports, Objective::kMakespan);
  EXPECT_EQ(NotToldFrom(reports, 1, Objective::kMakespan), std::vector<std::size_t>{0})
      << "in the mean it is worse than the best one ever is";
}

TEST(WinnerOfDraws, IsNamedWhereNoiseOfBothIsAllThatReachesAsFar) {
  std::vector<std::int64_t> best = Steps(100), other;
  for (std::size_t d = 0; d < 100; ++d) other.push_back(best[d] + (d % 8 == 0 ? -1 : 20));
  std::vector<Report> reports = {DrawnReport("other", other), DrawnReport("best", best)};
  SetWinProbabilities(reports, Objective::kMakespan);
  EXPECT_TRUE(NotToldFrom(reports, 1, Objective::kMakespan).empty())
      << "better in 13 draws, by 1; worse in all others, by 20, of 100 that both come out higher or lower";
}

TEST(WinnerOfDraws, IsTheSameWhateverIntervalIsShown) {
  std::vector<std::int64_t> other;
  for (std::size_t d = 0; d < 100; ++d) other.push_back(d < 15 ? 950 : 1020);
  for (const double shown : {0.5, 0.9}) {
    std::vector<Report> reports = {DrawnReport("other", other),
                                   DrawnReport("best", std::vector<std::int64_t>(100, 1000))};
    for (Report& report : reports) report.draws->probability = shown;
    SetWinProbabilities(reports, Objective::kMakespan);
    EXPECT_EQ(NotToldFrom(reports, 1, Objective::kMakespan), std::vector<std::size_t>{0}) << shown;
  }
}

TEST(WinnerOfDraws, AreBothBestInTheDrawsInWhichTheyAreAlike) {
  std::vector<Report> reports = {DrawnReport("a", Steps(100)), DrawnReport("b", Steps(100))};
  SetWinProbabilities(reports, Objective::kMakespan);
  for (const Report& report : reports) EXPECT_DOUBLE_EQ(*report.draws->win_probability, 1) << report.label;
  EXPECT_TRUE(NotToldFrom(reports, 0, Objective::kMakespan).empty()) << "no better in any draw";
}

TEST(WinnerOfDraws, HasNoProbabilityBesideOneOfWhomNothingIsKnown) {
  std::vector<Report> reports = {DrawnReport("a", Steps(100)), ReportWith("b", 999)};
  SetWinProbabilities(reports, Objective::kMakespan);
  EXPECT_FALSE(reports[0].draws->win_probability);
  EXPECT_EQ(WinnerText(reports, 0, Objective::kMakespan), "") << "nobody asked for its draws";
  ForgetDraws("its times are medians alone", reports[1]);
  SetWinProbabilities(reports, Objective::kMakespan);
  const std::string why = "no interval of b: its times are medians alone";
  for (const std::size_t winner : {0U, 1U}) {
    EXPECT_EQ(WinnerText(reports, winner, Objective::kMakespan),
              "how sure the best is cannot be told: no interval of b");
    EXPECT_EQ(Json::parse(ReportJson(reports[winner]))["win_probability_why"], why);
  }
  reports[1] = DrawnReport("b", Steps(100));
  SetWinProbabilities(reports, Objective::kMakespan);
  EXPECT_FALSE(Json::parse(ReportJson(reports[0])).contains("win_probability_why"));
}

TEST(WinnerOfDraws, HasNoProbabilityBesideOneThatFailed) {
  std::vector<Report> reports = {DrawnReport("a", Steps(100)), ReportWith("b", 1)};
  reports[1].complete = false;
  reports[1].failed = "no watts";
  SetWinProbabilities(reports, Objective::kMakespan);
  EXPECT_FALSE(reports[0].draws->win_probability);
  EXPECT_EQ(Json::parse(ReportJson(reports[0]))["win_probability_why"],
            "no makespan of b: they may be better");
  EXPECT_EQ(
      WinnerText(reports, 0, Objective::kMakespan),
      "a is the best of those that could be counted; how sure the best is cannot be told: no makespan of b");

  reports[1].beside = true;  // who never wins makes nobody unsure
  SetWinProbabilities(reports, Objective::kMakespan);
  EXPECT_EQ(reports[0].draws->win_probability, 1);
}

// Of this name, measured, its drift not.
ProfileUsed Drifting(const std::string& name) {
  ProfileUsed profile;
  profile.name = name;
  return profile;
}

TEST(WinnerOfDraws, SaysThatTheDriftOfItsTimesWasNotMeasured) {
  Report report = DrawnReport("a", Steps(101));
  report.profiles = {Drifting("p")};
  EXPECT_EQ(DriftText(report), "the drift of p was not measured");
  EXPECT_NE(
      ReportTable({report}, 400).find("the drift of p was not measured: the intervals are of the machine"),
      std::string::npos);
  EXPECT_EQ(Json::parse(ReportJson(report))["interval_lacks"], DriftText(report));
  report.profiles[0].origin.error = 0;
  EXPECT_EQ(DriftText(report), "");
  EXPECT_FALSE(Json::parse(ReportJson(report)).contains("interval_lacks"));
}

TEST(Draws, OfRandomArrivalsAreSaidToBeOfOneSeed) {
  Report report = DrawnReport("a", Steps(101));
  report.profiles = {Drifting("p")};
  report.profiles[0].origin.error = 0;
  report.seed = 7;
  const std::string said = "are of these arrivals (seed 7): tandem simulate --replications draws others\n";
  EXPECT_EQ(ReportTable({report}, 400).find(said), std::string::npos) << "none is random";
  report.random_arrivals = true;
  EXPECT_NE(ReportTable({report}, 400).find(said), std::string::npos) << ReportTable({report}, 400);
  EXPECT_EQ(Json::parse(ReportJson(report))["interval_lacks"], "arrivals are those of seed 7 alone");
  report.draws.reset();
  EXPECT_EQ(ReportTable({report}, 400).find(said), std::string::npos) << "nothing was drawn";
  EXPECT_EQ(LacksText(report), "");
}

TEST(WinnerOfDraws, HasNoProbabilityWhereSeveralProfilesMayHaveDriftedApart) {
  std::vector<Report> reports = {DrawnReport("a", Steps(100)), DrawnReport("b", Steps(100, 1500))};
  for (Report& report : reports) report.profiles = {Drifting("p"), Drifting("q")};
  SetWinProbabilities(reports, Objective::kMakespan);
  EXPECT_FALSE(reports[0].draws->win_probability);
  EXPECT_EQ(reports[0].win_why, "the drift of p, q was not measured: they may have drifted apart");
  EXPECT_EQ(WinnerText(reports, 0, Objective::kMakespan),
            "how sure the best is cannot be told: the drift of p, q was not measured");

  for (Report& report : reports) report.profiles[1].origin.error = 0.0005;
  SetWinProbabilities(reports, Objective::kMakespan);
  EXPECT_FALSE(reports[0].draws->win_probability) << "what drifts by nobody knows what, beside what does not";
  EXPECT_EQ(reports[0].win_why,
            "the drift of p was not measured: it may have drifted away from the other profiles");

  for (Report& report : reports) report.profiles.pop_back();
  SetWinProbabilities(reports, Objective::kMakespan);
  EXPECT_EQ(reports[0].draws->win_probability, 1) << "what one profile drifts by meets both alike";
  EXPECT_EQ(reports[0].win_why, "");
}

}  // namespace
}  // namespace tandem
