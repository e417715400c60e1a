// Does a baseline hold where nothing changed, and does `tandem regress` say what did, with the status that a
// pipeline needs and every report written?
#include <gtest/gtest.h>

#include <cmath>
#include <filesystem>
#include <nlohmann/json.hpp>
#include <set>

#include "profiles/base/files.h"
#include "profiles/program/shipped.h"
#include "tests/support/program.h"
#include "tests/support/temp_folder.h"

namespace tandem {
namespace {

namespace fs = std::filesystem;
using OrderedJson = nlohmann::ordered_json;

const fs::path kExamples = fs::path(TANDEM_TEST_DIR).parent_path() / "scenarios" / "examples";

class Regress : public testing::Test {
 protected:
  std::string Path(const std::string& name) const { return (folder_ / name).string(); }
  ProgramResult In(const std::string& arguments) const {
    return RunShell("cd " + folder_.string() + " && " TANDEM_PROGRAM " " + arguments);
  }
  void Make(const std::string& arguments = "study-003 -o b.json") const {
    const ProgramResult made = In("new baseline " + arguments);
    ASSERT_EQ(made.status, 0) << made.errors;
  }
  OrderedJson Read(const std::string& name = "b.json") const {
    return OrderedJson::parse(ReadTextFile(folder_ / name));
  }
  void Write(const OrderedJson& json, const std::string& name = "b.json") const {
    WriteFile(folder_ / name, json.dump(1));
  }
  // A figure of the case of that policy.
  static OrderedJson& Figure(OrderedJson& baseline, const std::string& policy, const std::string& figure) {
    for (OrderedJson& of : baseline["cases"]) {
      if (of["policy"] == policy) return of["figures"][figure];
    }
    throw std::out_of_range(policy);
  }
  // The makespan of fcfs was shorter then: it is worse now, by about a hundredth.
  void MakeFcfsWorse(double by = 0.99) const {
    OrderedJson baseline = Read();
    OrderedJson& value = Figure(baseline, "fcfs", "makespan_ns")["value"];
    value = static_cast<std::int64_t>(value.get<double>() * by);
    Write(baseline);
  }

