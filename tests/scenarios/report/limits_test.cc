// Are runs judged by the figures that a condition names, and do limits come before the objective?
#include "scenarios/report/limits.h"

#include <gtest/gtest.h>

#include "profiles/base/input_error.h"
#include "scenarios/report/json.h"
#include "scenarios/report/objective.h"
#include "scenarios/report/table.h"
#include "tests/support/error_of.h"
#include "tests/support/hand_made_run.h"
#include "tests/support/one_unit.h"
#include "tests/support/run_policy.h"

namespace tandem {
namespace {

using Positions = std::vector<std::size_t>;

Scenario Overloaded(const std::string& limits = "") {  // 10 ms of work every 5 ms: the k-th takes 10 + 5 k
  OneUnit one;
  one.streams =
      R"({"name": "a", "model": "alexnet", "count": 10, "arrival": {"type": "periodic", "period_ms": 5},
                    "deadline_ms": 30})";
  one.of_unit = R"(, "idle_w": 1, "busy_w": 3)";
  if (!limits.empty()) one.members = R"(, "limits": [")" + limits + R"("])";
  return ReadScenario(JsonDocument::Parse(one.Text(), "s.json").root());
}

bool KeptIn(const Scenario& scenario, const std::string& text) {
  const Report report = FiguresOf(scenario, RunPolicy(scenario, R"("fcfs")"));
  const std::vector<ConditionTerm> terms = ReadCondition(text, scenario);
  return std::all_of(terms.begin(), terms.end(), [&](const ConditionTerm& term) {
    return term.Keeps(FarthestOf(term, {&report, 1}));
  });
}

bool Kept(const std::string& text) { return KeptIn(Overloaded(), text); }

TEST(Limits, EachFigureIsJudgedAtItsBound) {
  // Latencies 10, 15, ..., 55 ms; those of 35 and more miss: 5 of 10.
  for (const char* kept :
       {"misses <= 50 %", "misses <= 5", "drops <= 0", "max <= 55 ms", "mean <= 32.5ms", "p50 <= 0.03 s",
        "p99 <= 55000 us", "streams.a.p90 <= 50 ms", "streams.*.p99 <= 55 ms", "makespan <= 100 ms",
        "throughput >= 100/s", "utilization >= 100 %", "units.cpu.utilization <= 1", "energy <= 0.3 J",
        "power <= 3 W", "max >= 55 ms", "max < 56 ms and misses < 6", "max \xe2\x89\xa4 55 ms"}) {
    EXPECT_TRUE(Kept(kept)) << kept;
  }
  for (const char* broken :
       {"misses <= 49 %", "misses < 5", "misses <= 4", "max < 55 ms", "mean <= 32.4 ms", "makespan < 100 ms",
        "throughput > 100/s", "utilization < 100 %", "energy <= 0.29 J", "max <= 55 ms and misses <= 4",
        "max <= 55 ms, misses <= 4"}) {
    EXPECT_FALSE(Kept(broken)) << broken;
  }
}

// Idle watts are the board's: of 3 W while it works 2 W are the stream's, over ten times 10 ms.
TEST(Limits, OfAStreamsEnergyAreAboveIdle) {
  for (const char* kept :
       {"streams.a.energy <= 0.2 J", "streams.*.energy <= 200 mJ", "streams.a.energy_per_inference <= 20 mJ",
        "energy_per_inference <= 30 mJ", "streams.a.energy_per_inference >= 20 mJ"}) {
    EXPECT_TRUE(Kept(kept)) << kept;
  }
  for (const char* broken : {"streams.a.energy <= 0.199 J", "streams.a.energy < 0.2 J",
                             "streams.a.energy_per_inference <= 19.9 mJ", "energy_per_inference < 30 mJ"}) {
    EXPECT_FALSE(Kept(broken)) << broken;
  }
}

