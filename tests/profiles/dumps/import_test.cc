// Does what a dump of another tool says end up in the profile, all of it, and of a board that there is?
#include "profiles/dumps/import.h"

#include <gtest/gtest.h>

#include "profiles/base/files.h"
#include "profiles/program/shipped.h"
#include "tests/support/error_of.h"
#include "tests/support/temp_folder.h"

namespace tandem {
namespace {

std::string NodeEvent(const std::string& category, const std::string& name, int micros) {
  return R"({"cat": ")" + category + R"(", "dur": )" + std::to_string(micros) + R"(, "ts": 1, "name": ")" +
         name + R"("})";
}

class ImportedDump : public testing::Test {
 protected:
  ImportedDump() {
    std::filesystem::create_directories(folder_ / "models");
    std::filesystem::create_directories(folder_ / "profiles");
    WriteFile(folder_ / "models/tiny.json", R"({"tandem": "model/1", "name": "tiny", "layers": [
        {"name": "data", "op": "input", "shape": [1, 2, 6, 6]},
        {"name": "relu", "op": "relu", "inputs": ["data"]},
        {"name": "fc", "op": "fc", "inputs": ["relu"], "out_features": 3}]})");
    std::string events;
    for (const int more : {0, 5, 10}) {
      events += (events.empty() ? "[" : ",") + NodeEvent("Node", "relu_kernel_time", 20) + "," +
                NodeEvent("Node", "fc_kernel_time", 30) + "," + NodeEvent("Session", "model_run", 60 + more);
    }
    WriteFile(folder_ / "dump.json", events + "]");
    import_.file = folder_ / "dump.json";
    import_.model = (folder_ / "models/tiny.json").string();
    import_.unit = "gpu";
    import_.platform = "jetson-tx1";
    import_.output = folder_ / "profiles/mine.profile.json";
  }

  TempFolder folder_;
  ProfileImport import_;
};

TEST_F(ImportedDump, WhatIsBesideTheRowsIsInTheEntryOfTheWholeModel) {
  const ImportedProfile imported = ImportProfile(import_);
  ASSERT_EQ(imported.profile.entries.size(), 3U);
  const CostEntry& whole = imported.profile.entries.back();
  EXPECT_TRUE(imported.whole_model);
  EXPECT_TRUE(whole.layers.empty()) << "all of the model";
  EXPECT_EQ(whole.time.samples, (std::vector<Nanos>{Nanos{60'000}, Nanos{65'000}, Nanos{70'000}}));
  EXPECT_EQ(whole.time.median, Nanos{65'000}) << "the rows alone are 50";
}

TEST_F(ImportedDump, TheModelIsNamedFromTheProfileAndKnownByItsStructure) {
  const Profile profile = ImportProfile(import_).profile;
  EXPECT_EQ(profile.entries[0].model, "../models/tiny.json");
  ASSERT_EQ(profile.models.size(), 1U);
  EXPECT_EQ(profile.models[0].model, "../models/tiny.json");
  EXPECT_EQ(profile.models[0].structure.substr(0, 7), "sha256:");
}

TEST_F(ImportedDump, ABoardIsFoundFromTheCommandLineAndThenFromTheProfile) {
  const std::filesystem::path shipped = FindFile("jetson-tx1", {}, "boards", ".platform.json");
  WriteFile(folder_ / "own.platform.json", ReadTextFile(shipped));
  const auto board = [&](const std::filesystem::path& output) {
    import_.platform = (folder_ / "own.platform.json").string();
    import_.output = folder_ / output;
    return ImportProfile(import_).profile.platform;
  };
  EXPECT_EQ(board("mine.profile.json"), "./own.platform.json");
  EXPECT_EQ(board("profiles/mine.profile.json"), "../own.platform.json");
  EXPECT_EQ(board("not there/mine.profile.json"), "../own.platform.json") << "it is the output that is wrong";
  std::filesystem::create_symlink("profiles/far.json", folder_ / "link.json");
  EXPECT_EQ(board("link.json"), std::filesystem::canonical(folder_) / "own.platform.json");
  import_.platform = (folder_ / "none.platform.json").string();
  EXPECT_EQ(ErrorOf([&] { ImportProfile(import_); }), "--platform: " + import_.platform + ": no such file");
}

TEST_F(ImportedDump, ABoardThatNobodyKnowsIsRefusedWithThoseThatThereAre) {
  import_.platform = "jetson-tx9";
  const std::string error = ErrorOf([&] { ImportProfile(import_); });
  EXPECT_NE(error.find("--platform: tandem ships no board \"jetson-tx9\"; it ships agx-xavier, "),
            std::string::npos)
      << error;
  EXPECT_NE(error.find("jetson-tx1"), std::string::npos) << error;
  import_.platform = "./no-such.platform.json";
  EXPECT_EQ(ErrorOf([&] { ImportProfile(import_); }), "--platform: ./no-such.platform.json: no such file");
}

}  // namespace
}  // namespace tandem