  TempFolder folder_;
};

// What it says where nothing moved, and where the times come from.
bool SaysThatAllHolds(const std::string& output) {
  const std::string figures = "30 figures: 30 as they were\n",
                    times = "tinker-edge-r.profile.json: times published (";
  return output.starts_with(figures + times) && output.ends_with("how far off they are is not\n  known\n");
}

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

TEST_F(Regress, EveryReportSaysWhereTheTimesComeFrom) {
  Make();
  const OrderedJson json = OrderedJson::parse(In("regress b.json --json").output);
  ASSERT_EQ(json["profiles"].size(), 1U);
  EXPECT_EQ(json["profiles"][0]["profile"], "tinker-edge-r.profile.json");
  EXPECT_EQ(json["profiles"][0]["origin"], "published");
  In("regress b.json --html page.html");
  EXPECT_NE(ReadTextFile(folder_ / "page.html").find("tinker-edge-r.profile.json"), std::string::npos);
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

TEST_F(Regress, AnUpdateAddsAFigureThatNeedsABound) {
  Make("study-003 -o b.json --policy fcfs --figure makespan");
  EXPECT_EQ(In("regress b.json --only gap --update").status, 0);
  OrderedJson baseline = Read();
  EXPECT_GT(Figure(baseline, "fcfs", "gap")["value"].get<double>(), 0);
  EXPECT_EQ(baseline["figures"], OrderedJson::parse(R"(["makespan_ns", "gap"])"));
  EXPECT_EQ(In("regress b.json --strict").status, 0);
}

TEST_F(Regress, AnUpdateOfSomeFiguresLeavesTheInputsOfTheOthers) {
  Make("study-003 -o b.json --policy fcfs");
  OrderedJson baseline = Read();
  const std::string old = "sha256:" + std::string(64, '0');
  baseline["cases"][0]["inputs"] = old;
  Figure(baseline, "fcfs", "makespan_ns")["value"] = 1;
  Figure(baseline, "fcfs", "p99_latency_ns")["value"] = 1;
  Write(baseline);
  EXPECT_EQ(In("regress b.json --only makespan --update").status, 0);
  OrderedJson now = Read();
  EXPECT_EQ(Figure(now, "fcfs", "makespan_ns")["value"], 4048341000);
  EXPECT_EQ(Figure(now, "fcfs", "p99_latency_ns")["value"], 1);
  EXPECT_EQ(now["cases"][0]["inputs"], old);
}

TEST_F(Regress, UpdateKeepsTolerancesAndShowsWhatChanged) {
  Make();
  const std::string whole = ReadTextFile(folder_ / "b.json");
  MakeFcfsWorse();
  OrderedJson baseline = Read();
  Figure(baseline, "fcfs", "makespan_ns")["tolerance"] = "0.5%";
  baseline["cases"][2]["figures"].erase("winner");
  baseline["version"] = "0.0.1";
  Write(baseline);
  const ProgramResult updated = In("regress b.json --update");
  EXPECT_EQ(updated.status, 0) << updated.errors;
  EXPECT_NE(updated.output.find("1 worse"), std::string::npos) << updated.output;
  EXPECT_NE(updated.output.find("the baseline is rewritten"), std::string::npos);
  OrderedJson now = Read();
  EXPECT_EQ(Figure(now, "fcfs", "makespan_ns")["value"], 4048341000);
  EXPECT_EQ(Figure(now, "fcfs", "makespan_ns")["tolerance"], "0.5%");
  Figure(now, "fcfs", "makespan_ns")["tolerance"] = 0;
  EXPECT_EQ(now, OrderedJson::parse(whole)) << "all else is as it was made";
  EXPECT_EQ(In("regress b.json --strict").status, 0);
}

TEST_F(Regress, ALinkIsFollowedByAnUpdate) {
  Make("study-003 -o real.json");
  OrderedJson baseline = Read("real.json");
  Figure(baseline, "fcfs", "makespan_ns")["value"] = 1;
  Write(baseline, "real.json");
  fs::create_symlink(folder_ / "real.json", folder_ / "b.json");
  EXPECT_EQ(In("regress b.json --update").status, 0);
  EXPECT_EQ(In("regress real.json --strict").status, 0);
}

TEST_F(Regress, ChangedInputsAreSaid) {
  fs::create_directories(folder_ / "ci");
  fs::copy(kExamples / "study-003.scenario.json", folder_ / "mine.scenario.json");
  Make("mine.scenario.json -o ci/b.json");
  EXPECT_EQ(Read("ci/b.json")["cases"][0]["scenario"], "../mine.scenario.json")
      << "from the baseline's folder";
  EXPECT_TRUE(SaysThatAllHolds(In("regress ci/b.json").output));
  std::string text = ReadTextFile(folder_ / "mine.scenario.json");
  text.replace(text.find("\"count\": 100"), 12, "\"count\": 101");
  WriteFile(folder_ / "mine.scenario.json", text);
  const ProgramResult result = In("regress ci/b.json");
  EXPECT_EQ(result.status, 1);
  EXPECT_NE(result.output.find("note: ci/b.json: ../mine.scenario.json: what the scenario reads has changed"),
            std::string::npos)
      << result.output;
}

TEST_F(Regress, WhereNothingItReadsHasChangedTandemHas) {
  Make();
  MakeFcfsWorse();
  OrderedJson baseline = Read();
  baseline["version"] = "0.0.1";
  Write(baseline);
  EXPECT_NE(In("regress b.json").output.find("note: b.json: tandem 0.0.1 wrote it, this is "),
            std::string::npos)
      << In("regress b.json").output;
}

TEST_F(Regress, APolicyThatTheBaselineDoesNotHoldIsNamedWithTheInputs) {
  fs::copy(kExamples / "study-003.scenario.json", folder_ / "mine.scenario.json");
  Make("mine.scenario.json -o b.json");
  OrderedJson scenario = Read("mine.scenario.json");
  scenario["policies"].push_back("heft");
  Write(scenario, "mine.scenario.json");
  EXPECT_NE(In("regress b.json").output.find("the baseline does not hold heft"), std::string::npos)
      << In("regress b.json").output;
}

// By layer a request needs more memory than the board has then; whole models do not.
TEST_F(Regress, APolicyThatCannotRunAnyMoreIsADifferentFigure) {
  WriteFile(folder_ / "m.model.json", R"({"tandem": "model/1", "name": "m", "layers": [
      {"name": "in", "op": "input", "shape": [1, 16, 32, 32]}, {"name": "a", "op": "relu", "inputs": ["in"]},
      {"name": "b", "op": "relu", "inputs": ["a"]}, {"name": "c", "op": "relu", "inputs": ["b"]},
      {"name": "d", "op": "relu", "inputs": ["c"]}, {"name": "e", "op": "add", "inputs": ["d", "b"]},
      {"name": "f", "op": "add", "inputs": ["e", "a"]}]})");
  const auto write_board = [&](const std::string& capacity) {
    WriteFile(folder_ / "b.platform.json",
              R"({"tandem": "platform/1", "name": "b",
        "memories": [{"name": "dram", "capacity_bytes": )" +
                  capacity + R"(}], "units": [{"name": "cpu", "kind": "cpu", "memory": "dram"}]})");
  };
  std::string entries;
  for (const char* layer : {"a", "b", "c", "d", "e", "f"}) {
    entries += (entries.empty() ? "" : ", ") +
               (R"({"model": "m.model.json", "unit": "cpu", "layers": [")" + std::string(layer)) +
               R"("], "median_us": 10})";
  }
  WriteFile(folder_ / "b.profile.json",
            R"({"tandem": "profile/1", "platform": "b.platform.json",
      "origin": {"kind": "estimated", "method": "made up"}, "entries": [)" +
                entries + "]}");
  WriteFile(folder_ / "mine.scenario.json",
            R"({"tandem": "scenario/1", "name": "s", "platform": "b.platform.json",
      "profiles": ["b.profile.json"], "streams": [{"name": "s", "model": "m.model.json", "count": 2,
      "arrival": {"type": "offline"}}],
      "policies": [{"name": "fcfs", "label": "layers", "granularity": "layer"}, "fcfs"]})");
  write_board("1000000");
  Make("mine.scenario.json -o b.json");
  write_board("250000");
  const ProgramResult result = In("regress b.json --junit j.xml");
  EXPECT_EQ(result.status, 1) << result.output << result.errors;
  EXPECT_NE(result.output.find("the policy cannot run it any more"), std::string::npos) << result.output;
  EXPECT_TRUE(fs::exists(folder_ / "j.xml"));
  const ProgramResult anew = In("new baseline mine.scenario.json -o c.json");
  EXPECT_EQ(anew.status, 2);
  EXPECT_NE(anew.errors.find("--policy says which are to be held"), std::string::npos) << anew.errors;
}