TEST(Limits, OfAStreamsEnergyNeedWatts) {
  Scenario scenario = Overloaded("streams.a.energy_per_inference <= 1 J");
  scenario.platform->units[0].idle_w.reset();
  const Outcome outcome = RunPolicy(Overloaded(), R"("fcfs")");
  EXPECT_NE(
      ErrorOf([&] { CheckPower(scenario, outcome); }).find(R"(:/limits: energy is not known: unit "cpu")"),
      std::string::npos);
  const Report report = FiguresOf(scenario, outcome);
  EXPECT_FALSE(report.streams[0].energy_above_idle_j);
  ASSERT_EQ(report.limits.size(), 1U);
  EXPECT_FALSE(report.limits[0].value);
  EXPECT_FALSE(report.limits[0].kept());
}

Scenario Followed() {  // 10 ms for a frame, and 10 ms for what follows it
  OneUnit one;
  one.streams =
      R"({"name": "a", "model": "alexnet", "count": 2, "arrival": {"type": "periodic", "period_ms": 100}},
         {"name": "b", "model": "alexnet", "depends_on": {"stream": "a"}})";
  return ReadScenario(JsonDocument::Parse(one.Text(), "s.json").root());
}

TEST(Limits, MayBeFromEndToEnd) {
  for (const char* kept : {"streams.b.p99_end_to_end <= 20 ms", "streams.*.max_end_to_end <= 20 ms",
                           "mean_end_to_end <= 20 ms", "streams.b.p99 <= 10 ms"}) {
    EXPECT_TRUE(KeptIn(Followed(), kept)) << kept;
  }
  for (const char* broken : {"streams.b.p99_end_to_end <= 19.9 ms", "mean_end_to_end < 20 ms"}) {
    EXPECT_FALSE(KeptIn(Followed(), broken)) << broken;
  }
}

// 10 us for a frame every 4 us: 0 runs until 10, 2, which is of 8, until 20, and 5, which is of 20, until 30.
// Results become 10, 20 and 22 us old. The other stream leaves nothing out, so "*" is not of its age.
TEST(Limits, MayBeOfHowOldResultsBecome) {
  OneUnit one;
  one.times = R"("median_us": 10)";
  one.streams =
      R"({"name": "a", "model": "alexnet", "count": 6, "keep_latest": 1,
          "arrival": {"type": "periodic", "period_us": 4}},
         {"name": "b", "model": "alexnet", "count": 1,
          "arrival": {"type": "periodic", "period_us": 4, "phase_us": 1000}})";
  const Scenario scenario = ReadScenario(JsonDocument::Parse(one.Text(), "s.json").root());
  for (const char* kept : {"streams.a.p99_age <= 22 us", "streams.*.p50_age <= 20 us",
                           "max_age <= 22 us and streams.b.p99 <= 10 us"}) {
    EXPECT_TRUE(KeptIn(scenario, kept)) << kept;
  }
  for (const char* broken : {"streams.a.p99_age < 22 us", "max_age <= 21 us", "streams.a.p50_age <= 19 us"}) {
    EXPECT_FALSE(KeptIn(scenario, broken)) << broken;
  }
}

// One request at 1 ms, which takes 10 us.
TEST(Limits, MayBeOfTheAgeOfAStreamThatLeavesNothingOut) {
  const auto report = [](const std::string& limit) {
    OneUnit one;
    one.times = R"("median_us": 10)";
    one.streams =
        R"({"name": "a", "model": "alexnet", "count": 1,
            "arrival": {"type": "periodic", "period_us": 4, "phase_us": 1000}})";
    one.members = R"(, "limits": [")" + limit + R"("])";
    const Scenario scenario = ReadScenario(JsonDocument::Parse(one.Text(), "s.json").root());
    return FiguresOf(scenario, RunPolicy(scenario, R"("fcfs")"));
  };
  const Report kept = report("streams.a.p99_age <= 10 us");
  ASSERT_TRUE(kept.streams[0].age);
  EXPECT_EQ(kept.streams[0].age->max, std::chrono::microseconds{10});
  EXPECT_TRUE(kept.limits[0].kept());
  EXPECT_FALSE(report("streams.*.p99_age < 10 us").limits[0].kept());
  EXPECT_FALSE(report("p99 <= 10 us").streams[0].age) << "nobody asks";
}

