// Is what a device did not do, or answers wrongly, told as the device's fault?
#include <gtest/gtest.h>

#include <filesystem>
#include <nlohmann/json.hpp>
#include <string>
#include <utility>
#include <vector>

#include "profiles/base/files.h"
#include "tests/support/validate_testing.h"

namespace tandem {
namespace {

namespace fs = std::filesystem;
using Json = nlohmann::json;
using ValidateFaults = Validate;

TEST_F(ValidateFaults, ADeviceThatMeasuresNothingHasFailed) {
  const ProgramResult result = Run("--idle", "--repeat 1 --policy 'fcfs,on big' --json");
  EXPECT_EQ(result.status, 3);
  EXPECT_NE(result.errors.find("tandem: the device has measured nothing of fcfs, on big\n"),
            std::string::npos)
      << result.errors;
  EXPECT_TRUE(Parsed(result)["policies"][0]["measured_ns"].is_null());
  const ProgramResult profile = Run("--mangle entries", "--repeat 1");
  EXPECT_EQ(profile.status, 3);
  EXPECT_NE(profile.errors.find("what the device measured does not fit: "), std::string::npos)
      << profile.errors;
}

TEST_F(ValidateFaults, WhatADeviceSaysInPlaceIsJudgedToo) {
  const std::vector<std::pair<std::string, std::string>> wrong = {
      {"trace", "/trace: the key \"otherData\" is missing"},
      {"process", "/trace/traceEvents/0/pid: "},
      {"reports", "/reports/0/tandem: expected \"report/1\", found \"plan/1\""}};
  for (const auto& [part, why] : wrong) {
    const ProgramResult result =
        Run("--mangle " + part, "--repeat 1 --policy fcfs --trace " + Path("both.trace.json"));
    EXPECT_EQ(result.status, 3) << part;
    EXPECT_NE(result.errors.find("the device's answer is not understood: run:" + why), std::string::npos)
        << result.errors;
    EXPECT_FALSE(fs::exists(Path("both.trace.json"))) << part;
  }
}

TEST_F(ValidateFaults, ABudgetThatIsSmallIsNotNone) {
  const std::string options = "--repeat 1 --policy fcfs --budget 1e-12 --keep " + Path("kept");
  ASSERT_EQ(Run("", options).status, 0);
  EXPECT_EQ(Json::parse(ReadTextFile(Path("kept/profile-request.json")))["budget_s"], 1e-9);
}

// As ssh ends where there is no connection.
TEST_F(ValidateFaults, AnExitStatusIsNoSignal) {
  const ProgramResult lost =
      RunTandem("validate " + Path("s.scenario.json") + " --device \"sh -c 'exit 255'\"");
  EXPECT_EQ(lost.status, 3);
  EXPECT_NE(lost.errors.find(": ended with status 255 and no answer\n"), std::string::npos) << lost.errors;
  const ProgramResult killed =
      RunTandem("validate " + Path("s.scenario.json") + " --device \"sh -c 'kill -9 \\$\\$'\"");
  EXPECT_EQ(killed.status, 3);
  EXPECT_NE(killed.errors.find(": ended by signal 9\n"), std::string::npos) << killed.errors;
}

}  // namespace
}  // namespace tandem
