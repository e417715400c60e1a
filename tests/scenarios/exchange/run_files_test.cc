// Do requests and results of runs read back as they were written?
#include <gtest/gtest.h>

#include <limits>

#include "profiles/base/files.h"
#include "scenarios/exchange/run_answer.h"
#include "scenarios/exchange/run_order.h"
#include "tests/support/error_of.h"

namespace tandem {
namespace {

RunAnswer Read(const std::string& text) {
  const JsonDocument document = JsonDocument::Parse(text, "result");
  return ReadRunAnswer(document.root());
}

TEST(RunOrders, ReadPlansInPlaceAndByName) {
  const JsonDocument document = JsonDocument::ReadFile(TANDEM_TEST_DIR "/good/two.run-request.json");
  const RunOrder request = ReadRunOrder(document.root());
  ASSERT_EQ(request.plans.size(), 2u);
  EXPECT_EQ(request.plans[0].plan.policy.label, "best");
  EXPECT_EQ(request.repeats, 5);
  EXPECT_EQ(request.seed, 7u);
  EXPECT_FALSE(request.check);
  EXPECT_TRUE(request.trace);
  EXPECT_TRUE(request.force);
}

TEST(RunOrders, APlanStandsForARequest) {
  const JsonDocument document = JsonDocument::ReadFile(TANDEM_TEST_DIR "/good/eft.plan.json");
  const RunOrder request = ReadRunOrder(document.root());
  ASSERT_EQ(request.plans.size(), 1u);
  EXPECT_EQ(request.repeats, 1);
  EXPECT_EQ(request.tries, 1);
  EXPECT_TRUE(request.check);
  EXPECT_FALSE(request.force);
}

TEST(RunOrders, AScenarioIsRefusedWithHowAPlanIsMadeOfIt) {
  const auto error_of = [](const std::string& kind) {
    const JsonDocument document = JsonDocument::Parse(R"({"tandem": ")" + kind + "\"}", "mine.json");
    return ErrorOf([&] { (void)ReadRunOrder(document.root()); });
  };
  EXPECT_EQ(error_of("scenario/1"),
            "mine.json:/tandem: expected \"plan/1\" or \"run-request/1\", found \"scenario/1\"; `tandem "
            "plan FILE -o -` makes a plan of a scenario");
  EXPECT_EQ(error_of("profile/1"),
            "mine.json:/tandem: expected \"plan/1\" or \"run-request/1\", found \"profile/1\"");
  EXPECT_EQ(error_of("run-request/2"),
            "mine.json:/tandem: expected \"run-request/1\", found \"run-request/2\"");
}

TEST(RunOrders, AreReadAsTheyWereWritten) {
  RunOrderToWrite order;
  order.plans = {ReadTextFile(TANDEM_TEST_DIR "/good/eft.plan.json"), "\"eft.plan.json\""};
  order.repeats = 3;
  order.tries = 4;
  order.seed = 11;
  order.check = false;
  const std::string text = RunOrderText(order);
  const RunOrder read = ReadRunOrder(JsonDocument::Parse(text, TANDEM_TEST_DIR "/good/written.json").root());
  ASSERT_EQ(read.plans.size(), 2u);
  EXPECT_EQ(read.plans[0].plan.policy.label, read.plans[1].plan.policy.label);
  EXPECT_EQ(read.repeats, 3);
  EXPECT_EQ(read.tries, 4);
  EXPECT_EQ(read.seed, 11u);
  EXPECT_FALSE(read.check);
  EXPECT_FALSE(read.trace);
  EXPECT_FALSE(read.force);
}

TEST(RunAnswers, KeepWhatAFailedRunKnows) {
  RunAnswer result;
  result.host = "a \"board\"";
  result.date = "2026-11-20";
  result.libraries = {{"a", "1"}, {"b", "2"}};
  result.warnings = {"first", "second"};
  result.forced = true;
  DeviceRun good;
  good.policy = good.label = "fcfs";
  good.makespan = Nanos{123};
  good.objective = 0.1;
  good.outputs = {7, 2, 1, std::numeric_limits<double>::infinity()};
  good.energy = {12.5, -0.25, "", "rapl package-0"};
  good.late_releases = 4;
  good.dispatch = Nanos{600};
  good.tries = 3;
  good.taken = 0.02;
  good.yardsticks = {{"big", {Nanos{100}, Nanos{160}}}};
  good.heat = {{"cpu-thermal", "48 to 83 C"}};
  good.held_back = "thermal-cpufreq-1 held clocks back for the heat";
  good.moments = {{Nanos{0}, {{"cpu-thermal", 48.5}}, {{"big", 1800}}, {}, false},
                  {Nanos{500'000'000}, {{"cpu-thermal", -3.25}}, {{"big", 1008}}, {{"big", 0.5}}, true}};
  good.disturbed = true;
  DeviceRun failed;
  failed.policy = failed.label = "sjf";
  failed.plan = 1;
  failed.repeat = 2;
  failed.complete = false;
  failed.failure = "unit lost";
  failed.energy.why = "no \"sensor\"";
  result.runs = {good, failed};
  result.trace = R"({"tandem": "trace/1", "x": [1, 2.5, -3, true, null, "\u00e9\n"], "y": {}})";
  const RunAnswer read = Read(RunAnswerJson(result));
  EXPECT_EQ(RunAnswerJson(read), RunAnswerJson(Read(RunAnswerJson(read))));
  EXPECT_EQ(read.host, result.host);
  EXPECT_EQ(read.libraries, result.libraries);
  EXPECT_EQ(read.warnings, result.warnings);
  EXPECT_TRUE(read.forced);
  ASSERT_EQ(read.runs.size(), 2u);
  EXPECT_EQ(read.runs[0].makespan, good.makespan);
  EXPECT_EQ(read.runs[0].objective, good.objective);
  EXPECT_EQ(read.runs[0].outputs.wrong, 2);
  EXPECT_EQ(read.runs[0].outputs.worst, good.outputs.worst);
  EXPECT_EQ(read.runs[0].energy.joules, 12.5);
  EXPECT_EQ(read.runs[0].energy.above_idle, -0.25) << "what idles may draw more than it did before";
  EXPECT_EQ(read.runs[0].energy.by, "rapl package-0");
  EXPECT_FALSE(read.runs[1].energy.joules);
  EXPECT_EQ(read.runs[1].energy.why, "no \"sensor\"");
  EXPECT_EQ(read.runs[0].late_releases, 4);
  EXPECT_EQ(read.runs[0].dispatch, good.dispatch);
  EXPECT_EQ(read.runs[0].tries, 3);
  EXPECT_EQ(read.runs[0].taken, 0.02);
  EXPECT_EQ(read.runs[0].yardsticks.at("big").after, Nanos{160});
  EXPECT_TRUE(read.runs[0].disturbed);
  EXPECT_EQ(read.runs[0].heat, good.heat);
  EXPECT_EQ(read.runs[0].held_back, good.held_back);
  ASSERT_EQ(read.runs[0].moments.size(), 2u);
  EXPECT_EQ(read.runs[0].moments[1].at, Nanos{500'000'000});
  EXPECT_EQ(read.runs[0].moments[1].celsius, good.moments[1].celsius);
  EXPECT_EQ(read.runs[0].moments[1].mhz, good.moments[1].mhz);
  EXPECT_EQ(read.runs[0].moments[1].busy, good.moments[1].busy);
  EXPECT_TRUE(read.runs[0].moments[1].held_back && !read.runs[0].moments[0].held_back);
  EXPECT_TRUE(read.runs[1].moments.empty());
  EXPECT_FALSE(read.runs[1].disturbed || read.runs[1].taken);
  EXPECT_TRUE(read.runs[1].heat.empty() && read.runs[1].held_back.empty());
  EXPECT_FALSE(read.runs[1].complete);
  EXPECT_EQ(read.runs[1].failure, "unit lost");
  EXPECT_FALSE(read.runs[1].objective);
  const JsonDocument trace = JsonDocument::Parse(read.trace, "trace");
  EXPECT_EQ((*trace.root().Get("x").Elements().begin()).Integer(0), 1);
  EXPECT_EQ(read.trace.find('\n'), read.trace.find(",\n") + 1) << "strings keep their escapes";
}

RunAnswer OfOneRun(const std::string& label, const std::string& warning) {
  RunAnswer answer;
  answer.host = "board";
  answer.warnings = {warning, "of both"};
  answer.runs.emplace_back();
  answer.runs[0].policy = answer.runs[0].label = label;
  answer.trace = R"({"tandem": "trace/1", "x": 1, "traceEvents": [{"name": ")" + label + R"("}]})";
  return answer;
}

TEST(RunAnswers, OfSingleRunsAreJoined) {
  RunAnswer last;
  last.host = "board";
  const RunAnswer joined = JoinRuns({OfOneRun("a", "of a"), OfOneRun("b", "of b"), last});
  ASSERT_EQ(joined.runs.size(), 2u);
  EXPECT_EQ(joined.runs[1].label, "b");
  EXPECT_EQ(joined.warnings, (std::vector<std::string>{"of a", "of both", "of b"}));
  const JsonDocument trace = JsonDocument::Parse(joined.trace, "trace");
  EXPECT_EQ(trace.root().Get("x").Integer(1), 1);
  ASSERT_EQ(trace.root().Get("traceEvents").size(), 2u);
  EXPECT_EQ(Read(RunAnswerJson(joined)).runs.size(), 2u);
}

TEST(RunAnswers, CountOnceTheyHaveComeWhole) {
  const std::string whole = RunRecord(OfOneRun("a", ""));
  const std::string answer = whole.substr(0, whole.size() - 1);
  EXPECT_EQ(RunRecords(answer), std::vector<std::string_view>{answer}) << "an answer by itself";
  const std::string broken_off = whole + whole + answer;
  EXPECT_EQ(RunRecords(broken_off), (std::vector<std::string_view>{answer, answer}));
}

}  // namespace
}  // namespace tandem