TEST_F(Regress, ANoteIsNoInput) {
  fs::copy(kExamples / "study-003.scenario.json", folder_ / "mine.scenario.json");
  Make("mine.scenario.json -o b.json");
  OrderedJson scenario = Read("mine.scenario.json");
  scenario["note"] = "said anew";
  Write(scenario, "mine.scenario.json");
  EXPECT_TRUE(SaysThatAllHolds(In("regress b.json").output));
}

TEST_F(Regress, AllReportsAreWrittenBeforeItFails) {
  Make();
  MakeFcfsWorse();
  const ProgramResult result =
      RunShell("cd " + folder_.string() +
               " && GITHUB_STEP_SUMMARY=s.md " TANDEM_PROGRAM
               " regress b.json --junit j.xml --github --openmetrics o.txt --benchmark-json m.json --ctest");
  EXPECT_EQ(result.status, 1) << result.errors;
  EXPECT_NE(result.output.find("::error file=b.json,title=study-003%2C fcfs%3A worse makespan_ns::"),
            std::string::npos)
      << result.output;
  EXPECT_NE(result.output.find("<CTestMeasurement "), std::string::npos);
  EXPECT_NE(ReadTextFile(folder_ / "j.xml").find("<failure message=\"makespan_ns "), std::string::npos);
  EXPECT_NE(ReadTextFile(folder_ / "s.md").find("1 worse"), std::string::npos);
  EXPECT_TRUE(ReadTextFile(folder_ / "o.txt").ends_with("# EOF\n"));
  EXPECT_EQ(OrderedJson::parse(ReadTextFile(folder_ / "m.json")).size(), 24U) << "the winner is no number";
}

