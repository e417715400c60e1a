// Does `tandem check-trace` say yes to a schedule that obeys the rules, no to one that breaks them, and exit
// as a script needs it?
#include <gtest/gtest.h>
#include <unistd.h>

#include <filesystem>
#include <nlohmann/json.hpp>

#include "profiles/base/files.h"
#include "tests/support/program.h"

namespace tandem {
namespace {

namespace fs = std::filesystem;

class CheckTraceProgram : public testing::Test {
 protected:
  CheckTraceProgram() {
    fs::create_directories(folder_);
    WriteFile(folder_ / "one.scenario.json", R"({"tandem": "scenario/1", "name": "one",
      "platform": ")" TANDEM_TEST_DIR R"(/bad/parts/mini.platform.json",
      "profiles": [")" TANDEM_TEST_DIR R"(/bad/parts/mini.profile.json"], "transfer": "none",
      "streams": [{"name": "a", "model": "mobilenet_v2", "count": 1, "arrival": {"type": "offline"}}]})");
  }
  ~CheckTraceProgram() override { fs::remove_all(folder_); }

  ProgramResult Check(const std::string& end_ns, const std::string& options = "",
                      const std::string& scenario = "one") {
    WriteFile(folder_ / "run.trace.json", R"({"tandem": "trace/1", "otherData": {"scenario": ")" + scenario +
                                              R"(", "platform": "mini"}, "traceEvents": [
      {"ph": "M", "pid": 1, "tid": 0, "ts": 0, "name": "process_name", "args": {"name": "predicted: fcfs"}},
      {"ph": "M", "pid": 1, "tid": 0, "ts": 0, "name": "tandem_run", "args": {"policy": "fcfs", "granularity": "model",
       "engine": "virtual", "measured": false, "sampled": false, "seed": 1,
       "residents": {"cpu": ["mobilenet_v2"], "gpu": ["mobilenet_v2"], "npu": ["mobilenet_v2"]}}},
      {"ph": "M", "pid": 1, "tid": 1, "ts": 0, "name": "thread_name", "args": {"name": "cpu", "unit": "cpu", "slot": 0}},
      {"ph": "X", "pid": 1, "tid": 1, "ts": 0, "dur": 400, "name": "a #0", "args": {"request": "a #0", "stream": "a",
       "index": 0, "model": "mobilenet_v2", "layers": "*", "kind": "compute", "release_ns": 0, "ready_ns": 0,
       "start_ns": 0, "end_ns": )" + end_ns + R"(}},
      {"ph": "M", "pid": 1, "tid": 0, "ts": 0, "name": "tandem_end", "args": {"end_ns": 400000, "complete": true}}]})");
    return RunShell("cd " + folder_.string() +
                    " && " TANDEM_PROGRAM " check-trace one.scenario.json run.trace.json " + options);
  }

  fs::path folder_ = fs::path(testing::TempDir()) / ("check_trace." + std::to_string(::getpid()));
};

TEST_F(CheckTraceProgram, SaysYesToWhatObeysTheRules) {
  const ProgramResult result = Check("400000");
  EXPECT_EQ(result.status, 0) << result.errors;
  EXPECT_EQ(result.output, "ok  run.trace.json: 1 run, 1 request, 1 span, 0 violations\n");
}

TEST_F(CheckTraceProgram, ATraceWithoutARunIsNoGoodOne) {
  Check("400000");
  WriteFile(folder_ / "none.trace.json", R"({"tandem": "trace/1", "displayTimeUnit": "ns",
      "otherData": {"scenario": "one", "platform": "mini"}, "traceEvents": []})");
  const ProgramResult result = RunShell(
      "cd " + folder_.string() + " && " TANDEM_PROGRAM " check-trace one.scenario.json none.trace.json");
  EXPECT_EQ(result.status, 2) << result.output;
  EXPECT_NE(result.errors.find("none.trace.json: holds no run"), std::string::npos) << result.errors;
}

TEST_F(CheckTraceProgram, SaysNoWithRuleRequestAndTime) {
  const ProgramResult result = Check("399999");
  EXPECT_EQ(result.status, 1);
  EXPECT_NE(result.output.find("0 us  dates       a #0"), std::string::npos) << result.output;
  EXPECT_NE(result.output.find("no  run.trace.json: 1 run, 1 request, 1 span, 2 violations\n"),
            std::string::npos)
      << result.output;
  const auto json = nlohmann::json::parse(Check("399999", "--json").output);
  EXPECT_EQ(json["ok"], false);
  EXPECT_EQ(json["violations_total"], 2);
  EXPECT_EQ(json["violations"][1]["rule"], "occupation");
  EXPECT_EQ(json["violations"][1]["time_ns"], 0);
  EXPECT_EQ(json["violations"][1]["message"], "its compute takes 399.999 us, it should take 400 us");
}

TEST_F(CheckTraceProgram, ATraceOfAnotherScenarioIsWrongInput) {
  const ProgramResult result = Check("400000", "", "two");
  EXPECT_EQ(result.status, 2);
  EXPECT_EQ(result.errors, "run.trace.json: a trace of scenario \"two\", not of \"one\"\n");
}

}  // namespace
}  // namespace tandem
