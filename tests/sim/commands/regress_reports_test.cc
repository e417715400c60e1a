// Are all reports of `tandem regress` written, where they were asked for, and does none replace anything
// else?
#include <gtest/gtest.h>

#include <set>

#include "tests/support/baseline_folder.h"

namespace tandem {
namespace {

namespace fs = std::filesystem;
using OrderedJson = nlohmann::ordered_json;

class RegressReports : public BaselineFolder {};

TEST_F(RegressReports, EveryReportSaysWhereTheTimesComeFrom) {
  Make();
  const OrderedJson json = OrderedJson::parse(In("regress b.json --json").output);
  ASSERT_EQ(json["profiles"].size(), 1U);
  EXPECT_EQ(json["profiles"][0]["profile"], "tinker-edge-r.profile.json");
  EXPECT_EQ(json["profiles"][0]["origin"], "published");
  In("regress b.json --html page.html");
  EXPECT_NE(ReadTextFile(folder_ / "page.html").find("tinker-edge-r.profile.json"), std::string::npos);
}

TEST_F(RegressReports, AllReportsAreWrittenBeforeItFails) {
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

TEST_F(RegressReports, AReportThatCannotBeWrittenIsStatus3AndTheOthersAreThere) {
  Make();
  const ProgramResult result = In("regress b.json --junit none/j.xml --openmetrics o.txt");
  EXPECT_EQ(result.status, 3);
  EXPECT_NE(result.errors.find("none/j.xml: cannot be written"), std::string::npos) << result.errors;
  EXPECT_TRUE(fs::exists(folder_ / "o.txt"));
  EXPECT_TRUE(SaysThatAllHolds(result.output)) << result.output;
}

TEST_F(RegressReports, NoReportReplacesWhatItShouldNot) {
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

TEST_F(RegressReports, AReportMayGoToStandardOutput) {
  Make();
  const ProgramResult result = In("regress b.json --junit - --github --ctest");
  EXPECT_EQ(result.status, 0);
  EXPECT_EQ(result.output.substr(0, 5), "<?xml");
  EXPECT_EQ(result.output.find("CTestMeasurement"), std::string::npos);
  EXPECT_NE(result.errors.find("30 figures: 30 as they were\n"), std::string::npos) << result.errors;
  EXPECT_EQ(In("regress b.json --junit - --json").status, 2);
}

TEST_F(RegressReports, OtherToolsKnowEachFigureByANameOfItsOwn) {
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

TEST_F(RegressReports, JsonStaysAloneOnStandardOutput) {
  Make();
  MakeFcfsWorse();
  const ProgramResult result = In("regress b.json --github --json");
  EXPECT_EQ(OrderedJson::parse(result.output)["tandem"], "regression/1");
  EXPECT_NE(result.errors.find("::error "), std::string::npos) << "runners read both";
}

}  // namespace
}  // namespace tandem
