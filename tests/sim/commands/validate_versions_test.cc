// Are the releases of tandem and of the device's program compared when they talk, and is a difference told
// with both and with what to do?
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>
#include <string>

#include "profiles/base/files.h"
#include "profiles/program/version.h"
#include "sim/board/device_version.h"
#include "tests/support/validate_testing.h"

namespace tandem {
namespace {

using ValidateVersions = Validate;

const std::string kOwn(Version());
const std::string kDiffers =
    " is tandem-device 99.1.0 and this is tandem " + kOwn +
    ": their figures may not mean the same; install one release on both (docs/packages.md)";
const std::string kMayBeWhy = "; it is tandem-device 99.1.0 and this is tandem " + kOwn +
                              ", which may be why: install one release on both (docs/packages.md)\n";

std::size_t Times(const std::string& text, const std::string& what) {
  std::size_t times = 0;
  for (std::size_t at = 0; (at = text.find(what, at)) != std::string::npos; at += what.size()) ++times;
  return times;
}

TEST_F(ValidateVersions, ReleasesAreOneByMajorAndMinor) {
  EXPECT_TRUE(AreOneRelease("0.1.0", "0.1.7"));
  EXPECT_TRUE(AreOneRelease("1.2", "1.2.3"));
  EXPECT_FALSE(AreOneRelease("0.1.0", "0.10.0"));
  EXPECT_FALSE(AreOneRelease("1.1.0", "0.1.0"));
}

TEST_F(ValidateVersions, OneReleaseIsSilent) {
  const std::string patched = kOwn.substr(0, kOwn.rfind('.')) + ".99";
  for (const std::string& version : {kOwn, patched}) {
    const ProgramResult result = Run("--release " + version, "--repeat 1 --policy fcfs --json");
    EXPECT_EQ(result.status, 0) << result.errors;
    EXPECT_EQ(result.errors.find("is tandem-device"), std::string::npos) << result.errors;
    const nlohmann::json answer = Parsed(result);
    for (const auto& warning : answer["warnings"]) {
      EXPECT_EQ(warning.get<std::string>().find("tandem-device"), std::string::npos);
    }
  }
}

TEST_F(ValidateVersions, AnotherReleaseIsAWarningOnceAndInTheResult) {
  const ProgramResult result = Run("--release 99.1.0", "--repeat 1 --policy fcfs --json");
  EXPECT_EQ(result.status, 0) << result.errors;
  EXPECT_EQ(Times(result.errors, kDiffers + "\n"), 1U) << result.errors;
  std::size_t kept = 0;
  const nlohmann::json answer = Parsed(result);
  for (const auto& warning : answer["warnings"]) kept += Times(warning.get<std::string>(), kDiffers);
  EXPECT_EQ(kept, 1U) << result.output;
}

TEST_F(ValidateVersions, AnotherKindOfAnswerIsAnErrorThatNamesBoth) {
  const ProgramResult result = Run("--release 99.1.0 --kinds 2", "--repeat 1 --policy fcfs");
  EXPECT_EQ(result.status, 3);
  EXPECT_NE(
      result.errors.find("tandem: the device's answer is not understood: it answers with a \"profile/2\" "
                         "(tandem-device 99.1.0), and this tandem " +
                         kOwn + " reads \"profile/1\": install one release on both (docs/packages.md)\n"),
      std::string::npos)
      << result.errors;
}

TEST_F(ValidateVersions, WhatIsNotUnderstoodIsPutDownToTheRelease) {
  const ProgramResult refused = Run("--release 99.1.0 --refuse info", "--repeat 1 --policy fcfs");
  EXPECT_EQ(refused.status, 2);
  EXPECT_NE(refused.errors.find("the device found its input wrong" + kMayBeWhy), std::string::npos)
      << refused.errors;
  const ProgramResult garbled = Run("--release 99.1.0 --garble profile", "--repeat 1 --policy fcfs");
  EXPECT_EQ(garbled.status, 3);
  EXPECT_NE(garbled.errors.find(kMayBeWhy), std::string::npos) << garbled.errors;
  const ProgramResult one = Run("--release " + kOwn + " --refuse info", "--repeat 1 --policy fcfs");
  EXPECT_NE(one.errors.find("the device found its input wrong\n"), std::string::npos) << one.errors;
}

TEST_F(ValidateVersions, BoardsOfALabAreComparedToo) {
  const std::string fake =
      "python3 " TANDEM_TEST_DIR "/support/fake_device.py " TANDEM_PROGRAM " " + folder_.string();
  WriteFile(Path("lab.boards.json"),
            nlohmann::json{{"tandem", "boards/1"},
                           {"name", "lab"},
                           {"boards", {{{"name", "nano"}, {"command", fake + " --release 99.1.0"}}}}}
                .dump());
  WriteFile(Path("request.json"),
            R"({"tandem": "profile-request/1", "platform": "device", "models": ["squeezenet_1_1"]})");
  const ProgramResult result = RunTandem("profiles measure " + Path("request.json") + " --boards " +
                                         Path("lab.boards.json") + " -o " + Path("store") + " --json");
  EXPECT_EQ(result.status, 0) << result.errors;
  EXPECT_EQ(Times(result.errors, "tandem: nano is of another release: "), 1U) << result.errors;
  EXPECT_EQ(Times(result.errors, kDiffers + "\n"), 1U) << result.errors;
}

}  // namespace
}  // namespace tandem