// 10 us for a frame every 4 us, of which only the newest waits: 3 of 6 complete, in 30 us, which is 100000 a
// second, a third less than is asked for.
TEST(Limits, OfARateCountWhatCompletesAndAreRelaxedDownwards) {
  OneUnit one;
  one.times = R"("median_us": 10)";
  one.streams =
      R"({"name": "a", "model": "alexnet", "count": 6, "keep_latest": 1,
          "arrival": {"type": "periodic", "period_us": 4}})";
  one.members = R"(, "limits": ["streams.a.throughput >= 150000/s"])";
  const Scenario scenario = ReadScenario(JsonDocument::Parse(one.Text(), "s.json").root());
  std::vector<Report> reports = {FiguresOf(scenario, RunPolicy(scenario, R"("fcfs")"))};
  EXPECT_EQ(reports[0].limits[0].value, 100000);
  EXPECT_EQ(ExcessOf(reports[0]), 0.333333333);
  SetRelaxations(reports);
  ASSERT_TRUE(reports[0].limits[0].relaxation);
  EXPECT_EQ(reports[0].limits[0].relaxation->value, 100000);
  ConditionTerm relaxed = reports[0].limits[0].term;
  relaxed.bound = 100000;
  EXPECT_TRUE(JudgeLimits({relaxed}, reports[0])[0].kept());
}

// Limits of 10 ns for the mean, the median and the p99.
Report WithThree(std::int64_t mean, std::int64_t p50, std::int64_t p99, std::int64_t makespan) {
  Report report = MakeRun().MakeReport();
  report.makespan = Nanos{makespan};
  report.latency->mean = Nanos{mean};
  report.latency->p50 = Nanos{p50};
  report.latency->p99 = Nanos{p99};
  std::vector<ConditionTerm> terms(3);
  terms[0].figure = ConditionFigure::kMean;
  terms[1].figure = ConditionFigure::kP50;
  terms[2].figure = ConditionFigure::kP99;
  for (ConditionTerm& term : terms) term.bound = 10;
  report.limits = JudgeLimits(terms, report);
  return report;
}

// 0.1 + 0.2 + 0.3 is a bit more than 0.3 + 0.2 + 0.1 in doubles.
TEST(Limits, ThatAreBrokenByAsMuchLeaveTheChoiceToTheObjective) {
  ASSERT_GT(0.1 + 0.2 + 0.3, 0.3 + 0.2 + 0.1);
  const std::vector<Report> reports = {WithThree(11, 12, 13, 10), WithThree(13, 12, 11, 20),
                                       WithThree(13, 12, 12, 5)};
  EXPECT_EQ(ExcessOf(reports[0]), 0.6);
  EXPECT_EQ(ExcessOf(reports[1]), 0.6);
  EXPECT_EQ(Contenders(reports, Objective::kMakespan), (Positions{0, 1}));
  EXPECT_EQ(BestReports(reports, Objective::kMakespan), Positions{0});
}

TEST(Limits, AreASearchsFirstCost) {
  const Scenario kept = Overloaded("max <= 55 ms"), broken = Overloaded("max <= 44 ms");
  const Outcome outcome = RunPolicy(kept, R"("fcfs")");
  EXPECT_EQ(CostOf(kept, outcome).excess, 0);
  EXPECT_DOUBLE_EQ(CostOf(broken, outcome).excess, 0.25);
  EXPECT_LT(CostOf(kept, outcome), CostOf(broken, outcome));
}