TEST_F(Regress, AReportThatCannotBeWrittenIsStatus3AndTheOthersAreThere) {
  Make();
  const ProgramResult result = In("regress b.json --junit none/j.xml --openmetrics o.txt");
  EXPECT_EQ(result.status, 3);
  EXPECT_NE(result.errors.find("none/j.xml: cannot be written"), std::string::npos) << result.errors;
  EXPECT_TRUE(fs::exists(folder_ / "o.txt"));
  EXPECT_TRUE(SaysThatAllHolds(result.output)) << result.output;
}

TEST_F(Regress, NoReportReplacesWhatItShouldNot) {
  fs::copy(kExamples / "study-003.scenario.json", folder_ / "mine.scenario.json");
  Make("mine.scenario.json -o b.json");
  const std::string whole = ReadTextFile(folder_ / "b.json");
  for (const char* option : {"--junit", "--openmetrics", "--benchmark-json"}) {
    const ProgramResult lost = In(std::string("regress b.json ") + option + " mine.scenario.json");
    EXPECT_EQ(lost.status, 2) << option;
    EXPECT_NE(lost.errors.find("mine.scenario.json: is "), std::string::npos) << lost.errors;
    for (const char* input : {"b.json", "mine.scenario.json"}) {
      const ProgramResult forced = In(std::string("regress b.json --force ") + option + " " + input);
      EXPECT_EQ(forced.status, 2) << option << " " << input << forced.output;
      EXPECT_NE(forced.errors.find("is an input of this command"), std::string::npos) << forced.errors;
    }
  }
  EXPECT_EQ(ReadTextFile(folder_ / "b.json"), whole);
  EXPECT_EQ(In("regress b.json --junit r --openmetrics r").status, 2) << "one file for two reports";
  const std::string all = "regress b.json --junit j.xml --openmetrics o.txt --benchmark-json m.json";
  EXPECT_EQ(In(all).status, 0);
  EXPECT_EQ(In(all).status, 0) << "their own files are replaced";
  WriteFile(folder_ / "j.xml", "<?xml version=\"1.0\"?><notes/>\n");
  EXPECT_EQ(In(all).status, 2);
  EXPECT_EQ(In(all + " --force").status, 0);
}

