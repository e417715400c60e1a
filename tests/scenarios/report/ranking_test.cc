// Who wins where the objective calls several equal, and is it said?
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "scenarios/report/json.h"
#include "scenarios/report/table.h"
#include "tests/support/hand_made_run.h"

namespace tandem {
namespace {

using Positions = std::vector<std::size_t>;

Report Named(const std::string& label, std::int64_t missed, Nanos p99, Nanos mean) {
  Report report = MakeRun().MakeReport();
  report.label = label;
  report.missed = missed;
  report.latency->p99 = p99;
  report.latency->mean = mean;
  return report;
}

TEST(Ranking, TiesAreBrokenByMissesThenP99ThenMean) {
  const Report a = Named("a", 4, Nanos{1}, Nanos{1}), b = Named("b", 0, Nanos{9}, Nanos{3}),
               c = Named("c", 0, Nanos{8}, Nanos{7}), d = Named("d", 0, Nanos{8}, Nanos{6});
  const Ranking all = RankReports({a, b, c, d}, Objective::kMakespan);
  EXPECT_EQ(all.equal, (Positions{0, 1, 2, 3}));
  EXPECT_EQ(all.winners, Positions{3});
  EXPECT_EQ(all.told_apart_by, Objective::kMeanLatency);
  EXPECT_EQ(RankReports({a, b}, Objective::kMakespan).told_apart_by, Objective::kMisses);
  EXPECT_EQ(RankReports({b, c}, Objective::kMakespan).told_apart_by, Objective::kP99Latency);
  EXPECT_EQ(TieText({a, b}, RankReports({a, b}, Objective::kMakespan), Objective::kMakespan),
            "tied by makespan: a, b; b has the least missed requests");
}

TEST(Ranking, WhatNothingTellsApartGoesByTheList) {
  const std::vector<Report> alike = {Named("a", 0, Nanos{1}, Nanos{1}), Named("b", 0, Nanos{1}, Nanos{1})};
  const Ranking ranking = RankReports(alike, Objective::kMakespan);
  EXPECT_EQ(ranking.winners, (Positions{0, 1}));
  EXPECT_FALSE(ranking.told_apart_by);
  EXPECT_NE(TieText(alike, ranking, Objective::kMakespan).find("the first in the list is taken"),
            std::string::npos);
}

TEST(Ranking, WhyNobodyWinsIsSaid) {
  Report best = Named("best", 0, Nanos{1}, Nanos{1}), other = Named("other", 0, Nanos{1}, Nanos{1});
  best.beside = other.beside = true;
  ASSERT_FALSE(RankReports({best, other}, Objective::kMakespan).taken);
  EXPECT_EQ(
      WhyNobodyWins({best, other}, Objective::kMakespan),
      "best, other never win, since they see arrivals that are still to come; name a policy that `tandem "
      "policies list` does not call clairvoyant");
  other.beside = false;
  other.completed = 0;
  other.latency.reset();
  ASSERT_FALSE(RankReports({best, other}, Objective::kP99Latency).taken);
  EXPECT_EQ(WhyNobodyWins({best, other}, Objective::kP99Latency),
            "the p99 latency of other is not known: it completed no request");
  other.energy_j.reset();
  other.energy_why = "unit \"cpu\" has no idle_w";
  EXPECT_EQ(WhyNobodyWins({best, other}, Objective::kEnergy),
            "the energy of other is not known: unit \"cpu\" has no idle_w");
  other.complete = false;
  EXPECT_EQ(WhyNobodyWins({best, other}, Objective::kMakespan), "the run of other did not come to its end");
}

// Of this policy; the makespan is that of the middle draw.
Report Drawn(const std::string& policy, const std::vector<std::int64_t>& makespans) {
  const auto with = [&](std::int64_t makespan) {
    Report report = Named(policy, 0, Nanos{1}, Nanos{1});
    report.policy = policy;
    report.makespan = Nanos{makespan};
    return report;
  };
  std::vector<Report> drawn;
  for (const std::int64_t makespan : makespans) drawn.push_back(with(makespan));
  Report report = with(makespans[makespans.size() / 2]);
  SetDraws(drawn, kUsualInterval, report);
  return report;
}

// So many draws, every third one of them shorter by `luck`.
std::vector<std::int64_t> Draws(std::int64_t usual, std::int64_t luck) {
  std::vector<std::int64_t> values;
  for (std::int64_t d = 0; d < 31; ++d) values.push_back(usual - (d % 3 == 1 ? luck : 0));
  return values;
}

TEST(Ranking, TakesTheSimplestThatDrawsCannotTellFromTheBest) {
  std::vector<Report> reports = {Drawn("best", Draws(1000, 0)), Drawn("eft", Draws(1010, 100)),
                                 Drawn("fcfs", Draws(1020, 100)), Drawn("sjf", Draws(1005, 100))};
  SetWinProbabilities(reports, Objective::kMakespan);
  const Ranking ranking = RankReports(reports, Objective::kMakespan);
  EXPECT_EQ(ranking.winners, Positions{0});
  EXPECT_EQ(ranking.close, (Positions{1, 2, 3}));
  EXPECT_EQ(ranking.taken, 2U) << "the baseline before rules, and these before a search";
  const std::string table = ReportTable(reports, 200);
  EXPECT_NE(table.find("* best by makespan in the median over the draws, > taken instead"), std::string::npos)
      << table;
  EXPECT_NE(table.find("\n* best "), std::string::npos) << table;
  EXPECT_NE(table.find("\n> fcfs "), std::string::npos) << table;
  EXPECT_NE(table.find("; fcfs is taken, the simplest of them\n"), std::string::npos) << table;

  const auto json = nlohmann::json::parse(ReportsJson(reports));
  for (std::size_t i = 0; i < reports.size(); ++i) {
    EXPECT_EQ(json[i]["best"], i == 0) << i;
    EXPECT_EQ(json[i]["taken"], i == 2) << i;
    EXPECT_EQ(json[i]["not_told_apart"], i != 0) << i;
  }
  EXPECT_FALSE(nlohmann::json::parse(ReportsJson({reports[0]}))[0].contains("best")) << "of one";

  reports.erase(reports.begin() + 2);
  SetWinProbabilities(reports, Objective::kMakespan);
  EXPECT_EQ(RankReports(reports, Objective::kMakespan).taken, 2U) << "sjf: of two rules the better one";
}

TEST(ReportsJson, SaysWhoseMarginIsInsideTheErrorOfTheTimesWhereNothingWasDrawn) {
  const auto reports_of = [](std::optional<double> error) {
    std::vector<Report> reports;
    for (const std::int64_t makespan : {1000, 1150, 1300}) {
      Report& report = reports.emplace_back(Named("p" + std::to_string(makespan), 0, Nanos{1}, Nanos{1}));
      report.makespan = Nanos{makespan};
      Origin origin;
      origin.kind = OriginKind::kEstimated;
      origin.error = error;
      report.profiles = {{"x.profile.json", origin}};
    }
    return nlohmann::json::parse(ReportsJson(reports));
  };
  const auto known = reports_of(0.2);
  EXPECT_FALSE(known[0].contains("margin_within_error")) << "it is the best";
  EXPECT_EQ(known[1]["margin_within_error"], true);
  EXPECT_EQ(known[2]["margin_within_error"], false);
  EXPECT_FALSE(reports_of(std::nullopt)[1].contains("margin_within_error")) << "nobody knows";

  std::vector<Report> drawn = {Drawn("eft", Draws(1000, 0)), Drawn("fcfs", Draws(1020, 10))};
  for (Report& report : drawn) {
    report.profiles = {{"x.profile.json", Origin{}}};
    report.profiles[0].origin.error = 0.2;
  }
  EXPECT_FALSE(nlohmann::json::parse(ReportsJson(drawn))[1].contains("margin_within_error"));
}

TEST(Ranking, TakesTheBestWhereDrawsTellItFromTheOthers) {
  std::vector<Report> reports = {Drawn("best", Draws(1000, 0)), Drawn("fcfs", Draws(1020, 10))};
  SetWinProbabilities(reports, Objective::kMakespan);
  const Ranking ranking = RankReports(reports, Objective::kMakespan);
  EXPECT_EQ(ranking.taken, 0U);
  EXPECT_FALSE(ranking.TakesSimpler());
  EXPECT_EQ(ReportTable(reports, 200).find("taken instead"), std::string::npos);
}

TEST(Ranking, GoesByTheMedianOverTheDrawsAndNotByTheRunOfMedians) {
  std::vector<Report> reports = {Drawn("best", Draws(1050, 0)), Drawn("fcfs", Draws(1000, 0))};
  reports[0].makespan = Nanos{900};  // each task at its median: nearly all draws take longer
  reports[1].makespan = Nanos{950};
  SetWinProbabilities(reports, Objective::kMakespan);
  EXPECT_TRUE(RankedByDraws(reports, Objective::kMakespan));
  EXPECT_EQ(RankReports(reports, Objective::kMakespan).winners, Positions{1});
  EXPECT_EQ(RankReports(reports, Objective::kMakespan).taken, 1U);
  const std::string table = ReportTable(reports, 200);
  EXPECT_NE(table.find("* best by makespan in the median over the draws, "), std::string::npos) << table;
  EXPECT_NE(table.find(" median "), std::string::npos) << table;
  EXPECT_NE(table.find("\n* fcfs "), std::string::npos) << table;

  ForgetDraws("nobody knows", reports[1]);
  EXPECT_FALSE(RankedByDraws(reports, Objective::kMakespan));
  EXPECT_EQ(RankReports(reports, Objective::kMakespan).winners, Positions{0}) << "figures of one kind alone";
}

TEST(Ranking, TiesOfMediansAreBrokenByMediansToo) {
  std::vector<Report> reports = {Drawn("best", Draws(1000, 0)), Drawn("fcfs", Draws(1000, 0))};
  reports[0].missed = 0;  // of the runs; in each draw both miss none
  reports[1].missed = 3;
  const Ranking ranking = RankReports(reports, Objective::kMakespan);
  EXPECT_EQ(ranking.winners, (Positions{0, 1}));
  EXPECT_FALSE(ranking.told_apart_by);
}

// All draws have the same makespan, and these p99 latencies.
Report DrawnTied(const std::string& policy, const std::vector<std::int64_t>& p99s,
                 const std::vector<Objective>& then = {}) {
  const auto with = [&](std::int64_t p99) {
    Report report = Named(policy, 0, Nanos{p99}, Nanos{1});
    report.policy = policy;
    report.then = then;
    return report;
  };
  std::vector<Report> drawn;
  for (const std::int64_t p99 : p99s) drawn.push_back(with(p99));
  Report report = with(p99s[0]);
  SetDraws(drawn, kUsualInterval, report);
  return report;
}

TEST(Ranking, ATieThatLuckBreaksLeavesTheSimplest) {
  const auto rank = [](std::vector<Report> reports) {
    SetWinProbabilities(reports, Objective::kMakespan);
    return RankReports(reports, Objective::kMakespan);
  };
  const Ranking luck = rank({DrawnTied("eft", Draws(100, 0)), DrawnTied("fcfs", Draws(101, 20))});
  EXPECT_EQ(luck.winners, Positions{0}) << "its p99 latency is less in the median";
  EXPECT_EQ(luck.told_apart_by, Objective::kP99Latency);
  EXPECT_EQ(luck.close, Positions{1});
  EXPECT_EQ(luck.taken, 1U);

  EXPECT_EQ(rank({DrawnTied("eft", Draws(100, 0)), DrawnTied("fcfs", Draws(101, 0))}).taken, 0U)
      << "it is less in every draw";
  const std::vector<Objective> then = {Objective::kP99Latency};
  EXPECT_EQ(rank({DrawnTied("eft", Draws(100, 0), then), DrawnTied("fcfs", Draws(101, 20), then)}).taken, 0U)
      << "it was asked for";
  EXPECT_EQ(rank({DrawnTied("eft", Draws(100, 0)), DrawnTied("fcfs", Draws(100, 0))}).taken, 0U)
      << "nothing tells them apart: the first in the list";
}

TEST(Ranking, WhoIsAsGoodInAllDrawsIsNamed) {
  std::vector<Report> reports = {Drawn("eft", Draws(1000, 0)), Drawn("fcfs", Draws(1000, 0)),
                                 Drawn("sjf", Draws(1001, 0))};
  SetWinProbabilities(reports, Objective::kMakespan);
  EXPECT_EQ(WinnerText(reports, 0, Objective::kMakespan), "eft, fcfs are as good in all 31 draws");
  EXPECT_EQ(WinnerText(reports, 1, Objective::kMakespan), "eft, fcfs are as good in all 31 draws");
  reports[2] = Drawn("sjf", Draws(1040, 100));
  SetWinProbabilities(reports, Objective::kMakespan);
  EXPECT_NE(WinnerText(reports, 0, Objective::kMakespan)
                .find("eft, fcfs are as good in all 31 draws, best in 67.7% of them"),
            std::string::npos)
      << WinnerText(reports, 0, Objective::kMakespan);
  reports[1] = Drawn("fcfs", Draws(1002, 0));
  SetWinProbabilities(reports, Objective::kMakespan);
  EXPECT_NE(WinnerText(reports, 0, Objective::kMakespan).find("eft is best in 67.7% of 31 draws"),
            std::string::npos);
}

TEST(Ranking, WhatASearchHasFoundIsNoSimplerThanTheSearch) {
  std::vector<Report> reports = {Drawn("best", Draws(1000, 0)), Drawn("given", Draws(1010, 100))};
  SetWinProbabilities(reports, Objective::kMakespan);
  EXPECT_EQ(RankReports(reports, Objective::kMakespan).taken, 1U);
  reports[1].search = SearchStory{};
  EXPECT_EQ(RankReports(reports, Objective::kMakespan).taken, 0U);
}

TEST(Ranking, OneWithoutDrawsTakesNoCautionFromTheOthers) {
  std::vector<Report> reports = {Drawn("best", Draws(1000, 0)), Drawn("fcfs", Draws(1010, 100)),
                                 Drawn("eft", Draws(1030, 0))};
  ForgetDraws("nothing is known of one of its units", reports[2]);
  SetWinProbabilities(reports, Objective::kMakespan);
  EXPECT_FALSE(reports[0].draws->win_probability) << "the third may be the best";
  const Ranking ranking = RankReports(reports, Objective::kMakespan);
  EXPECT_EQ(ranking.taken, 1U);
  EXPECT_EQ(TakenText(reports, ranking, Objective::kMakespan),
            "these cannot be told apart by makespan: best, fcfs; how sure the best is cannot be told: no "
            "interval of eft; fcfs is taken, the simplest of them");
}

TEST(Ranking, WhoIsNowAndThenBetterAndMuchWorseInTheMeanIsTold) {
  std::vector<Report> reports = {Drawn("best", Draws(1000, 0)), Drawn("fcfs", Draws(1200, 210))};
  SetWinProbabilities(reports, Objective::kMakespan);
  EXPECT_EQ(RankReports(reports, Objective::kMakespan).taken, 0U) << "it is 13 % longer in the mean";
}

TEST(Ranking, WithoutDrawsTheBestIsTaken) {
  std::vector<Report> reports = {Drawn("best", Draws(1000, 0)), Drawn("fcfs", Draws(1010, 100))};
  SetWinProbabilities(reports, Objective::kMakespan);
  ForgetDraws("nobody knows", reports[1]);
  EXPECT_EQ(RankReports(reports, Objective::kMakespan).taken, 0U);
  EXPECT_FALSE(RankReports({}, Objective::kMakespan).taken);
}

TEST(Ranking, WhereNobodyIsTiedNothingIsSaid) {
  Report better = Named("a", 9, Nanos{9}, Nanos{9}), worse = Named("b", 0, Nanos{1}, Nanos{1});
  worse.makespan += Nanos{1};
  const Ranking ranking = RankReports({worse, better}, Objective::kMakespan);
  EXPECT_EQ(ranking.winners, Positions{1});
  EXPECT_EQ(TieText({worse, better}, ranking, Objective::kMakespan), "");
}

TEST(ReportTable, MarksWhoIsTiedAndWhoWins) {
  const std::string table =
      ReportTable({Named("a", 4, Nanos{1}, Nanos{1}), Named("b", 0, Nanos{9}, Nanos{3})}, 200);
  EXPECT_NE(table.find("\n= a "), std::string::npos) << table;
  EXPECT_NE(table.find("\n* b "), std::string::npos) << table;
  EXPECT_NE(table.find("\ntied by makespan: a, b; b has the least missed requests\n"), std::string::npos)
      << table;
}

// Its periodic stream's last request comes so late.
Report WithLastRelease(Nanos last, Objective objective = Objective::kMakespan) {
  HandMadeRun run = MakeRun();
  run.scenario.objective = objective;
  run.outcome.streams[1].last_release = last;
  return run.MakeReport();
}

TEST(ReportTable, SaysThatArrivalsSetTheMakespan) {
  const Report report = WithLastRelease(std::chrono::milliseconds{20});  // of 21
  const std::string table = ReportTable({report}, 200);
  EXPECT_NE(
      table.find("\nthe arrivals set the makespan: the last request comes after 95.2% of it; what policies "
                 "change is compared by --objective misses\n"),
      std::string::npos)
      << table;
  EXPECT_NE(ReportJson(report).find("\"set_by_arrivals\": true"), std::string::npos);
  const Report other = WithLastRelease(std::chrono::milliseconds{20}, Objective::kMisses);
  EXPECT_EQ(ArrivalText({other}), "the arrivals set the makespan: the last request comes after 95.2% of it");
}

TEST(ReportTable, SaysNothingOfArrivalsWhereWorkSetsTheMakespan) {
  const Report report = WithLastRelease(std::chrono::milliseconds{18});
  EXPECT_EQ(ArrivalText({report}), "");
  EXPECT_EQ(ArrivalText({WithLastRelease(std::chrono::milliseconds{20}), report}), "");
  EXPECT_EQ(ReportJson(report).find("set_by_arrivals"), std::string::npos);
}

TEST(ReportTable, SaysWhyItComparesByWhatNobodyNamed) {
  HandMadeRun run = MakeRun();
  run.scenario.objective_why = "streams have deadlines";
  const Report report = run.MakeReport();
  EXPECT_NE(ReportTable({report}, 200).find("* best by makespan, since streams have deadlines"),
            std::string::npos);
  EXPECT_NE(ReportJson(report).find("\"why\": \"streams have deadlines\""), std::string::npos);
  EXPECT_EQ(ReportJson(MakeRun().MakeReport()).find("\"why\""), std::string::npos);
}

}  // namespace
}  // namespace tandem
