// Does tandem-device explain itself, and keep its answers and its errors apart?
#include <gtest/gtest.h>

#include <string>

#include "profiles/base/json_text.h"
#include "profiles/costs/platform.h"
#include "tests/support/program.h"

namespace tandem {
namespace {

ProgramResult RunDevice(const std::string& arguments) { return RunShell(TANDEM_PROGRAM " " + arguments); }

TEST(DeviceCommandLine, VersionAndHelpGoToStandardOutput) {
  const ProgramResult version = RunDevice("--version");
  EXPECT_EQ(version.status, 0);
  EXPECT_EQ(version.output.rfind("tandem-device ", 0), 0u) << version.output;
  const ProgramResult help = RunDevice("info --help");
  EXPECT_EQ(help.status, 0);
  EXPECT_NE(help.output.find("tandem-device info --json"), std::string::npos) << help.output;
  EXPECT_EQ(version.errors + help.errors, "");
}

TEST(DeviceCommandLine, UsageErrorsEndWithTwo) {
  EXPECT_EQ(RunDevice("").status, 2);
  const ProgramResult option = RunDevice("info --jsn");
  EXPECT_EQ(option.status, 2);
  EXPECT_EQ(option.output, "");
  EXPECT_EQ(option.errors,
            "tandem-device info: unknown option \"--jsn\"; did you mean \"--json\"?\n"
            "Run `tandem-device info --help` for its usage.\n");
  EXPECT_EQ(RunDevice("info more").status, 2);
}

TEST(DeviceCommandLine, InfoKeepsToTheCoresItMayUse) {
  const ProgramResult all = RunDevice("info --json");
  ASSERT_EQ(all.status, 0) << all.errors;
  const ProgramResult one = RunShell("taskset 1 " TANDEM_PROGRAM " info --json");
  if (one.status == 127 || one.status == 1) GTEST_SKIP() << "no taskset, or no core 0: " << one.errors;
  const JsonDocument document = JsonDocument::Parse(one.output, "info");
  const JsonReader clusters = document.root().Get("host").Get("clusters");
  ASSERT_EQ(clusters.size(), 1u);
  const JsonReader cores = (*clusters.Elements().begin()).Get("cores");
  ASSERT_EQ(cores.size(), 1u);
  EXPECT_EQ((*cores.Elements().begin()).Integer(0), 0);
}

TEST(DeviceCommandLine, FullDiskEndsWithThree) {
  const ProgramResult result = RunShell(TANDEM_PROGRAM " info >/dev/full");
  EXPECT_EQ(result.status, 3);
  EXPECT_NE(result.errors.find("standard output cannot be written"), std::string::npos) << result.errors;
}

}  // namespace
}  // namespace tandem