TEST(Limits, OfEnergyNeedWatts) {
  Scenario scenario = Overloaded("energy <= 1 J");
  scenario.platform->units[0].idle_w.reset();
  const Outcome outcome = RunPolicy(Overloaded(), R"("fcfs")");
  EXPECT_NE(
      ErrorOf([&] { CheckPower(scenario, outcome); }).find(R"(:/limits: energy is not known: unit "cpu")"),
      std::string::npos);
  const Report report = FiguresOf(scenario, outcome);
  ASSERT_EQ(report.limits.size(), 1U);
  EXPECT_FALSE(report.limits[0].value);
  EXPECT_FALSE(report.limits[0].kept());
}

// Of this policy, with so much p99 latency, which may be 5 ms, and that makespan.
Report With(const std::string& label, std::int64_t p99, std::int64_t makespan) {
  Report report = MakeRun().MakeReport();
  report.label = label;
  report.makespan = Nanos{makespan};
  report.latency->p99 = std::chrono::milliseconds{p99};
  ConditionTerm term;
  term.text = "p99 <= 5 ms";
  term.figure = ConditionFigure::kP99;
  term.bound = 5e6;
  report.limits = JudgeLimits({term}, report);
  return report;
}

TEST(Limits, ComeBeforeTheObjective) {
  const std::vector<Report> reports = {With("fast", 6, 10), With("slow", 5, 30), With("kept", 4, 20)};
  EXPECT_EQ(BestReports(reports, Objective::kMakespan), Positions{2});
  EXPECT_EQ(Contenders(reports, Objective::kMakespan), (Positions{1, 2}));
  const std::string table = ReportTable(reports, 200);
  EXPECT_NE(table.find("limit p99 <= 5 ms: kept by slow ("), std::string::npos) << table;
  EXPECT_NE(table.find("; broken by fast ("), std::string::npos) << table;
  EXPECT_EQ(table.find("no policy keeps"), std::string::npos) << table;
  EXPECT_NE(
      ReportJson(reports[0])
          .find(R"("limits": [{"limit": "p99 <= 5 ms", "value": 6000000, "bound": 5000000, "kept": false)"),
      std::string::npos)
      << ReportJson(reports[0]);
}

TEST(Limits, ThatNobodyKeepsAreWonByWhoComesClosest) {
  const std::vector<Report> reports = {With("far", 10, 10), With("near", 7, 30), With("nearest", 6, 20)};
  EXPECT_EQ(BestReports(reports, Objective::kMakespan), Positions{2});
  EXPECT_EQ(LimitTexts(reports).back(),
            "no policy keeps all limits; nearest comes closest: p99 6.000 ms would have to be allowed");
}

// Limits of 5 ms for the p99 latency and of 15 ms for the makespan.
Report WithBoth(const std::string& label, std::int64_t p99_us, std::int64_t makespan_ms) {
  Report report = With(label, 1, makespan_ms * 1'000'000);
  report.latency->p99 = std::chrono::microseconds{p99_us};
  ConditionTerm makespan;
  makespan.text = "makespan <= 15 ms";
  makespan.figure = ConditionFigure::kMakespan;
  makespan.bound = 15e6;
  report.limits = JudgeLimits({report.limits[0].term, makespan}, report);
  return report;
}