TEST_F(Regress, AReportMayGoToStandardOutput) {
  Make();
  const ProgramResult result = In("regress b.json --junit - --github --ctest");
  EXPECT_EQ(result.status, 0);
  EXPECT_EQ(result.output.substr(0, 5), "<?xml");
  EXPECT_EQ(result.output.find("CTestMeasurement"), std::string::npos);
  EXPECT_NE(result.errors.find("30 figures: 30 as they were\n"), std::string::npos) << result.errors;
  EXPECT_EQ(In("regress b.json --junit - --json").status, 2);
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

TEST_F(Regress, OtherToolsKnowEachFigureByANameOfItsOwn) {
  Make("study-003 -o b.json --policy fcfs");
  Make("study-003 -o c.json --policy fcfs --name b.json");
  OrderedJson baseline = Read();
  OrderedJson other = baseline["cases"][0];
  other["engine"] = "simgrid";
  baseline["cases"].push_back(other);
  Write(baseline);
  const ProgramResult result = In("regress b.json c.json --benchmark-json m.json --junit j.xml --ctest");
  EXPECT_EQ(result.status, 0) << result.output << result.errors;
  std::set<std::string> names;
  const OrderedJson benchmarks = Read("m.json");
  for (const OrderedJson& of : benchmarks) {
    EXPECT_TRUE(names.insert(of["name"].get<std::string>()).second) << of["name"];
  }
  EXPECT_TRUE(names.count("study-003 / fcfs (simgrid, seed 1) / makespan_ns")) << *names.begin();
  EXPECT_TRUE(names.count("study-003 / fcfs (virtual, seed 1, b.json, c.json) / makespan_ns"));
  EXPECT_NE(ReadTextFile(folder_ / "j.xml").find("classname=\"study-003.fcfs (simgrid, seed 1)\""),
            std::string::npos);
}

TEST_F(Regress, JsonStaysAloneOnStandardOutput) {
  Make();
  MakeFcfsWorse();
  const ProgramResult result = In("regress b.json --github --json");
  EXPECT_EQ(OrderedJson::parse(result.output)["tandem"], "regression/1");
  EXPECT_NE(result.errors.find("::error "), std::string::npos) << "runners read both";
}

TEST_F(Regress, FiguresOfStreamsAndOthersCanBeKept) {
  Make("study-003 -o b.json --figure streams.resnet50.p99,throughput");
  const OrderedJson figures = Read()["cases"][0]["figures"];
  EXPECT_EQ(figures.size(), 2U);
  EXPECT_TRUE(figures.contains("streams.resnet50.p99_latency_ns"));
  EXPECT_EQ(In("regress b.json").status, 0);
  Make("study-003 -o all.json --figure all");
  EXPECT_EQ(Read("all.json")["cases"][0]["figures"].size(), 18U + 3U * 12U);
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

TEST_F(Regress, WithTheSameProfileTheWinnerStillWins) {
  Make();
  const ProgramResult result = In("regress b.json --profile tinker-edge-r --json");
  EXPECT_EQ(result.status, 0) << result.errors;
  const OrderedJson winners = OrderedJson::parse(result.output)["winners"];
  ASSERT_EQ(winners.size(), 1U);
  EXPECT_EQ(winners[0]["scenario"], "study-003");
  EXPECT_EQ(winners[0]["still_wins"], true);
  EXPECT_EQ(winners[0]["cost"], 0);
}

TEST_F(Regress, ANewProfileTellsWhatTheOldPlanCosts) {
  Make();
  OrderedJson profile =
      OrderedJson::parse(ReadTextFile(ShippedDirectory() / "boards" / "tinker-edge-r.profile.json"));
  // The unit that the winner leans on becomes slow.
  for (OrderedJson& entry : profile["entries"]) {
    if (entry["unit"] == "coral") entry["median_us"] = std::round(entry["median_us"].get<double>() * 50);
  }
  Write(profile, "slow.profile.json");
  const ProgramResult result = In("regress b.json --profile slow.profile.json --json");
  EXPECT_EQ(result.status, 1) << result.errors;
  const OrderedJson json = OrderedJson::parse(result.output);
  EXPECT_GT(json["worse"], 0);
  const OrderedJson& winner = json["winners"][0];
  EXPECT_FALSE(winner["after"].is_null());
  EXPECT_GE(winner["cost"].get<double>(), 0);
  EXPECT_GE(winner["kept"].get<double>(), winner["best"].get<double>());
  const ProgramResult text = In("regress b.json --profile slow.profile.json");
  EXPECT_NE(text.output.find("keeping"), std::string::npos) << text.output;
  EXPECT_EQ(In("regress b.json --profile jetson-tx1").status, 0) << "of another board: a note";
}

// HEFT says before the run who runs what: with the old profile much goes to the unit that is slow now.
TEST_F(Regress, WhatWasPlannedAheadIsKeptAsItWasPlanned) {
  Make("study-003 -o b.json --policy heft");
  OrderedJson profile =
      OrderedJson::parse(ReadTextFile(ShippedDirectory() / "boards" / "tinker-edge-r.profile.json"));
  for (OrderedJson& entry : profile["entries"]) {
    if (entry["unit"] == "coral") entry["median_us"] = std::round(entry["median_us"].get<double>() * 50);
  }
  Write(profile, "slow.profile.json");
  const OrderedJson winner =
      OrderedJson::parse(In("regress b.json --profile slow.profile.json --json").output)["winners"][0];
  EXPECT_EQ(winner["still_wins"], true) << "planned anew";
  EXPECT_GT(winner["cost"].get<double>(), 1);
  EXPECT_NE(In("regress b.json --profile slow.profile.json").output.find("keeping the old plan costs "),
            std::string::npos);
  const OrderedJson same =
      OrderedJson::parse(In("regress b.json --profile tinker-edge-r --json").output)["winners"][0];
  EXPECT_EQ(same["cost"], 0) << "the schedule is the one that ran";
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
