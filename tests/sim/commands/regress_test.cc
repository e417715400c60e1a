// Does a baseline hold where nothing changed, and does `tandem regress` say what did, with the status that a
// pipeline needs?
#include <gtest/gtest.h>

#include <set>

#include "profiles/program/shipped.h"
#include "tests/support/baseline_folder.h"

namespace tandem {
namespace {

namespace fs = std::filesystem;
using OrderedJson = nlohmann::ordered_json;

class Regress : public BaselineFolder {};

TEST_F(Regress, ANewBaselineHasEveryPolicyWithTheUsualFigures) {
  Make();
  const OrderedJson baseline = Read();
  EXPECT_EQ(baseline["tandem"], "baseline/1");
  EXPECT_EQ(baseline["name"], "b.json");
  ASSERT_EQ(baseline["cases"].size(), 6U);
  const OrderedJson& fcfs = baseline["cases"][0];
  EXPECT_EQ(fcfs["scenario"], "study-003");
  EXPECT_EQ(fcfs["engine"], "virtual");
  EXPECT_EQ(fcfs["seed"], 1);
  EXPECT_EQ(fcfs["policy"], "fcfs");
  EXPECT_EQ(fcfs["figures"]["makespan_ns"], OrderedJson::parse(R"({"value": 4048341000, "tolerance": 0})"));
  EXPECT_EQ(fcfs["figures"]["p99_latency_ns"]["value"], 3589244000);
  EXPECT_EQ(fcfs["figures"].size(), 5U);
  EXPECT_EQ(baseline["figures"],
            OrderedJson::parse(R"(["makespan_ns", "p99_latency_ns", "missed", "gap", "winner"])"));
  const OrderedJson plan = OrderedJson::parse(RunTandem("plan study-003 --engine virtual --json").output);
  EXPECT_EQ(fcfs["figures"]["winner"]["value"], plan["winner"]);
  EXPECT_EQ(In("check b.json").status, 0);
}

TEST_F(Regress, AFigureStandsOnALineAndTheBytesAreTheSameAgain) {
  Make();
  Make("study-003 -o again.json --name b.json");
  const std::string text = ReadTextFile(folder_ / "b.json");
  EXPECT_EQ(text, ReadTextFile(folder_ / "again.json"));
  EXPECT_NE(text.find("\n      \"makespan_ns\": {\"value\": 4048341000, \"tolerance\": 0},\n"),
            std::string::npos);
}

TEST_F(Regress, WhatDidNotChangeHolds) {
  Make();
  const ProgramResult result = In("regress b.json");
  EXPECT_EQ(result.status, 0) << result.output << result.errors;
  EXPECT_TRUE(SaysThatAllHolds(result.output)) << result.output;
  EXPECT_EQ(In("regress b.json --strict").status, 0);
}

TEST_F(Regress, BothEnginesAgree) {
  Make("study-003 -o b.json --engine simgrid");
  OrderedJson baseline = Read();
  EXPECT_EQ(baseline["cases"][0]["engine"], "simgrid");
  for (OrderedJson& of : baseline["cases"]) of["engine"] = "virtual";
  Write(baseline);
  EXPECT_EQ(In("regress b.json --strict").status, 0);
}

TEST_F(Regress, WhatIsWorseIsStatus1AndSaidWithAReason) {
  Make();
  OrderedJson baseline = Read();
  Figure(baseline, "fcfs", "makespan_ns")["value"] = 4000000000;
  for (OrderedJson& of : baseline["cases"]) {
    if (of["policy"] == "fcfs")
      of["time"][0]["working_ns"] = of["time"][0]["working_ns"].get<std::int64_t>() - 1;
    if (of["policy"] == "fcfs") of["stream_latency_ns"]["resnet50"] = 1000000;
  }
  Write(baseline);
  const ProgramResult result = In("regress b.json --json");
  EXPECT_EQ(result.status, 1) << result.errors;
  const OrderedJson json = OrderedJson::parse(result.output);
  EXPECT_EQ(json["passed"], false);
  EXPECT_EQ(json["worse"], 1);
  EXPECT_EQ(json["same"], 29);
  const OrderedJson& worst = json["figures"][0];
  EXPECT_EQ(worst["verdict"], "worse");
  EXPECT_EQ(worst["policy"], "fcfs");
  EXPECT_EQ(worst["figure"], "makespan_ns");
  EXPECT_EQ(worst["after"], 4048341000);
  EXPECT_NEAR(worst["change"], 0.01208525, 1e-6);
  EXPECT_NE(worst["why"].get<std::string>().find("stream \"resnet50\" takes "), std::string::npos)
      << worst["why"];
  const ProgramResult text = In("regress b.json");
  EXPECT_NE(text.output.find("30 figures: 1 worse, 29 as they were\n"), std::string::npos) << text.output;
  EXPECT_NE(text.output.find("study-003, fcfs: "), std::string::npos) << text.output;
}

TEST_F(Regress, BetterPassesUnlessStrict) {
  Make();
  MakeFcfsWorse(1.01);
  EXPECT_EQ(In("regress b.json").status, 0);
  const ProgramResult strict = In("regress b.json --strict");
  EXPECT_EQ(strict.status, 1);
  EXPECT_NE(strict.output.find("better"), std::string::npos);
}

TEST_F(Regress, TolerancesAndBarsDecide) {
  Make();
  MakeFcfsWorse();
  EXPECT_EQ(In("regress b.json").status, 1);
  EXPECT_EQ(In("regress b.json --fail makespan:2%").status, 0);
  EXPECT_EQ(In("regress b.json --fail makespan:0.5%").status, 1);
  EXPECT_EQ(In("regress b.json --only p99,missed").status, 0);
  EXPECT_EQ(In("regress b.json --fail p99:1%,makespan:2%").status, 0);
  const ProgramResult warned = In("regress b.json --warn makespan:0.5%");
  EXPECT_EQ(warned.status, 0);
  EXPECT_NE(warned.output.find("1 warning"), std::string::npos) << warned.output;
  OrderedJson baseline = Read();
  Figure(baseline, "fcfs", "makespan_ns")["tolerance"] = "2%";
  Write(baseline);
  EXPECT_EQ(In("regress b.json").status, 0);
}

TEST_F(Regress, AnotherWinnerIsStatus1) {
  Make();
  OrderedJson baseline = Read();
  for (OrderedJson& of : baseline["cases"]) of["figures"]["winner"]["value"] = "round_robin";
  Write(baseline);
  const ProgramResult result = In("regress b.json");
  EXPECT_EQ(result.status, 1);
  EXPECT_NE(result.output.find("6 different"), std::string::npos) << result.output;
}

TEST_F(Regress, AFigureThatTheBaselineLacksIsAnError) {
  Make();
  OrderedJson baseline = Read();
  baseline["cases"][2]["figures"].erase("p99_latency_ns");
  Write(baseline);
  const ProgramResult missing = In("regress b.json --junit j.xml");
  EXPECT_EQ(missing.status, 2) << missing.output;
  EXPECT_TRUE(fs::exists(folder_ / "j.xml")) << "reports are written before";
  EXPECT_NE(missing.errors.find("lacks figures"), std::string::npos) << missing.errors;
  const ProgramResult lenient = In("regress b.json --lenient");
  EXPECT_EQ(lenient.status, 0) << lenient.errors;
  EXPECT_NE(lenient.output.find("note: b.json: study-003, affinity: the baseline has no figure"),
            std::string::npos)
      << lenient.output;
  EXPECT_EQ(In("regress b.json --only energy").status, 2);
  EXPECT_EQ(In("regress b.json --fail p50:1%").status, 2);
  EXPECT_EQ(In("regress b.json --only energy --lenient").status, 0);
  EXPECT_EQ(In("regress b.json --only streams.nobody.p99").status, 2);
}

TEST_F(Regress, AFigureThatNoCaseHasAnyMoreIsMissedToo) {
  Make("study-003 -o b.json --policy fcfs");
  OrderedJson baseline = Read();
  baseline["cases"][0]["figures"].erase("missed");
  Write(baseline);
  EXPECT_EQ(In("regress b.json").status, 2) << "the baseline says at its top what cases have";
  EXPECT_EQ(In("regress b.json --lenient").status, 0);
  baseline.erase("figures");
  Write(baseline);
  EXPECT_EQ(In("regress b.json").status, 0) << "nothing says that it is to be there";
}

TEST_F(Regress, ANewBaselineReplacesOnlyBaselines) {
  fs::copy(kExamples / "study-003.scenario.json", folder_ / "mine.scenario.json");
  const std::string scenario = ReadTextFile(folder_ / "mine.scenario.json");
  EXPECT_EQ(In("new baseline mine.scenario.json -o mine.scenario.json").status, 2);
  EXPECT_EQ(In("new baseline mine.scenario.json -o mine.scenario.json --force").status, 2);
  EXPECT_EQ(ReadTextFile(folder_ / "mine.scenario.json"), scenario);
  Make("study-003 -o b.json --policy fcfs");
  Make("study-003 -o b.json --policy fcfs");
  const ProgramResult out = In("new baseline study-003 --policy fcfs -o -");
  EXPECT_EQ(OrderedJson::parse(out.output)["name"], "baseline");
  EXPECT_EQ(out.errors, "-: 1 case\n");
}

TEST_F(Regress, FiguresOfStreamsAndOthersCanBeKept) {
  Make("study-003 -o b.json --figure streams.resnet50.p99,throughput");
  const OrderedJson figures = Read()["cases"][0]["figures"];
  EXPECT_EQ(figures.size(), 2U);
  EXPECT_TRUE(figures.contains("streams.resnet50.p99_latency_ns"));
  EXPECT_EQ(In("regress b.json").status, 0);
  Make("study-003 -o all.json --figure all");
  EXPECT_EQ(Read("all.json")["cases"][0]["figures"].size(), 19U + 3U * 13U);
  EXPECT_EQ(In("regress all.json --strict").status, 0);
}

TEST_F(Regress, ThePoliciesMayBeNamed) {
  Make("study-003 -o b.json --policy eft,heft");
  const OrderedJson baseline = Read();
  ASSERT_EQ(baseline["cases"].size(), 2U);
  EXPECT_EQ(baseline["cases"][1]["policy"], "heft") << "which the scenario has not";
  EXPECT_EQ(In("regress b.json --strict").status, 0);
}

TEST_F(Regress, SeveralBaselinesAreHeldTogether) {
  Make();
  Make("study-002 -o c.json");
  MakeFcfsWorse();
  const ProgramResult result = In("regress b.json c.json --json");
  EXPECT_EQ(result.status, 1);
  std::set<std::string> names;
  const OrderedJson json = OrderedJson::parse(result.output);
  for (const OrderedJson& figure : json["figures"]) names.insert(figure["scenario"].get<std::string>());
  EXPECT_EQ(names, (std::set<std::string>{"study-002", "study-003"}));
}

TEST_F(Regress, WrongUseIsToldInOneLine) {
  Make();
  const ProgramResult figure = In("regress b.json --only makspan");
  EXPECT_EQ(figure.status, 2);
  EXPECT_EQ(figure.errors.substr(0, 32), "--only: unknown figure \"makspan\"") << figure.errors;
  EXPECT_EQ(In("regress none.json").errors, "none.json: no such file\n");
  EXPECT_EQ(In("regress").status, 2);
  EXPECT_EQ(In("regress b.json --update --profile tinker-edge-r").status, 2);
  EXPECT_EQ(In("new baseline study-003").status, 2) << "where to?";
  EXPECT_EQ(In("new baseline -o x.json").status, 2) << "of what?";
  EXPECT_EQ(In("new baseline study-003 study-003 -o x.json").status, 2);
  OrderedJson baseline = Read();
  baseline["cases"][0]["policy"] = "fcfss";
  Write(baseline);
  EXPECT_EQ(In("regress b.json").errors,
            "b.json:/cases/0/policy: unknown policy \"fcfss\"; did you mean \"fcfs\"?\n");
  baseline["cases"][0]["scenario"] = "studi-003";
  Write(baseline);
  EXPECT_EQ(In("regress b.json").errors.substr(0, 26), "b.json:/cases/0/scenario: ");
}

// A change that moves a figure of theirs says so, in this file.
TEST(ShippedBaseline, HoldsEveryShippedScenarioThatCanBeSimulated) {
  const fs::path file =
      fs::path(TANDEM_TEST_DIR).parent_path() / "scenarios" / "baselines" / "shipped.baseline.json";
  std::set<std::string> held;
  const OrderedJson baseline = OrderedJson::parse(ReadTextFile(file));
  for (const OrderedJson& of : baseline["cases"]) held.insert(of["scenario"].get<std::string>());
  std::set<std::string> shipped;
  for (const std::string& name : ShippedNames("scenarios", ".scenario.json")) shipped.insert(name);
  shipped.erase("this-machine");  // its board is the machine that asks
  EXPECT_EQ(held, shipped) << "tandem new baseline --shipped -o scenarios/baselines/shipped.baseline.json";
}

}  // namespace
}  // namespace tandem