TEST(Limits, ThatNobodyKeepsAllOfSayWhatEachWouldHaveToBeRelaxedTo) {
  std::vector<Report> reports = {WithBoth("quick", 8000, 10), WithBoth("calm", 7001, 12),
                                 WithBoth("steady", 4000, 30)};
  const std::vector<std::string> texts = LimitTexts(reports);
  ASSERT_EQ(texts.size(), 3U);
  EXPECT_EQ(
      texts[0],
      "limit p99 <= 5 ms: kept by steady (4.000 ms); broken by quick (8.000 ms), calm (7.001 ms); of what "
      "was tried, calm would keep all limits at 7.001 ms");
  EXPECT_EQ(
      texts[1],
      "limit makespan <= 15 ms: kept by quick (10.00 ms), calm (12.00 ms); broken by steady (30.00 ms); of "
      "what was tried, steady would keep all limits at 30.00 ms");
  SetRelaxations(reports);
  for (const Report& report : reports) {
    ASSERT_TRUE(report.limits[0].relaxation && report.limits[1].relaxation);
    EXPECT_EQ(report.limits[0].relaxation->value, 7'001'000);
    EXPECT_EQ(report.limits[0].relaxation->policy, "calm");
    EXPECT_EQ(report.limits[1].relaxation->value, 30'000'000);
    EXPECT_EQ(report.limits[1].relaxation->policy, "steady");
  }
  EXPECT_NE(
      ReportJson(reports[0]).find(R"("relaxation": {"value": 7001000, "policy": "calm", "searched": false})"),
      std::string::npos)
      << ReportJson(reports[0]);
  std::vector<ConditionTerm> relaxed = {reports[1].limits[0].term, reports[1].limits[1].term};
  relaxed[0].bound = reports[0].limits[0].relaxation->value;
  for (const LimitReport& limit : JudgeLimits(relaxed, reports[1])) EXPECT_TRUE(limit.kept());
}

// Nothing is measured: what grew by the square would not end here within any limit.
TEST(Limits, ThatAreManyTakeTimeByTheirNumberAndNotByItsSquare) {
  constexpr std::size_t kMany = 200'000;
  std::vector<Report> reports = {With("searched", 8, 20)};
  std::vector<SearchStory::Relaxed>& relaxed = reports[0].search.emplace().relaxed;
  const LimitReport broken = reports[0].limits.at(0);
  ASSERT_FALSE(broken.kept());
  reports[0].limits.assign(kMany, broken);
  for (std::size_t l = 0; l < kMany; ++l) {
    reports[0].limits[l].term.text = "p99 <= 5 ms, once more: " + std::to_string(l);
    relaxed.push_back({reports[0].limits[l].term.text, 6e6});
  }
  EXPECT_EQ(LimitTexts(reports).size(), kMany + 1);
  SetRelaxations(reports);
  ASSERT_TRUE(reports[0].limits.back().relaxation);
  EXPECT_EQ(reports[0].limits.back().relaxation->value, 6e6);
}

TEST(Limits, ThatCannotGiveWayAloneSaySo) {
  std::vector<Report> reports = {WithBoth("slow", 8000, 20), WithBoth("steady", 4000, 30)};
  EXPECT_EQ(
      LimitTexts(reports)[0],
      "limit p99 <= 5 ms: kept by steady (4.000 ms); broken by slow (8.000 ms); relaxing it alone does not "
      "help: nothing that was tried keeps all others");
  SetRelaxations(reports);
  EXPECT_FALSE(reports[0].limits[0].relaxation);
  EXPECT_TRUE(reports[0].limits[1].relaxation);
}

TEST(Limits, ThatSomebodyKeepsNeedNoRelaxation) {
  std::vector<Report> reports = {WithBoth("quick", 8000, 10), WithBoth("kept", 4000, 12)};
  SetRelaxations(reports);
  EXPECT_FALSE(reports[0].limits[0].relaxation);
  EXPECT_EQ(LimitTexts(reports)[0], "limit p99 <= 5 ms: kept by kept (4.000 ms); broken by quick (8.000 ms)");
  reports[1].beside = true;  // it sees more than the others, and does not count
  SetRelaxations(reports);
  ASSERT_TRUE(reports[0].limits[0].relaxation);
  EXPECT_EQ(reports[0].limits[0].relaxation->policy, "quick");
}

TEST(Limits, AreRelaxedByWhatASearchTriedToo) {
  std::vector<Report> reports = {WithBoth("quick", 8000, 10), WithBoth("best", 9000, 20)};
  reports[1].search.emplace().relaxed = {{"p99 <= 5 ms", 6e6}};
  EXPECT_NE(LimitTexts(reports)[0].find(
                "; of what was tried, a schedule of best would keep all limits at 6.000 ms"),
            std::string::npos)
      << LimitTexts(reports)[0];
  SetRelaxations(reports);
  EXPECT_TRUE(reports[0].limits[0].relaxation->searched);
  reports[1].engine = "fluid";  // searches go by tandem's own rules
  SetRelaxations(reports);
  EXPECT_EQ(reports[0].limits[0].relaxation->policy, "quick");
}

