// Does `tandem profiles diff` say what moved, to people and to scripts?
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "profiles/base/files.h"
#include "tests/support/program.h"
#include "tests/support/temp_folder.h"

namespace tandem {
namespace {

using Json = nlohmann::json;

std::string ProfileWith(const std::string& samples) {
  return R"({"tandem": "profile/1", "platform": "tinker-edge-r", "origin": {"kind": "estimated", "method": "made up"},
    "entries": [{"model": "alexnet", "unit": "cpu", "layers": "*", "samples_us": [)" +
         samples + R"(]}, {"model": "resnet50", "unit": "cpu", "layers": "*", "median_us": 10}]})";
}

class ProfilesDiff : public testing::Test {
 protected:
  ProfilesDiff() {
    WriteFile(folder_ / "old.profile.json", ProfileWith("1, 2, 3, 4, 5, 6, 7, 8"));
    WriteFile(folder_ / "new.profile.json", ProfileWith("11, 12, 13, 14, 15, 16, 17, 18"));
  }
  ProgramResult Diff(const std::string& arguments) const {
    return RunShell("cd " + folder_.string() + " && COLUMNS=100 " TANDEM_PROGRAM " profiles diff " +
                    arguments);
  }

  TempFolder folder_;
};

TEST_F(ProfilesDiff, SaysThatNothingIsInBoth) {
  const std::string note =
      "no time is in both: rk3399 is of platform \"rk3399\", jetson-tx1 of \"jetson-tx1\"\n";
  EXPECT_EQ(Diff("rk3399 jetson-tx1").errors, note);
  EXPECT_EQ(Diff("old.profile.json new.profile.json").errors, "");
}

TEST_F(ProfilesDiff, NamesWhatMoved) {
  const ProgramResult result = Diff("old.profile.json new.profile.json");
  EXPECT_EQ(result.status, 0) << result.errors;
  EXPECT_EQ(result.output.substr(0, 26), "2 times: 1 slower, 1 same\n") << result.output;
  EXPECT_NE(result.output.find("slower"), std::string::npos);
  EXPECT_EQ(result.output.find("resnet50"), std::string::npos) << "what did not move is not shown";
  EXPECT_NE(Diff("old.profile.json new.profile.json --all").output.find("resnet50"), std::string::npos);
}

TEST_F(ProfilesDiff, JsonHasEveryRow) {
  const Json json = Json::parse(Diff("old.profile.json new.profile.json --json").output);
  EXPECT_EQ(json["slower"], 1);
  EXPECT_EQ(json["same"], 1);
  ASSERT_EQ(json["rows"].size(), 2U);
  EXPECT_EQ(json["rows"][0]["move"], "slower");
  EXPECT_EQ(json["rows"][0]["old_ns"], 4000);
  EXPECT_EQ(json["rows"][0]["change"], 2.5);
  EXPECT_EQ(json["rows"][0]["old_samples"], 8);
  EXPECT_LT(json["rows"][0]["p"], 0.001);
  EXPECT_TRUE(json["rows"][1]["p"].is_null());
}

TEST_F(ProfilesDiff, AProfileDoesNotDifferFromItself) {
  EXPECT_EQ(Diff("old.profile.json old.profile.json").output, "2 times: 2 same\n");
  EXPECT_EQ(Diff("tinker-edge-r tinker-edge-r").status, 0);
}

TEST_F(ProfilesDiff, SmallMovesMayBeLeftOut) {
  EXPECT_EQ(Diff("old.profile.json new.profile.json --least 300%").output, "2 times: 2 same\n");
  const ProgramResult wrong = Diff("old.profile.json new.profile.json --least 3");
  EXPECT_EQ(wrong.status, 2);
  EXPECT_EQ(wrong.errors, "--least: expected a percentage such as 2%, not \"3\"\n");
}

TEST_F(ProfilesDiff, WrongNamesAreTold) {
  const ProgramResult result = Diff("old.profile.json none.profile.json");
  EXPECT_EQ(result.status, 2);
  EXPECT_EQ(result.errors, "profiles diff: none.profile.json: no such file\n");
}

}  // namespace
}  // namespace tandem
