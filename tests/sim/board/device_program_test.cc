// Does a board that has no program, or another release, hear how to get it, by its own name?
#include "sim/board/device_program.h"

#include <gtest/gtest.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>

#include "profiles/base/input_error.h"
#include "profiles/program/version.h"
#include "sim/board/device_version.h"
#include "tests/support/temp_folder.h"

namespace tandem {
namespace {

// With an `ssh` that reaches boards without our program.
class EmptyBoards : public ::testing::Test {
 protected:
  EmptyBoards() : before_(std::getenv("PATH")) {
    std::ofstream(tools_ / "ssh") << "#!/bin/sh\nexit 127\n";
    std::filesystem::permissions(tools_ / "ssh", std::filesystem::perms::owner_all);
    ::setenv("PATH", (tools_.string() + ":" + before_).c_str(), 1);
  }
  ~EmptyBoards() override { ::setenv("PATH", before_.c_str(), 1); }
  static std::string Said(const std::string& command) {
    try {
      (void)DeviceProgram(command).Run({"info"}, {}, [] { return true; });
    } catch (const EnvironmentError& error) {
      return error.what();
    }
    return "it was started";
  }

 private:
  TempFolder tools_;
  std::string before_;
};

TEST_F(EmptyBoards, AreNamedWhereTheProgramIsMissing) {
  EXPECT_EQ(
      Said("ssh jetson tandem-device"),
      "the device's program cannot be started: ssh jetson tandem-device; --device says which it is, and "
      "`tandem boards install jetson` puts it on that board");
  EXPECT_NE(Said("ssh 'a jetson' tandem-device").find("`tandem boards install BOARD`"), std::string::npos);
  const std::string other = Said("./no-such-program");
  EXPECT_EQ(other.find("boards install"), std::string::npos) << other;
}

TEST(BoardNamedByACommand, IsTheHostOfSshWithItsOptions) {
  EXPECT_EQ(BoardNamedBy("ssh jetson tandem-device"), "jetson");
  EXPECT_EQ(BoardNamedBy("ssh me@jetson nice -n 5 tandem-device"), "me@jetson");
  EXPECT_EQ(BoardNamedBy("ssh -p 2222 -o BatchMode=yes me@jetson tandem-device"),
            "\"ssh -p 2222 -o BatchMode=yes me@jetson\"");
  EXPECT_EQ(BoardNamedBy("ssh -vp 2222 jetson tandem-device"), "\"ssh -vp 2222 jetson\"");
  EXPECT_EQ(BoardNamedBy("ssh -p2222 -4 jetson tandem-device"), "\"ssh -p2222 -4 jetson\"");
}

TEST(BoardNamedByACommand, IsNobodyWhereItIsNotUnderstood) {
  for (const char* command : {"tandem-device", "./reach board tandem-device", "ssh", "ssh -p", "ssh $board x",
                              "ssh -o 'A b' jetson tandem-device", ""}) {
    EXPECT_EQ(BoardNamedBy(command), "") << command;
  }
}

TEST(BoardNamedByACommand, IsWhereTheOtherReleaseGoes) {
  DeviceVersion version;
  version.Heard("0.0.7");
  EXPECT_NE(
      version.Warning("ssh jetson tandem-device").find("`tandem boards install jetson` brings this one"),
      std::string::npos);
  EXPECT_EQ(version.Warning("./tandem-device").find("boards install"), std::string::npos);
}

}  // namespace
}  // namespace tandem