TEST(Limits, SayInHowManyDrawsTheyAreKept) {
  Report report = With("drawn", 5, 10);
  std::vector<Report> drawn;
  for (std::int64_t p99 = 1; p99 <= 20; ++p99) drawn.push_back(With("drawn", p99, 10));
  SetDraws(drawn, kUsualInterval, report);
  EXPECT_DOUBLE_EQ(*report.limits[0].kept_share, 0.25);
  EXPECT_EQ(LimitTexts({report})[0].find(
                "limit p99 <= 5 ms: broken by drawn (10.00 ms in the median over the draws, kept in 25.0% of "
                "them)"),
            0U)
      << LimitTexts({report})[0];
  EXPECT_NE(
      ReportJson(report).find(R"("value": 5000000, "median": 10000000, "bound": 5000000, "kept": false)"),
      std::string::npos)
      << ReportJson(report);
  ForgetDraws("none", report);
  EXPECT_FALSE(report.limits[0].kept_share);
  EXPECT_TRUE(report.limits[0].kept()) << "by its run, again";
}

// Draws with these p99 latencies, one after the other; the run itself keeps the limit.
Report DrawnWith(const std::string& label, const std::vector<std::int64_t>& p99s, std::int64_t makespan) {
  Report report = With(label, 5, makespan);
  std::vector<Report> drawn;
  for (const std::int64_t p99 : p99s) drawn.push_back(With(label, p99, makespan));
  SetDraws(drawn, kUsualInterval, report);
  return report;
}

// So many of 20 draws take 5 ms, the others 6.
std::vector<std::int64_t> KeptInSoMany(std::size_t kept) {
  std::vector<std::int64_t> p99s(20, 6);
  std::fill_n(p99s.begin(), kept, 5);
  return p99s;
}

TEST(Limits, AreKeptWhereHalfOfTheDrawsKeepThem) {
  EXPECT_TRUE(DrawnWith("a", KeptInSoMany(10), 10).limits[0].kept());
  const Report broken = DrawnWith("a", KeptInSoMany(9), 10);
  EXPECT_FALSE(broken.limits[0].kept());
  EXPECT_EQ(broken.limits[0].value, 6e6);
  EXPECT_DOUBLE_EQ(broken.limits[0].excess, 0.2) << "6 ms of 5";
}

TEST(Limits, ThatARunOfMediansAloneKeepsDecideNoWinner) {
  // Both runs of medians keep 5 ms. Of the draws of the quick one none does, of the other's all.
  std::vector<Report> reports = {DrawnWith("quick", KeptInSoMany(0), 10),
                                 DrawnWith("steady", KeptInSoMany(20), 30)};
  SetWinProbabilities(reports, Objective::kMakespan);
  EXPECT_EQ(BestReports(reports, Objective::kMakespan), Positions{1});
  EXPECT_EQ(reports[1].draws->win_probability, 1);
  EXPECT_FALSE(reports[0].draws->win_probability);
}

TEST(Limits, CountBeforeTheObjectiveInEveryDraw) {
  // The quick one keeps the limit in 12 of 20 draws and is best in these, the steady one in the other 8.
  std::vector<Report> reports = {DrawnWith("quick", KeptInSoMany(12), 10),
                                 DrawnWith("steady", KeptInSoMany(20), 30)};
  SetWinProbabilities(reports, Objective::kMakespan);
  EXPECT_DOUBLE_EQ(*reports[0].draws->win_probability, 0.6);
  EXPECT_DOUBLE_EQ(*reports[1].draws->win_probability, 0.4);
  EXPECT_EQ(NotToldFrom(reports, 0, Objective::kMakespan), std::vector<std::size_t>{1})
      << "in 8 it alone keeps it";
}

