// Are the reports for other tools what these tools read, whatever names and however many figures there are?
#include "sim/regress/reports.h"

#include <gtest/gtest.h>
#include <stdlib.h>

#include <algorithm>
#include <nlohmann/json.hpp>
#include <regex>
#include <sstream>

#include "profiles/base/files.h"
#include "tests/support/program.h"
#include "tests/support/temp_folder.h"

namespace tandem {
namespace {

constexpr std::size_t kMegabyte = 1024 * 1024;

FigureChange ChangeOf(const std::string& scenario, const std::string& policy, const std::string& figure,
                      const FigureValue& before, const FigureValue& after, Verdict verdict) {
  FigureChange change;
  change.baseline = "ours";
  change.file = "ci/ours, all.baseline.json";
  change.scenario = scenario;
  change.policy = policy;
  change.engine = "virtual";
  change.figure = *FindFigure(figure);
  change.before = before;
  change.after = after;
  change.allowed = Tolerance{2, true};
  change.verdict = verdict;
  change.change = 0.5;
  if (verdict != Verdict::kSame) change.why = "unit <cpu> & \"gpu\" 50% | later";
  return change;
}

Regression Example() {
  Regression all;
  all.figures = {
      ChangeOf("s", "odd <\"&'\x01> label", "makespan_ns", 1000.0, 1500.0, Verdict::kWorse),
      ChangeOf("s", "eft", "winner", "sjf", "eft", Verdict::kDifferent),
      ChangeOf("s", "eft", "streams.a.p99_latency_ns", 2e9, 2.5e9, Verdict::kWarned),
      ChangeOf("s", "eft", "throughput_per_s", 1.0, 2.0, Verdict::kBetter),
      ChangeOf("s", "eft", "energy_j", FigureValue(), FigureValue(), Verdict::kSame),
      ChangeOf("s", "back\\slash", "missed", 3.0, 3.0, Verdict::kSame),
  };
  return all;
}

Regression ManyWorse(std::size_t count) {
  Regression all;
  for (std::size_t i = 0; i < count; ++i) {
    all.figures.push_back(
        ChangeOf("scenario " + std::to_string(i), "eft", "missed", 1.0, 2.0, Verdict::kWorse));
  }
  return all;
}

std::vector<std::string> Lines(const std::string& text) {
  std::vector<std::string> lines;
  std::istringstream stream(text);
  for (std::string line; std::getline(stream, line);) lines.push_back(line);
  return lines;
}

bool Has(const std::string& text, const std::string& part) { return text.find(part) != std::string::npos; }

TEST(JunitReport, HasACasePerFigureAndEscapesWhatXmlCannotSay) {
  const std::string xml = JunitXml(Example());
  EXPECT_TRUE(Has(xml, "<testsuite name=\"ours\" tests=\"6\" failures=\"2\" errors=\"0\">")) << xml;
  EXPECT_TRUE(Has(xml, "classname=\"s.odd &lt;&quot;&amp;'\\u0001&gt; label\" name=\"makespan_ns\"")) << xml;
  EXPECT_TRUE(Has(xml, "type=\"worse\">unit &lt;cpu&gt; &amp; &quot;gpu&quot; 50% | later</failure>")) << xml;
  EXPECT_TRUE(Has(xml, "name=\"missed\" time=\"0\"/>")) << xml;
}

TEST(JunitReport, WhatIsNoCharacterOfXmlIsReplaced) {
  Regression all;
  all.figures = {
      ChangeOf("a\xef\xbf\xbf"
               "b\xef\xbf\xbe",
               "eft", "missed", 1.0, 1.0, Verdict::kSame)};
  EXPECT_TRUE(Has(JunitXml(all),
                  "classname=\"a\xef\xbf\xbd"
                  "b\xef\xbf\xbd.eft\""))
      << JunitXml(all);
}

TEST(JunitReport, IsXml) {
  if (RunShell("python3 -c ''").status != 0) GTEST_SKIP() << "no python3 to parse it";
  const TempFolder folder;
  WriteFile(folder / "j.xml", JunitXml(Example()));
  const ProgramResult parsed = RunShell(
      "python3 -c \"import sys, xml.etree.ElementTree as e; r = e.parse(sys.argv[1]).getroot(); "
      "print(r.get('tests'), len(r.findall('.//testcase')), len(r.findall('.//failure')))\" " +
      (folder / "j.xml").string());
  EXPECT_EQ(parsed.output, "6 6 2\n") << parsed.errors;
}

TEST(JunitReport, MissingFiguresAreErrors) {
  Regression all;
  all.figures = {ChangeOf("s", "eft", "gap", FigureValue(), 0.5, Verdict::kMissing)};
  EXPECT_TRUE(Has(JunitXml(all), "failures=\"0\" errors=\"1\""));
  EXPECT_TRUE(Has(JunitXml(all), "<error message=\"gap is not in the baseline; now it is 0.5\""));
}

TEST(GithubReport, AnnotatesAndEscapes) {
  const std::vector<std::string> lines = Lines(GithubAnnotations(Example()));
  ASSERT_EQ(lines.size(), 4U) << "what is the same is not told";
  EXPECT_EQ(lines[0].substr(0, 58), "::error file=ci/ours%2C all.baseline.json,title=s%2C odd <");
  EXPECT_TRUE(Has(lines[0],
                  "label%3A worse makespan_ns::makespan_ns 0.001 ms -> 0.0015 ms (+50.0 %25, allowed 2%25)"
                  "%0Aunit <cpu> & \"gpu\" 50%25 | later"))
      << lines[0];
  EXPECT_EQ(lines[2].substr(0, 10), "::warning ");
  EXPECT_EQ(lines[3].substr(0, 9), "::notice ");
}

TEST(GithubReport, TellsTheTenWorstAndHowManyMore) {
  const std::vector<std::string> lines = Lines(GithubAnnotations(ManyWorse(25)));
  ASSERT_EQ(lines.size(), 11U);
  EXPECT_EQ(lines[10], "::notice title=tandem regress::15 more: see the summary");
  EXPECT_EQ(Lines(GithubAnnotations(ManyWorse(10))).size(), 10U);
  EXPECT_EQ(GithubAnnotations(Regression()), "");
}

TEST(GithubReport, SummaryStaysBelowItsLimit) {
  const std::string summary = GithubSummary(ManyWorse(20000), kMegabyte);
  EXPECT_LT(summary.size(), kMegabyte);
  EXPECT_GT(summary.size(), kMegabyte / 2);
  EXPECT_TRUE(std::regex_search(summary.substr(summary.size() - 20), std::regex("\n[0-9]+ more\n$")));
  EXPECT_EQ(GithubSummary(ManyWorse(1), 10), "") << "not even the head fits";
}

TEST(GithubReport, SummarySaysWhereTheTimesComeFromWhereThereIsRoom) {
  Regression all = ManyWorse(1);
  all.profiles.push_back({"x.profile.json", {}});
  all.profiles[0].origin.kind = OriginKind::kEstimated;
  const std::string line = "\nx.profile.json: times estimated: how far off they are is not known\n";
  EXPECT_TRUE(Has(GithubSummary(all, kMegabyte), line)) << GithubSummary(all, kMegabyte);
  all.estimated = {"nobody measured it: taken is nothing"};
  EXPECT_TRUE(Has(GithubSummary(all, kMegabyte), "\nestimated: nobody measured it: taken is nothing\n"));
  all.figures = ManyWorse(20000).figures;
  const std::string full = GithubSummary(all, kMegabyte);
  EXPECT_LT(full.size(), kMegabyte);
}

TEST(GithubReport, SummaryIsAppendedAndItsCellsAreEscaped) {
  const TempFolder folder;
  const std::string file = (folder / "summary.md").string();
  WriteFile(file, "before\n");
  ::setenv("GITHUB_STEP_SUMMARY", file.c_str(), 1);
  AppendGithubSummary(Example());
  ::unsetenv("GITHUB_STEP_SUMMARY");
  const std::string text = ReadTextFile(file);
  EXPECT_EQ(text.substr(0, 7), "before\n");
  EXPECT_TRUE(Has(text, "unit &lt;cpu&gt; &amp; \"gpu\" 50% \\| later |")) << text;
  AppendGithubSummary(Example());
  EXPECT_EQ(ReadTextFile(file), text) << "nobody asked for it";
}

TEST(GithubReport, SummaryHasTheNotes) {
  Regression all;
  all.notes = {"b.json: s: what the scenario reads | has changed"};
  EXPECT_TRUE(
      Has(GithubSummary(all, kMegabyte), "\nnote: b.json: s: what the scenario reads \\| has changed\n"));
}

TEST(GithubReport, NamesMakeNoLinksAndNoPicturesInTheSummary) {
  Regression all;
  all.figures = {ChangeOf("![seen](https://a.example/p.png)", "see www.a.example [x](y)", "missed", 1.0, 2.0,
                          Verdict::kWorse)};
  const std::string summary = GithubSummary(all, kMegabyte);
  EXPECT_TRUE(Has(summary, "| !\\[seen\\](https:&#47;/a.example/p.png) |")) << summary;
  EXPECT_TRUE(Has(summary, "| see www&#46;a.example \\[x\\](y) |")) << summary;
}

// ESC, C1, a mark that turns the direction of writing, and no UTF-8.
TEST(EveryReport, WritesOutWhatATerminalWouldObeyOrHide) {
  Regression all;
  all.figures = {ChangeOf("s",
                          "a\x1b[2J\xc2\x9b\xe2\x80\xae\xff"
                          "b",
                          "missed", 1.0, 2.0, Verdict::kWorse)};
  const std::string shown = "a\\u001b[2J\\u009b\\u202e\\xffb";
  EXPECT_TRUE(Has(JunitXml(all), "classname=\"s." + shown + "\"")) << JunitXml(all);
  EXPECT_TRUE(Has(GithubAnnotations(all), "title=s%2C " + shown + "%3A")) << GithubAnnotations(all);
  EXPECT_TRUE(Has(GithubSummary(all, kMegabyte), "| a\\\\u001b\\[2J\\\\u009b\\\\u202e\\\\xffb |"))
      << GithubSummary(all, kMegabyte);
  EXPECT_TRUE(Has(OpenMetrics(all), "policy=\"a\\\\u001b[2J\\\\u009b\\\\u202e\\\\xffb\""))
      << OpenMetrics(all);
  EXPECT_TRUE(Has(CtestMeasurements(all), "name=\"s / " + shown + " / missed\"")) << CtestMeasurements(all);
}

TEST(OpenMetricsReport, IsInFamiliesWithFixedDecimals) {
  const std::string text = OpenMetrics(Example());
  EXPECT_TRUE(
      Has(text,
          "# TYPE tandem_p99_latency_seconds gauge\n# UNIT tandem_p99_latency_seconds seconds\n"
          "# HELP tandem_p99_latency_seconds tandem p99 latency seconds, as simulated\n"
          "tandem_p99_latency_seconds{baseline=\"ours\",scenario=\"s\",policy=\"eft\",engine=\"virtual\","
          "seed=\"1\",stream=\"a\"} 2.500000000\n"))
      << text;
  EXPECT_TRUE(Has(text, "tandem_makespan_seconds{baseline=\"ours\",scenario=\"s\",policy=\"odd <\\\"&'"));
  EXPECT_TRUE(Has(text, "policy=\"back\\\\slash\"")) << text;
  EXPECT_TRUE(
      Has(text,
          "tandem_winner{baseline=\"ours\",scenario=\"s\",policy=\"eft\",engine=\"virtual\",seed=\"1\"} "
          "1.000000000\n"));
  EXPECT_FALSE(Has(text, "tandem_energy")) << "the run could not tell";
  EXPECT_TRUE(text.ends_with("\n# EOF\n"));
}

TEST(OpenMetricsReport, SaysEachSampleOnce) {
  Regression twice = ManyWorse(1);
  twice.figures.push_back(twice.figures[0]);
  const std::vector<std::string> lines = Lines(OpenMetrics(twice));
  EXPECT_EQ(std::count_if(lines.begin(), lines.end(), [](const std::string& line) { return line[0] != '#'; }),
            1);
}

TEST(BenchmarkReport, HasTheFiguresOfWhichLessIsBetter) {
  const auto json = nlohmann::json::parse(BenchmarkJson(Example()));
  ASSERT_EQ(json.size(), 3U) << json;
  EXPECT_EQ(json[1]["name"], "s / eft / streams.a.p99_latency_ns");
  EXPECT_EQ(json[1]["unit"], "ns");
  EXPECT_EQ(json[1]["value"], 2.5e9);
  EXPECT_EQ(json[1]["range"], "\u00b1 2%");
}

TEST(CtestReport, HasALinePerNumber) {
  const std::vector<std::string> lines = Lines(CtestMeasurements(Example()));
  ASSERT_EQ(lines.size(), 4U);
  EXPECT_EQ(lines[3],
            "<CTestMeasurement type=\"numeric/double\" name=\"s / back\\slash / missed\">3.000000000"
            "</CTestMeasurement>");
}

TEST(CtestReport, IsReadByCtest) {
  if (RunShell("ctest --version").status != 0) GTEST_SKIP() << "no ctest to read it";
  const TempFolder folder;
  const std::string place = folder.string();
  WriteFile(folder / "m.txt", CtestMeasurements(Example()));
  WriteFile(folder / "CTestTestfile.cmake", "add_test(regress cat " + place + "/m.txt)\n");
  WriteFile(folder / "DartConfiguration.tcl",
            "SourceDirectory: " + place + "\nBuildDirectory: " + place + "\n");
  const ProgramResult run = RunShell("cd " + place + " && ctest -M Experimental -T Test");
  ASSERT_EQ(run.status, 0) << run.output << run.errors;
  const ProgramResult read = RunShell("cat " + place + "/Testing/*/Test.xml");
  EXPECT_TRUE(Has(read.output, "name=\"s / eft / streams.a.p99_latency_ns\"")) << read.output;
  EXPECT_TRUE(Has(read.output, "<Value>2500000000.000000000</Value>")) << read.output;
}

TEST(RegressionReport, OneLineTellsOfAnotherWinner) {
  RegressResult result;
  for (const char* policy : {"eft", "sjf", "fcfs"}) {
    result.regression.figures.push_back(ChangeOf("s", policy, "winner", "sjf", "eft", Verdict::kDifferent));
  }
  const std::string text = RegressionText(result, false, 200);
  EXPECT_EQ(text.find("winner"), text.rfind("winner")) << text;
  EXPECT_TRUE(Has(text, "3 figures: 3 different, 0 as they were")) << text;
}

TEST(RegressionReport, JsonHasALinePerFigure) {
  RegressResult result;
  result.regression = Example();
  const std::string text = RegressionJson(result);
  const auto json = nlohmann::json::parse(text);
  EXPECT_EQ(json["tandem"], "regression/1");
  EXPECT_EQ(json["passed"], false);
  EXPECT_EQ(json["worse"], 1);
  ASSERT_EQ(json["figures"].size(), 6U);
  EXPECT_EQ(json["figures"][1]["before"], "sjf");
  EXPECT_EQ(json["figures"][4]["after"], nullptr);
  EXPECT_EQ(json["figures"][0]["tolerance"], "2%");
  EXPECT_EQ(json["figures"][5].count("why"), 0U);
  EXPECT_GE(Lines(text).size(), 6U);
}

}  // namespace
}  // namespace tandem
