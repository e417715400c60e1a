// Do the JSON of a report have the promised keys and its table the promised width?
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>
#include <sstream>

#include "scenarios/report/json.h"
#include "scenarios/report/table.h"
#include "tests/support/hand_made_run.h"

namespace tandem {
namespace {

using Json = nlohmann::ordered_json;

std::vector<std::string> Keys(const Json& object) {
  std::vector<std::string> keys;
  for (const auto& [key, value] : object.items()) keys.push_back(key);
  return keys;
}

TEST(ReportJson, IsAListWithOneObjectPerPolicy) {
  const Report report = MakeRun().MakeReport();
  Json list = Json::parse(ReportsJson({report, report}));
  ASSERT_EQ(list.size(), 2u);
  EXPECT_EQ(list[0]["best"], true) << "the first of equals";
  EXPECT_EQ(list[1]["best"], false);
  for (Json& of : list) {
    for (const char* place : {"best", "taken", "not_told_apart"}) of.erase(place);
  }
  EXPECT_EQ(list[0], list[1]);
  EXPECT_EQ(Json::parse(ReportsJson({})), Json::array());
}

TEST(ReportJson, HasThePromisedKeys) {
  const Json json = Json::parse(ReportJson(MakeRun().MakeReport()));
  for (const char* key : {"tandem", "policy", "label", "engine", "makespan_ns", "throughput_per_s",
                          "bound_ns", "gap", "energy_j", "streams", "units"}) {
    EXPECT_TRUE(json.contains(key)) << key;
  }
  EXPECT_EQ(Keys(json["streams"][0]),
            (std::vector<std::string>{"name", "completed", "dropped", "missed", "first_release_ns",
                                      "last_completion_ns", "throughput_per_s", "latency_ns", "slowdown",
                                      "released", "throughput_interval_per_s", "throughput_median_per_s",
                                      "missed_interval", "missed_median", "latency_interval_ns",
                                      "latency_median_ns"}));
  EXPECT_EQ(Keys(json["streams"][0]["latency_ns"]),
            (std::vector<std::string>{"mean", "p50", "p90", "p95", "p99", "max"}));
  EXPECT_EQ(Keys(json["units"][0]),
            (std::vector<std::string>{"name", "busy_ns", "utilization", "tasks", "energy_j",
                                      "busy_interval_ns", "busy_median_ns", "utilization_interval",
                                      "utilization_median", "energy_interval_j", "energy_median_j"}));
}

// The second stream drops what is old, the first one's requests go together.
HandMadeRun WithDropsAndBatches() {
  HandMadeRun run = MakeRun();
  run.scenario.streams[1].keep_latest = 1;
  run.outcome.streams[1].ages = {Nanos{5'000'000}, Nanos{1'000'000}, Nanos{3'000'000}};
  run.outcome.streams[1].drop_ages = {Nanos{2'000'000}};
  run.outcome.streams[0].CountBatch(UnitId(1), 4);
  run.outcome.streams[0].CountBatch(UnitId(0), 4);
  run.outcome.streams[0].CountBatch(UnitId(0), 2);
  return run;
}

TEST(ReportJson, SaysOfStreamsThatDropHowOftenAndHowOldTheirDataIs) {
  const Json streams = Json::parse(ReportJson(WithDropsAndBatches().MakeReport()))["streams"];
  EXPECT_FALSE(streams[0].contains("dropped_per_s"));
  EXPECT_FALSE(streams[0].contains("age_ns"));
  EXPECT_NEAR(streams[1]["dropped_per_s"].get<double>(), 1 / 0.021, 0.01);
  EXPECT_NEAR(streams[1]["dropped_share"].get<double>(), 1.0 / 3, 1e-9);
  EXPECT_EQ(streams[1]["age_ns"]["mean"], 3000000);
  EXPECT_EQ(streams[1]["age_ns"]["p50"], 3000000);
  EXPECT_EQ(streams[1]["age_ns"]["max"], 5000000);
  EXPECT_EQ(streams[1]["drop_age_ns"]["max"], 2000000);
}

// The second stream follows every third request of the first one.
HandMadeRun WithSkipped() {
  HandMadeRun run = MakeRun();
  DependentArrival follows{StreamId(0)};
  follows.every = 3;
  run.scenario.streams[1].arrival = follows;
  run.outcome.streams[1].skipped = 7;
  return run;
}

TEST(ReportJson, SaysHowManyRequestsEverySkips) {
  const Json streams = Json::parse(ReportJson(WithSkipped().MakeReport()))["streams"];
  EXPECT_FALSE(streams[0].contains("skipped"));
  EXPECT_EQ(streams[1]["skipped"], 7);
  EXPECT_EQ(streams[1]["dropped"], 1) << "which is something else";
}

TEST(ReportJson, SaysHowManyBatchesOfEachSizeFormed) {
  const Json streams = Json::parse(ReportJson(WithDropsAndBatches().MakeReport()))["streams"];
  EXPECT_EQ(streams[0]["batches"], Json::parse(R"([{"size": 2, "count": 1}, {"size": 4, "count": 2}])"));
  EXPECT_FALSE(streams[1].contains("batches"));
}

// One that is estimated, and how far off it is.
HandMadeRun WithEstimate() {
  HandMadeRun run = MakeRun();
  Origin origin;
  origin.kind = OriginKind::kEstimated;
  origin.method = "by a roofline";
  origin.error = 0.18;
  run.facts.profiles = {{"x.profile.json", origin}};
  return run;
}

TEST(ReportJson, SaysWhereTheTimesComeFrom) {
  EXPECT_EQ(Json::parse(ReportJson(WithEstimate().MakeReport()))["profiles"],
            Json::parse(R"([{"profile": "x.profile.json", "origin": "estimated", "method": "by a roofline",
                             "error": 0.18}])"));
}

TEST(ReportTable, SaysWhereTheTimesComeFrom) {
  const std::string text = ReportTable({WithEstimate().MakeReport()}, 200);
  EXPECT_NE(
      text.find("\nx.profile.json: times estimated (by a roofline), +-18 % that all share: a margin inside "
                "that is no win\n"),
      std::string::npos)
      << text;
}

// What the same run is by other rules.
std::string BesideTable(std::optional<Nanos> other, std::optional<double> plugin, bool fluid = true) {
  Report report = MakeRun().MakeReport();
  report.makespan = Nanos{100'000'000};
  report.energy_j = 50;
  report.engine = fluid ? "fluid" : "virtual";
  if (other) {
    Report by_other = report;
    by_other.makespan = *other;
    report.other_physics = std::make_shared<const Report>(by_other);
  }
  report.plugin_energy_j = plugin;
  return ReportTable({report}, 400);
}

TEST(ReportTable, SaysHowFarFiguresByOtherRulesAreAwayAsFarAsThatIsSeen) {
  const std::string makespans = "\nmakespans by tandem's own rules instead: made up ",
                    joules = "\njoules by SimGrid's own plugin, which knows watts alone: made up ";
  const auto says = [](const std::string& table, const std::string& line) {
    EXPECT_NE(table.find(line), std::string::npos) << table;
  };
  says(BesideTable(Nanos{100'000'000}, 50), makespans + "the same;");
  says(BesideTable(Nanos{100'000'000}, 50), joules + "the same\n");
  says(BesideTable(Nanos{100'000'006}, 50.00001), makespans + "the same within 0.01%;");
  says(BesideTable(Nanos{100'000'006}, 50.00001), joules + "the same within 0.01%\n");
  says(BesideTable(Nanos{100'020'000}, 49), makespans + "100.020 (0.020% more);");
  says(BesideTable(Nanos{100'020'000}, 49), joules + "49.00 (2.000% less)\n");
  says(BesideTable(Nanos{99'000'000}, {}, false),
       "\nmakespans by SimGrid's own physics instead: made up 99.000 (1.000% less); so uncertain is what "
       "units and copies cost each other\n");
  EXPECT_EQ(BesideTable({}, {}).find("by tandem's own rules"), std::string::npos);
  EXPECT_EQ(BesideTable({}, {}).find("by SimGrid's own plugin"), std::string::npos);
}

// Two runs by the makespans of the exact engines and of the fluid one.
std::string ByBothPhysics(std::int64_t first, std::int64_t first_fluid, std::int64_t second,
                          std::int64_t second_fluid) {
  std::vector<Report> reports;
  for (const auto& [label, makespan, fluid] :
       {std::tuple("a", first, first_fluid), std::tuple("b", second, second_fluid)}) {
    Report report = MakeRun().MakeReport(), other = report;
    report.label = label;
    report.makespan = Nanos{makespan * 1'000'000};
    other.makespan = Nanos{fluid * 1'000'000};
    report.other_physics = std::make_shared<const Report>(other);
    reports.push_back(report);
  }
  return ReportTable(reports, 400);
}

TEST(ReportTable, SaysWhoIsBestByOtherPhysicsWhereThatIsSomebodyElse) {
  const std::string table = ByBothPhysics(100, 100, 105, 95);
  EXPECT_NE(table.find("; b is best by makespan then; so uncertain"), std::string::npos) << table;
  EXPECT_EQ(ByBothPhysics(100, 90, 105, 95).find("best by makespan then"), std::string::npos);
}

TEST(ReportTable, SaysWhoIsBestByOtherPhysicsThanThoseOfWhichTheDrawsAre) {
  // By runs nobody is better, by draws a is; by the fluid engine b.
  std::vector<Report> exact, fluid;
  for (const auto& [label, median, by_fluid] : {std::tuple("a", 110, 160), std::tuple("b", 120, 156)}) {
    const auto with = [label = label](std::int64_t makespan) {
      Report report = MakeRun().MakeReport();
      report.label = label;
      report.makespan = Nanos{makespan * 1'000'000};
      return report;
    };
    Report own = with(100), other = with(by_fluid);
    own.other_physics = std::make_shared<const Report>(with(by_fluid));
    other.other_physics = std::make_shared<const Report>(with(100));
    other.engine = "fluid";
    for (Report* report : {&own, &other}) SetDraws(std::vector<Report>(20, with(median)), 0.9, *report);
    exact.push_back(own);
    fluid.push_back(other);
  }
  const std::string of_exact = ReportTable(exact, 400), of_fluid = ReportTable(fluid, 400);
  EXPECT_NE(of_exact.find("; b is best by makespan then; so uncertain"), std::string::npos) << of_exact;
  EXPECT_NE(of_fluid.find("; b is best by makespan by SimGrid's own physics; so"), std::string::npos)
      << of_fluid;
  EXPECT_NE(
      of_fluid.find("by 20 draws; these, their medians and who is best by them are by tandem's own rules\n"),
      std::string::npos)
      << of_fluid;
}

TEST(ReportJson, HasTheMakespanByOtherPhysicsUnderTheirName) {
  Report report = MakeRun().MakeReport();
  EXPECT_FALSE(Json::parse(ReportJson(report)).contains("fluid_makespan_ns"));
  report.other_physics = std::make_shared<const Report>(report);
  EXPECT_EQ(Json::parse(ReportJson(report))["fluid_makespan_ns"], 21000000);
  EXPECT_FALSE(Json::parse(ReportJson(report)).contains("exact_makespan_ns"));
  report.engine = "fluid";
  EXPECT_EQ(Json::parse(ReportJson(report))["exact_makespan_ns"], 21000000);
  EXPECT_FALSE(Json::parse(ReportJson(report)).contains("fluid_makespan_ns"));
}

TEST(ReportJson, HasTheFiguresAsNumbers) {
  const Json json = Json::parse(ReportJson(MakeRun().MakeReport()));
  EXPECT_EQ(json["tandem"], "report/1");
  EXPECT_EQ(json["label"], "made up");
  EXPECT_EQ(json["makespan_ns"], 21000000);
  EXPECT_EQ(json["bound_ns"], 15000000);
  EXPECT_DOUBLE_EQ(json["gap"].get<double>(), 0.4);
  EXPECT_EQ(json["streams"][1]["latency_ns"]["max"], 3000000);
  EXPECT_EQ(json["objective"]["value"], 21000000);
  EXPECT_EQ(json["complete"], true);
}

TEST(ReportJson, SaysNullAndWhyWhereEnergyIsUnknown) {
  const Json json = Json::parse(ReportJson(MakeRun().MakeReport()));
  EXPECT_TRUE(json["energy_j"].is_null());
  EXPECT_EQ(json["energy_why"], "unit \"cpu\" has no idle_w");
  EXPECT_TRUE(json["units"][0]["energy_j"].is_null());
}

TEST(ReportJson, SaysNullWhereThereIsNoBoundAndNoLatency) {
  HandMadeRun run = MakeRun();
  run.facts.bound.reset();
  run.outcome.streams[0].latencies.clear();
  const Json json = Json::parse(ReportJson(run.MakeReport()));
  EXPECT_TRUE(json["bound_ns"].is_null());
  EXPECT_TRUE(json["gap"].is_null());
  EXPECT_TRUE(json["streams"][0]["latency_ns"]["p99"].is_null());
}

TEST(ReportJson, SaysWhatWasTakenForWantOfAMeasurement) {
  HandMadeRun run = MakeRun();
  EXPECT_EQ(Json::parse(ReportJson(run.MakeReport()))["estimated"], Json::array());
  run.facts.estimated = {"that \"much\"", "and more"};
  EXPECT_EQ(Json::parse(ReportJson(run.MakeReport()))["estimated"], Json(run.facts.estimated));
}

TEST(ReportJson, EscapesNames) {
  HandMadeRun run = MakeRun();
  run.policy.label = "a \"b\" \\";
  EXPECT_EQ(Json::parse(ReportJson(run.MakeReport()))["label"], run.policy.label);
}

TEST(ReportJson, HasLoadgensKeysAndXrbenchsScores) {
  HandMadeRun run = MakeRun();
  run.scenario.rules = Rules::kXrbench;
  run.scenario.streams[1].loadgen = Loadgen{LoadgenScenario::kServer, 5, Nanos{0}, 9995, Nanos{2000000}, 7.5};
  const Json json = Json::parse(ReportJson(run.MakeReport()));
  const Json& verdict = json["streams"][1]["loadgen"];
  EXPECT_EQ(verdict["result_validity"], "INVALID");
  EXPECT_EQ(verdict["result_query_count"], 2);
  EXPECT_EQ(verdict["result_99.95_percentile_latency_ns"], 3000000);
  EXPECT_EQ(verdict["result_scheduled_samples_per_sec"], 7.5);
  EXPECT_TRUE(json["streams"][1]["xrbench"]["energy"].is_null());
  EXPECT_TRUE(json["xrbench"]["overall"].is_number());
}

std::size_t Widest(const std::string& text) {
  std::istringstream lines(text);
  std::size_t widest = 0;
  for (std::string line; std::getline(lines, line);) widest = std::max(widest, line.size());
  return widest;
}

TEST(ReportTable, FitsTheTerminalWithEveryColumn) {
  HandMadeRun run = MakeRun();
  run.policy.label = "a policy with a label that nobody would want to type twice";
  run.scenario.rules = Rules::kXrbench;
  for (Unit& unit : run.scenario.platform->units) unit.idle_w = unit.busy_w = 12345.678;
  Report slow = run.MakeReport();
  slow.makespan = slow.latency->mean = slow.latency->p99 = Nanos{99'999'999'000};
  slow.gap = 12.345;
  for (const std::vector<Report>& reports : {std::vector{run.MakeReport()}, std::vector{slow, slow}}) {
    EXPECT_LE(Widest(ReportTable(reports, 80)), 80u) << ReportTable(reports, 80);
    EXPECT_LE(Widest(ReportDetails(reports[0], 80)), 80u) << ReportDetails(reports[0], 80);
  }
}

TEST(ReportTable, MarksTheBestByTheObjective) {
  HandMadeRun run = MakeRun();
  Report worse = run.MakeReport();
  worse.label = "worse";
  worse.makespan += Nanos{1000};
  const std::string table = ReportTable({worse, run.MakeReport()}, 80);
  EXPECT_NE(table.find("\n* made up "), std::string::npos) << table;
  EXPECT_NE(table.find("\n  worse "), std::string::npos) << table;
  EXPECT_NE(table.find("best: makespan made up; "), std::string::npos) << table;
}

TEST(ReportTable, ShowsPerStreamWhatMeetsItsDeadline) {
  Report other = MakeRun().MakeReport();
  other.label = "other";
  other.streams[1].missed = 0;
  const std::string table = ReportTable({MakeRun().MakeReport(), other}, 80);
  EXPECT_NE(table.find("\nstream  deadline  policy   missed  of     p99\n"
                       "a              -  made up       -  10  10.000\n"
                       "                  other         -  10  10.000\n"
                       "b          2.000  made up       2   3   3.000\n"
                       "                  other         0   3   3.000\n"),
            std::string::npos)
      << table;
  EXPECT_EQ(ReportTable({other}, 80).find("\nstream "), std::string::npos) << "one policy has its details";
}

TEST(ReportTable, ShowsPerStreamWhatIsDroppedHowOldDataBecomesAndWhatGoesTogether) {
  HandMadeRun run = WithDropsAndBatches();
  run.scenario.streams[1].deadline.reset();
  Report other = run.MakeReport();
  other.label = "other";
  const std::string table = ReportTable({run.MakeReport(), other}, 80);
  EXPECT_NE(table.find("\nstream  policy   dropped  of  drops/s     p99  p99 age  batch\n"
                       "a       made up        -  10        -  10.000        -  3.333\n"
                       "        other          -  10        -  10.000        -  3.333\n"
                       "b       made up        1   3    47.62   3.000    5.000      -\n"),
            std::string::npos)
      << table;
}

TEST(ReportTable, ShowsPerStreamWhatEverySkips) {
  const Report report = WithSkipped().MakeReport();
  EXPECT_NE(ReportTable({report, report}, 100).find("  skipped "), std::string::npos);
  const std::string details = ReportDetails(report, 100);
  EXPECT_NE(details.find("dropped  skipped  missed"), std::string::npos) << details;
  EXPECT_NE(details.find("      1        7  "), std::string::npos) << details;
  EXPECT_EQ(ReportDetails(MakeRun().MakeReport(), 100).find("skipped"), std::string::npos);
}

TEST(ReportDetails, SayWhatIsDroppedHowOldDataBecomesAndWhatGoesTogether) {
  const std::string details = ReportDetails(WithDropsAndBatches().MakeReport(), 80);
  EXPECT_NE(details.find("a: batches of 2 (1 time), 4 (2)\n"), std::string::npos) << details;
  EXPECT_NE(details.find("drops/s"), std::string::npos) << details;
  EXPECT_NE(details.find("b, age "), std::string::npos) << details;
  EXPECT_NE(details.find("b, age at drop "), std::string::npos) << details;
  const std::string without = ReportDetails(MakeRun().MakeReport(), 80);
  EXPECT_EQ(without.find("drops/s"), std::string::npos) << without;
  EXPECT_EQ(without.find("age"), std::string::npos) << without;
}

// Two ways to the end of the second stream, the first one's through the first stream alone.
HandMadeRun WithStages() {
  HandMadeRun run = MakeRun();
  StreamOutcome& last = run.outcome.streams[1];
  last.whole_ways = 2;
  const auto passed = [](int waited, int worked) {
    return StagePassed{Nanos{waited * 1'000'000}, Nanos{worked * 1'000'000}};
  };
  last.stages = {{StreamId(0), 1, {passed(1, 2), passed(3, 4)}}, {StreamId(1), 0, {passed(1, 3)}}};
  return run;
}

TEST(ReportJson, SaysWhichStageCostsWhat) {
  const Json json = Json::parse(ReportJson(WithStages().MakeReport()));
  EXPECT_FALSE(json["streams"][0].contains("stages"));
  const Json& stages = json["streams"][1]["stages"];
  ASSERT_EQ(stages.size(), 2u);
  EXPECT_EQ(Keys(stages[0]), (std::vector<std::string>{"stream", "requests", "waiting_ns", "work_ns"}));
  EXPECT_EQ(stages[0]["stream"], json["streams"][0]["name"]);
  EXPECT_EQ(stages[0]["waiting_ns"]["mean"], 2'000'000);
  EXPECT_EQ(stages[0]["waiting_ns"]["p99"], 3'000'000);
  EXPECT_EQ(stages[0]["work_ns"]["mean"], 3'000'000);
  EXPECT_EQ(stages[1]["requests"], 1);
  EXPECT_EQ(stages[1]["waiting_ns"]["mean"], 500'000) << "1 ms, and 0 of the way that leads past it";
  EXPECT_EQ(stages[1]["work_ns"]["p99"], 3'000'000);
}

TEST(ReportDetails, HaveATableOfStagesWhoseMeansAddUp) {
  const std::string details = ReportDetails(WithStages().MakeReport(), 100);
  EXPECT_NE(details.find("\nstages on the way to the end of b, means over all of its requests\n"
                         "stage       requests  waiting    p99   work    p99  together\n"
                         "a                  2    2.000  3.000  3.000  4.000     5.000\n"
                         "b                  1    0.500  1.000  1.500  3.000     2.000\n"
                         "end to end              2.500         4.500            7.000\n"),
            std::string::npos)
      << details;
}

TEST(ReportTable, LeavesOutStreamsWithoutAMissWhereThereAreMany) {
  Report report = MakeRun().MakeReport();
  while (report.streams.size() < 30) {
    report.streams.push_back(report.streams[1]);
    report.streams.back().name = "kept";
    report.streams.back().missed = 0;
  }
  const std::string table = ReportTable({report, report}, 80);
  EXPECT_EQ(table.find("kept"), std::string::npos) << table;
  EXPECT_NE(table.find("29 streams of which no request is missed are not shown"), std::string::npos) << table;
}

TEST(ReportTable, SaysWhatWasEstimatedOnce) {
  HandMadeRun run = MakeRun();
  run.facts.estimated = {"that much"};
  const std::vector<Report> reports = {run.MakeReport(), run.MakeReport()};
  const std::string table = ReportTable(reports, 80);
  const auto place = table.find("\nestimated: that much\n");
  ASSERT_NE(place, std::string::npos) << table;
  EXPECT_EQ(table.find("estimated", place + 10), std::string::npos) << table;
}

TEST(ReportTable, SaysWhatItsColumnsCannot) {
  HandMadeRun run = MakeRun();
  run.outcome.complete = false;
  const PolicyDeclaration seer{.name = "seer", .summary = "sees all", .clairvoyant = true};
  run.policy.declaration = &seer;
  const std::string table = ReportTable({run.MakeReport()}, 200);
  EXPECT_NE(table.find("made up: cut short; 12 of 13 released requests completed\n"), std::string::npos);
  EXPECT_NE(table.find("made up: clairvoyant, "), std::string::npos);
  EXPECT_NE(table.find("energy unknown: unit \"cpu\" has no idle_w\n"), std::string::npos);
}

}  // namespace
}  // namespace tandem
