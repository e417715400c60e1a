// Do the rows of a sweep say together what they should: what is best, what matters, where the winner changes?
#include "sim/sweep/results.h"

#include <gtest/gtest.h>

#include <cmath>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "profiles/base/files.h"
#include "sim/sweep/effects.h"
#include "sim/sweep/origins.h"
#include "tests/support/error_of.h"
#include "tests/support/sweep_text.h"
#include "tests/support/temp_folder.h"

namespace tandem {
namespace {

SweepRow MadeRow(const std::string& rate, const std::string& policy, double makespan, double joules = 1,
                 double missed = 0) {
  SweepRow row;
  row.key = rate + policy;
  row.version = "1";
  row.engine = "virtual";
  row.point = {{"rate", rate}};
  row.policy = policy;
  row.figures = {{"makespan_ns", makespan}, {"energy_j", joules}, {"missed", missed}};
  row.unknown = 0;
  return row;
}

Sweep RateSweep(const std::string& more = R"("objective": "makespan")") {
  return SweepWith(
      R"({"name": "rate", "pointers": ["/streams/0/arrival/rate_per_s"], "values": [10, 20, 30, 40]})",
      R"({"type": "grid"})", more);
}

// eft takes 10 at any rate; best is slower below 25 and faster above.
std::vector<SweepRow> CrossingRows() {
  std::vector<SweepRow> rows;
  const double best[] = {13, 11, 9, 7};
  for (int level = 0; level < 4; ++level) {
    const std::string rate = std::to_string(10 * (level + 1));
    rows.push_back(MadeRow(rate, "eft", 10));
    rows.push_back(MadeRow(rate, "best", best[level]));
  }
  return rows;
}

TEST(TheWinner, ChangesWhereTheLinesCross) {
  const auto winners = WinnersAlong(RateSweep(), CrossingRows(), "makespan_ns");
  ASSERT_EQ(winners.size(), 1U);
  EXPECT_EQ(WinnersText(winners[0]), "rate: eft wins below 25.00, best wins above");
  ASSERT_EQ(winners[0].reigns.size(), 2U);
  EXPECT_EQ(winners[0].reigns[0].last, "20");
  EXPECT_EQ(winners[0].reigns[1].first, "30");
}

TEST(TheWinner, KeepsWhatIsRequired) {
  const Sweep sweep = RateSweep(R"("require": [{"figure": "missed", "at_most": 0}])");
  std::vector<SweepRow> rows = CrossingRows();
  for (SweepRow& row : rows) {
    if (row.policy == "best" && row.point["rate"] == "40") row.figures["missed"] = 1;
  }
  const auto winners = WinnersAlong(sweep, rows, "makespan_ns");
  EXPECT_EQ(winners[0].reigns.back().policy, "eft");
  EXPECT_EQ(rows[BestRows(sweep, rows, "makespan_ns").front()].key, "30best");
}

TEST(TheWinner, IsNobodyWhereTwoAreEqualAndNeverOneThatSeesWhatIsToCome) {
  std::vector<SweepRow> rows;
  for (const char* rate : {"10", "20"}) {
    rows.push_back(MadeRow(rate, "eft", 5));
    rows.push_back(MadeRow(rate, "fcfs", 5));
    rows.push_back(MadeRow(rate, "heft", 1));
    rows.back().beside = true;
  }
  const auto winners = WinnersAlong(RateSweep(), rows, "makespan_ns");
  ASSERT_EQ(winners.size(), 1U);
  EXPECT_EQ(WinnersText(winners[0]), "rate: eft and fcfs tie everywhere");
  for (const std::size_t row : BestRows(RateSweep(), rows, "makespan_ns"))
    EXPECT_NE(rows[row].policy, "heft");
}

// Its 11 draws: the median, and what is so much more, or less, in tenths of a step.
void Draw(double median, double step, std::string_view figure, SweepRow& row) {
  const std::string name(figure);
  row.unknown.reset();
  row.drawn.clear();
  for (int d = -5; d <= 5; ++d) row.drawn.push_back(median + step * d / 5);
  row.medians[name] = median;
  row.intervals[name] = {median - std::abs(step), median + std::abs(step)};
}

// Draws that reach as far on both sides. Where eft is slow best is fast.
std::vector<SweepRow> DrawnWithin(double reach) {
  std::vector<SweepRow> rows = CrossingRows();
  for (SweepRow& row : rows) {
    Draw(row.figures["makespan_ns"], row.policy == "eft" ? reach : -reach, "makespan_ns", row);
  }
  return rows;
}

const std::string kWithIntervals = R"("objective": "makespan", "interval": 90)";

// best takes 3, 1, -1 and -3 more than eft, less 2 x reach x d / 5 in draw d = -5..5. The other one is ahead
// at a lead of 1 in the draws with d > 2.5 / reach, at 3 with d > 7.5 / reach.
TEST(TheWinner, IsToldWhereDrawsTellItFromTheOthers) {
  const Sweep sweep = RateSweep(kWithIntervals);
  const auto text = [&](double reach) {
    return WinnersText(WinnersAlong(sweep, DrawnWithin(reach), "makespan_ns")[0]);
  };
  EXPECT_EQ(text(0.4),
            "rate: eft wins below 25.00 (best in at least 100.0% of the draws), best wins above (best in at "
            "least 100.0% of the draws)");
  // d = 5 alone, one of 11, is less than a tenth.
  EXPECT_EQ(text(0.6),
            "rate: eft wins below 25.00 (best in at least 90.9% of the draws), best wins above (best in at "
            "least 90.9% of the draws)");
  // At a lead of 1 four of 11, at one of 3 one.
  EXPECT_EQ(
      text(1.8),
      "rate: eft wins below 25.00 (cannot be told at 1 of 2 values), best wins above (cannot be told at "
      "1 of 2 values)");
  EXPECT_EQ(text(4), "rate: eft leads below 25.00 (cannot be told), best leads above (cannot be told)");
  const auto winners = WinnersAlong(sweep, DrawnWithin(1.8), "makespan_ns");
  EXPECT_EQ(winners[0].reigns[0].values, 2);
  EXPECT_EQ(winners[0].reigns[0].told, 1);
  EXPECT_DOUBLE_EQ(*winners[0].reigns[0].probability, 7. / 11);
}

TEST(TheWinner, IsThatOfTheMediansOverTheDrawsAndNotThatOfTheRuns) {
  std::vector<SweepRow> rows;
  for (const char* rate : {"10", "20"}) {
    rows.push_back(MadeRow(rate, "steady", 21));
    Draw(21, 0.1, "makespan_ns", rows.back());
    rows.push_back(MadeRow(rate, "skewed", 20));  // every task at its median; each draw has slow ones
    Draw(26, 0.1, "makespan_ns", rows.back());
  }
  const Sweep sweep = RateSweep(kWithIntervals);
  EXPECT_EQ(WinnersText(WinnersAlong(sweep, rows, "makespan_ns")[0]),
            "rate: steady wins everywhere (best in at least 100.0% of the draws)");
  EXPECT_EQ(rows[BestRows(sweep, rows, "makespan_ns").front()].policy, "steady");
  EXPECT_EQ(rows[ParetoFront(sweep, rows, {"makespan_ns", "energy_j"}).front()].policy, "steady");
}

TEST(TheWinner, IsNotToldWhereDrawsAreMissing) {
  std::vector<SweepRow> rows = DrawnWithin(0.4);
  rows[0].drawn.clear();  // eft's, at 10
  rows[0].medians.clear();
  const Winners winners = WinnersAlong(RateSweep(kWithIntervals), rows, "makespan_ns")[0];
  EXPECT_EQ(WinnersText(winners),
            "rate: eft wins below 25.00 (cannot be told at 1 of 2 values), best wins above (best in at least "
            "100.0% of the draws)");
  EXPECT_FALSE(winners.reigns[0].probability);
}

TEST(TheWinner, HasNoProbabilityWhereProfilesMayHaveDriftedApart) {
  std::vector<SweepRow> rows = DrawnWithin(0.4);
  rows[0].probability_why = "p and q may have drifted apart";
  EXPECT_EQ(WinnersText(WinnersAlong(RateSweep(kWithIntervals), rows, "makespan_ns")[0]),
            "rate: eft wins below 25.00, best wins above (best in at least 100.0% of the draws)");
}

TEST(TheWinner, WithoutDrawsIsToldWhereItsMarginIsBeyondWhatIsNotKnown) {
  // eft leads by 3 and 1 of 10: 30 and 10 %. best leads by 1 of 9 and 3 of 7: 11 and 43 %.
  const auto text = [](const std::optional<double>& unknown) {
    std::vector<SweepRow> rows = CrossingRows();
    for (SweepRow& row : rows) row.unknown = unknown;
    return WinnersText(WinnersAlong(RateSweep(), rows, "makespan_ns")[0]);
  };
  EXPECT_EQ(text(0.05), "rate: eft wins below 25.00, best wins above");
  EXPECT_EQ(text(0.105), "rate: eft wins below 25.00 (cannot be told at 1 of 2 values), best wins above");
  EXPECT_EQ(
      text(0.35),
      "rate: eft leads below 25.00 (cannot be told), best wins above (cannot be told at 1 of 2 values)");
  EXPECT_EQ(text(std::nullopt),
            "rate: eft leads below 25.00 (cannot be told), best leads above (cannot be told)");
}

TEST(TheWinner, OfAFigureOfWhichMoreIsBetterIsToldByTheDrawsWithMore) {
  std::vector<SweepRow> rows;
  for (const char* rate : {"10", "20"}) {
    rows.push_back(MadeRow(rate, "eft", 1));
    rows.back().figures["throughput_per_s"] = 20;
    Draw(20, 2, "throughput_per_s", rows.back());
    rows.push_back(MadeRow(rate, "fcfs", 1));
    rows.back().figures["throughput_per_s"] = 19;
    Draw(19, rate == std::string("10") ? 2 : -2, "throughput_per_s", rows.back());
  }
  EXPECT_EQ(WinnersText(WinnersAlong(RateSweep(R"("interval": 90)"), rows, "throughput_per_s")[0]),
            "rate: eft wins everywhere (cannot be told at 1 of 2 values)");
}

TEST(MainEffects, ShareTheVariance) {
  // Makespan 1000 * (the rate's number) + (0 or 1 by policy): nearly all of it is the rate.
  std::vector<SweepRow> rows;
  for (int rate = 1; rate <= 4; ++rate) {
    rows.push_back(MadeRow(std::to_string(10 * rate), "a", 1000.0 * rate));
    rows.push_back(MadeRow(std::to_string(10 * rate), "b", 1000.0 * rate + 1));
  }
  const auto effects = MainEffects(RateSweep(), rows, "makespan_ns");
  ASSERT_EQ(effects.size(), 2U);
  EXPECT_EQ(effects[0].factor, "rate");
  EXPECT_EQ(effects[0].best, "10");
  EXPECT_EQ(effects[0].worst, "40");
  EXPECT_DOUBLE_EQ(effects[0].best_mean, 1000.5);
  EXPECT_EQ(effects[1].factor, "policy");
  EXPECT_NEAR(effects[0].share + effects[1].share, 1, 1e-9);  // nothing else varies
}

TEST(MainEffects, AreOfTheMediansOverTheDrawsWhereAllHaveSome) {
  // By their runs a is better, by their draws b.
  std::vector<SweepRow> rows = {MadeRow("10", "a", 100), MadeRow("10", "b", 101)};
  rows[0].medians["makespan_ns"] = 140;
  rows[1].medians["makespan_ns"] = 120;
  const auto of_policy = [&] { return MainEffects(RateSweep(), rows, "makespan_ns").back(); };
  EXPECT_EQ(of_policy().factor, "policy");
  EXPECT_EQ(of_policy().best, "b");
  EXPECT_EQ(of_policy().best_mean, 120);
  rows[1].medians.clear();
  EXPECT_EQ(of_policy().best, "a") << "figures of one kind alone";
}

TEST(AFactorOfManyNumbers, IsPutTogetherToRanges) {
  std::vector<SweepRow> rows;
  for (int rate = 1; rate <= 50; ++rate) rows.push_back(MadeRow(std::to_string(rate), "a", rate));
  std::vector<std::size_t> all(rows.size());
  for (std::size_t r = 0; r < all.size(); ++r) all[r] = r;
  const auto factors = FactorsOf(RateSweep(), rows, all);
  ASSERT_EQ(factors.size(), 1U);
  ASSERT_EQ(factors[0].levels.size(), 5U);
  EXPECT_EQ(factors[0].levels[0].label, "1 to 10");
  EXPECT_DOUBLE_EQ(*factors[0].levels[4].at, 45.5);
}

TEST(TheParetoFront, HasThoseThatNoneBeats) {
  const std::vector<SweepRow> rows = {MadeRow("10", "fast", 1, 9), MadeRow("10", "between", 5, 5),
                                      MadeRow("10", "beaten", 6, 6), MadeRow("10", "thrifty", 9, 1),
                                      MadeRow("10", "slower", 9, 2)};
  const auto front = ParetoFront(RateSweep(), rows, {"makespan_ns", "energy_j"});
  ASSERT_EQ(front.size(), 3U);
  EXPECT_EQ(rows[front[0]].policy, "fast");
  EXPECT_EQ(rows[front[1]].policy, "between");
  EXPECT_EQ(rows[front[2]].policy, "thrifty");
}

TEST(TheParetoFront, IsOfTwoOrThreeFiguresThatThereAre) {
  EXPECT_EQ(ErrorOf([] {
              CheckParetoFigures({"makespan_ns", "energy_w"});
            }),
            "--pareto: no figure is called \"energy_w\"; did you mean \"energy_j\"?");
  EXPECT_EQ(ErrorOf([] { CheckParetoFigures({"makespan_ns"}); }),
            "--pareto: a front is of two or three figures, as makespan_ns,energy_j");
  EXPECT_EQ(ErrorOf([] { CheckParetoFigures({}); }), "no error");
}

CollectedRows CollectedOf(std::vector<SweepRow> rows) {
  CollectedRows collected;
  collected.rows = std::move(rows);
  return collected;
}

TEST(TheResult, IsToldInTextAndJsonAlike) {
  CollectedRows collected = CollectedOf(CrossingRows());
  collected.missing = {"m"};
  const std::string text = ResultsText(RateSweep(), collected, {"makespan_ns", "energy_j"}, 80);
  for (const char* part : {"test: 9 runs, 8 ok, 0 failed, 1 missing", "best by makespan ms",
                           "Pareto front of makespan ms and energy j", "what matters",
                           "rate: eft wins below 25.00, best wins above"}) {
    EXPECT_NE(text.find(part), std::string::npos) << part << " is not in\n" << text;
  }
  const auto json = nlohmann::json::parse(ResultsJson(RateSweep(), collected, {"makespan_ns", "energy_j"}));
  EXPECT_EQ(json["rows"].size(), 8U);
  EXPECT_EQ(json["missing"], nlohmann::json({"m"}));
  EXPECT_EQ(json["failed"], 0);
  EXPECT_EQ(json["compared_by"], "runs");
  EXPECT_EQ(json["best"][0], "40best");
  EXPECT_EQ(json["close"], 0);
  EXPECT_EQ(json["pareto"], nlohmann::json({"40best"}));
  EXPECT_EQ(json["winners"][0]["reigns"][0]["until"], 25);
}

TEST(TheResult, HasBothEndsOfTheIntervalOfAFigureThatIsNone) {
  const Sweep sweep = RateSweep(R"("objective": "misses", "interval": 90)");
  CollectedRows collected = CollectedOf(CrossingRows());
  for (SweepRow& row : collected.rows) {
    row.figures["missed"] = 0;
    row.intervals["missed"] = {0, 29};
  }
  const std::string text = ResultsText(sweep, collected, {}, 120);
  EXPECT_NE(text.find("0..29"), std::string::npos) << text;
}

TEST(TheResult, HasIntervalsWhereTheyAreAskedFor) {
  const TempFolder folder;
  const Sweep sweep = RateSweep(kWithIntervals);
  CollectedRows collected = CollectedOf(DrawnWithin(2));
  collected.rows[0].intervals.clear();
  collected.rows[0].medians.clear();
  collected.rows[0].drawn.clear();
  collected.rows[0].interval_why = "nobody knows";
  const std::string text = ResultsText(sweep, collected, {}, 120);
  // Draws of 7 -+ 2 against 9 -+ 2 of the same luck never meet; of 10 +- 2 two of 11 are less, at 3 rates.
  for (const char* part : {"+-", "28.6 %", "median", "+-: the farther end of the interval of 90 %, by draws",
                           "4 of the other 7 runs cannot be told from the best by their draws",
                           "no interval of 1 run: nobody knows"}) {
    EXPECT_NE(text.find(part), std::string::npos) << part << " is not in\n" << text;
  }
  const auto json = nlohmann::json::parse(ResultsJson(sweep, collected, {}));
  EXPECT_EQ(json["interval"], 90);
  EXPECT_EQ(json["compared_by"], "runs") << "one of them was not drawn";
  EXPECT_EQ(json["close"], 4) << "the one that was not drawn, too";
  EXPECT_EQ(json["winners"][0]["reigns"][0]["values"], 2);
  EXPECT_EQ(json["winners"][0]["reigns"][0]["told"], 0);
  EXPECT_DOUBLE_EQ(json["winners"][0]["reigns"][1]["probability"], 7. / 11);
  EXPECT_EQ(json["rows"][1]["intervals"]["makespan_ns"], nlohmann::json({11.0, 15.0}));
  EXPECT_EQ(nlohmann::json::parse(ResultsJson(sweep, CollectedOf(DrawnWithin(2)), {}))["compared_by"],
            "draws");
  WriteResultsCsv(sweep, collected, folder / "t.csv");
  const std::string csv = ReadTextFile(folder / "t.csv");
  EXPECT_NE(csv.find(",makespan_median_ns,makespan_low_ns,makespan_high_ns,"), std::string::npos) << csv;
  EXPECT_NE(csv.find(",13,11,15,"), std::string::npos) << csv;
}

TEST(TheResult, OfRunsAloneSaysWhatWouldTell) {
  CollectedRows collected = CollectedOf(CrossingRows());
  EXPECT_EQ(ResultsText(RateSweep(), collected, {}, 200).find("cannot be told"), std::string::npos);
  for (SweepRow& row : collected.rows) row.unknown = 0.5;
  // 50 % of the best one's 7 is more than 9 and 10 are away, and less than 11 is.
  const std::string text = ResultsText(RateSweep(), collected, {}, 200);
  EXPECT_NE(text.find("\n5 of the other 7 runs cannot be told from the best\n"), std::string::npos) << text;
  EXPECT_NE(
      text.find("the margin lies within what is not known of their times; \"interval\": 90 draws them\n"),
      std::string::npos)
      << text;
  collected.rows[0].unknown.reset();
  EXPECT_NE(
      ResultsText(RateSweep(), collected, {}, 200).find("of some times nobody knows how far off they are"),
      std::string::npos);
}

TEST(TheResult, SaysWhereTheTimesComeFrom) {
  const Sweep sweep = SweepWith(R"({"name": "seed", "pointers": ["/seed"], "values": [1, 2, 3]})");
  const std::string text = ResultsText(sweep, {}, {}, 80);
  EXPECT_NE(text.find("tinker-edge-r.profile.json: times published ("), std::string::npos) << text;
  EXPECT_EQ(text.find("profile.json: times"), text.rfind("profile.json: times")) << "once\n" << text;
  const auto json = nlohmann::json::parse(ResultsJson(sweep, {}, {}));
  ASSERT_EQ(json["profiles"].size(), 1U);
  EXPECT_EQ(json["profiles"][0]["profile"], "tinker-edge-r.profile.json");
}

TEST(TheResult, SaysWhereTheTimesComeFromOfEveryScenarioThatVaries) {
  const auto names = [](const std::string& axes) {
    std::vector<std::string> found;
    for (const ProfileUsed& profile : TimesOf(SweepWith(axes)).profiles) found.push_back(profile.name);
    return found;
  };
  EXPECT_EQ(names(R"({"name": "scenario", "pointers": [""], "values": ["study-003", "study-001"]},
                     {"name": "seed", "pointers": ["/seed"], "values": [1, 2]})"),
            (std::vector<std::string>{"tinker-edge-r.profile.json", "exynos5422.profile.json"}));
  const std::string off =
      R"({"name": "error", "pointers": ["/profiles/0/origin/error"], "values": [0.1, 0.2]})";
  EXPECT_EQ(names(off), (std::vector<std::string>{"in place", "in place"}));
  EXPECT_EQ(names(R"({"name": "rate", "pointers": ["/streams/0/arrival/rate_per_s"], "values": [1, 2]})"),
            std::vector<std::string>())
      << "no point is a scenario";
}

// Of the two units of study-001 that share a memory nobody measured what they cost each other.
TEST(TheResult, SaysWhatIsTakenForWantOfAMeasurement) {
  const Sweep sweep = SweepWith(
      R"({"name": "scenario", "pointers": [""], "values": ["study-001"]}, {"name": "seed", "pointers": ["/seed"], "values": [1, 2]})");
  const std::string taken =
      R"(units "cpu" and "gpu" share memory "dram", and no profile says what they cost each other: taken is nothing)";
  const std::string text = ResultsText(sweep, {}, {}, 200);
  EXPECT_NE(text.find("\nestimated: " + taken + "\n"), std::string::npos) << text;
  EXPECT_EQ(text.find(taken), text.rfind(taken)) << "once\n" << text;
  const auto json = nlohmann::json::parse(ResultsJson(sweep, {}, {}));
  EXPECT_EQ(json["estimated"], nlohmann::json::array({taken}));
  const Sweep loads = SweepWith(
      R"({"name": "scenario", "pointers": [""], "values": ["study-001"]}, {"name": "load", "pointers": ["/background"], "values": [[{"unit": "cpu", "load_pct": 40}]]})");
  EXPECT_NE(ResultsText(loads, {}, {}, 200).find("taken is 1.667"), std::string::npos);
}

TEST(TheResult, IsATableForSpreadsheets) {
  const TempFolder folder;
  SweepRow failed = MadeRow("10", "a,b", 0);
  failed.status = RowStatus::kFailed;
  failed.message = "it said \"no\"";
  failed.figures.clear();
  WriteResultsCsv(RateSweep(), CollectedOf({MadeRow("10", "eft", 10), failed}), folder / "t.csv");
  const std::string text = ReadTextFile(folder / "t.csv");
  EXPECT_EQ(text.find("key,rate,policy,status,message,makespan_ns,throughput_per_s,"), 0U) << text;
  EXPECT_NE(text.find("\n10eft,10,eft,ok,,10,"), std::string::npos) << text;
  EXPECT_NE(text.find("\n10a,b,10,\"a,b\",failed,\"it said \"\"no\"\"\","), std::string::npos) << text;
}

}  // namespace
}  // namespace tandem
