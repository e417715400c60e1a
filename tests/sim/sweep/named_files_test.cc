// Are the files that a scenario names read for the keys of its runs, few times each, and no others?
#include "sim/sweep/named_files.h"

#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "profiles/base/files.h"
#include "tests/support/error_of.h"
#include "tests/support/temp_folder.h"

namespace tandem {
namespace {

using Json = nlohmann::json;

class NamedByAScenario : public testing::Test {
 protected:
  void Write(const std::string& name, const std::string& text) const { WriteFile(folder_ / name, text); }
  std::string Hashes(const std::string& scenario) const {
    return NamedFiles().HashesOf(Json::parse(scenario), "", (folder_ / "s.json").string());
  }

  TempFolder folder_;
};

TEST_F(NamedByAScenario, ModelsOfMapsAndOfPoliciesAreFilesToo) {
  Write("a.json", "[1]");
  const std::string hash = Sha256OfText("[1]");
  EXPECT_EQ(Hashes(R"({"streams": [{"model": "a.json"}]})"), hash);
  EXPECT_EQ(Hashes(R"({"co_compiled": {"tpu": [["a.json"], ["./a.json"]]}})"), hash + hash);
  EXPECT_EQ(Hashes(R"({"policies": [{"name": "affinity", "rank": {"gpu": ["a.json"]}}]})"), hash);
  EXPECT_EQ(Hashes(R"({"arrival": {"file": "a.json"}, "profiles": ["a.json"]})"), hash + hash);
}

TEST_F(NamedByAScenario, NoFileIsReadThatIsOnlyCalledLikeOne) {
  Write("a.json", "[1]");
  EXPECT_EQ(Hashes(R"({"streams": [{"name": "a.json"}], "background": [{"command": ["./a.json"]}]})"), "");
  EXPECT_EQ(Hashes(R"({"policies": [{"name": "./a.json", "label": "a.json"}]})"), "");
}

TEST_F(NamedByAScenario, DeepNestingIsNoCrash) {
  const std::string deep = std::string(1'000'000, '[') + std::string(1'000'000, ']');
  Write("deep.json", deep);
  EXPECT_EQ(Hashes(R"({"platform": "deep.json"})"), Sha256OfText(deep));
}

TEST_F(NamedByAScenario, FilesThatNameEachOtherManyTimesHaveOneHashOfAll) {
  const auto naming = [](const std::string& name) {
    std::string list = R"([{"model": "./)" + name + R"("})";
    for (int i = 1; i < 100; ++i) list += R"(, {"model": "././)" + name + R"("})";
    return list + "]";
  };
  for (int file = 0; file < 6; ++file) {
    Write(std::to_string(file) + ".json", naming(std::to_string(file + 1) + ".json"));
  }
  const auto hashes = [&](const std::string& last) {
    Write("6.json", last);
    return Hashes(R"({"platform": "0.json"})");
  };
  const std::string before = hashes("[1]");
  EXPECT_EQ(before.size(), 64U * 101) << "its own, and one of each of what it names";
  EXPECT_NE(hashes("[2]"), before);
}

TEST_F(NamedByAScenario, AFileThatNamesItselfIsReadOnce) {
  Write("a.json", R"({"model": "./a.json", "beside_model": "././a.json"})");
  EXPECT_EQ(Hashes(R"({"platform": "a.json"})").size(), 64U);
}

TEST_F(NamedByAScenario, ALongRowOfFilesIsRefused) {
  for (int file = 0; file < 20; ++file) {
    Write(std::to_string(file) + ".json", R"({"model": ")" + std::to_string(file + 1) + R"(.json"})");
  }
  EXPECT_EQ(ErrorOf([&] { Hashes(R"({"platform": "0.json"})"); }),
            (std::filesystem::canonical(folder_) / "8.json").string() +
                ": more than 8 files of which each names the next end here");
}

TEST_F(NamedByAScenario, WhatWasRefusedOnceIsRefusedAgain) {
  for (int file = 0; file < 20; ++file) {
    Write(std::to_string(file) + ".json", R"({"model": ")" + std::to_string(file + 1) + R"(.json"})");
  }
  NamedFiles files;
  const auto hashes = [&] {
    files.HashesOf(Json::parse(R"({"platform": "0.json"})"), "", (folder_ / "s.json").string());
  };
  const std::string first = ErrorOf(hashes);
  EXPECT_NE(first.find("8.json: more than 8 files"), std::string::npos) << first;
  EXPECT_EQ(ErrorOf(hashes), first);
}

}  // namespace
}  // namespace tandem