TEST(Limits, ThatLuckMayKeepCannotBeToldFromThoseThatTheMedianKeeps) {
  // The steady one keeps the limit in the first 11 draws, the quick one in the last 8: in the median it does
  // not.
  std::vector<std::int64_t> in_the_last = KeptInSoMany(8);
  std::reverse(in_the_last.begin(), in_the_last.end());
  std::vector<Report> reports = {DrawnWith("quick", in_the_last, 10),
                                 DrawnWith("steady", KeptInSoMany(11), 30)};
  SetWinProbabilities(reports, Objective::kMakespan);
  EXPECT_DOUBLE_EQ(*reports[0].draws->win_probability, 0.45)
      << "both break it in one, in which it is quicker";
  EXPECT_DOUBLE_EQ(*reports[1].draws->win_probability, 0.55);
  EXPECT_EQ(NotToldFrom(reports, 1, Objective::kMakespan), Positions{0});
  const Ranking ranking = RankReports(reports, Objective::kMakespan);
  EXPECT_EQ(ranking.close, Positions{0});
  EXPECT_EQ(ranking.taken, 1U) << "nobody is taken who breaks limits more";

  reports[0] = DrawnWith("quick", KeptInSoMany(0), 10);
  SetWinProbabilities(reports, Objective::kMakespan);
  EXPECT_TRUE(NotToldFrom(reports, 1, Objective::kMakespan).empty()) << "it breaks it in 11 draws more";
}

TEST(Limits, ThatNobodyKeepsLeaveTheSimplestOfThoseThatNoiseAloneTellsApart) {
  // One takes 6 ms and then 8, the other 8 and then 6, which in the median is more.
  std::vector<std::int64_t> early(21, 6), late(21, 8);
  std::fill_n(early.begin() + 11, 10, 8);
  std::fill_n(late.begin() + 11, 10, 6);
  std::vector<Report> reports = {DrawnWith("eft", early, 10), DrawnWith("fcfs", late, 10)};
  for (Report& report : reports) report.policy = report.label;
  SetWinProbabilities(reports, Objective::kMakespan);
  EXPECT_LT(ExcessOf(reports[0]), ExcessOf(reports[1]));
  const Ranking ranking = RankReports(reports, Objective::kMakespan);
  EXPECT_EQ(ranking.winners, Positions{0});
  EXPECT_EQ(ranking.close, Positions{1});
  EXPECT_EQ(ranking.taken, 1U);

  reports[1].policy = "sjf";
  EXPECT_EQ(RankReports(reports, Objective::kMakespan).taken, 0U) << "of two rules who breaks them less";

  // Who keeps them in the median is left for nobody who does not.
  std::replace(early.begin(), early.end(), 6, 5);
  std::replace(late.begin(), late.end(), 6, 5);
  std::vector<Report> kept = {DrawnWith("eft", early, 10), DrawnWith("fcfs", late, 10)};
  for (Report& report : kept) report.policy = report.label;
  SetWinProbabilities(kept, Objective::kMakespan);
  EXPECT_EQ(RankReports(kept, Objective::kMakespan).close, Positions{1});
  EXPECT_EQ(RankReports(kept, Objective::kMakespan).taken, 0U);
}

TEST(Limits, ThatTheBestBreaksAreSaidBesideHowSureItIs) {
  // Nobody keeps 5 ms in half of the draws. Both take 6 ms in the median, which is 20 % too much; the quick
  // one is better in all 20 draws.
  std::vector<Report> reports = {DrawnWith("quick", KeptInSoMany(9), 10),
                                 DrawnWith("steady", KeptInSoMany(9), 30)};
  SetWinProbabilities(reports, Objective::kMakespan);
  EXPECT_EQ(WinnerText(reports, 0, Objective::kMakespan),
            "quick is best in 100.0% of 20 draws, as it breaks limits the least");
}

}  // namespace
}  // namespace tandem
