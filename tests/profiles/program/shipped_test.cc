// Does a name find what the project ships, and does a path stay a path?
#include "profiles/program/shipped.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <string>
#include <vector>

#include "profiles/base/input_error.h"

namespace tandem {
namespace {
namespace fs = std::filesystem;

TEST(Shipped, NameHasNeitherSlashNorSuffix) {
  EXPECT_TRUE(IsShippedName("tinker-edge-r"));
  EXPECT_TRUE(IsShippedName("jetson-tx1.5"));
  EXPECT_FALSE(IsShippedName("tinker.platform.json"));
  EXPECT_FALSE(IsShippedName("./tinker"));
  EXPECT_FALSE(IsShippedName("boards/tinker"));
  EXPECT_FALSE(IsShippedName(""));
  EXPECT_FALSE(IsShippedName(".."));
}

TEST(Shipped, PathsAreRelativeToTheFileThatNamesThem) {
  EXPECT_EQ(FindFile("my.platform.json", "a/b/scenario.json", "boards", ".platform.json"),
            fs::path("a/b/my.platform.json"));
  EXPECT_EQ(FindFile("/x/y", "a/b/scenario.json", "boards", ".platform.json"), fs::path("/x/y"));
}

TEST(Shipped, DirectoryHoldsTheFolders) {
  for (const char* folder : {"boards", "scenarios", "schemas"}) {
    EXPECT_TRUE(fs::is_directory(ShippedDirectory() / folder)) << folder;
  }
}

TEST(Shipped, UnknownNameIsAnInputError) {
  try {
    FindFile("no-such-board-anywhere", "scenario.json", "boards", ".platform.json");
    FAIL() << "found";
  } catch (const InputError& error) {
    EXPECT_EQ(std::string(error.what()).rfind("nothing that tandem ships in boards is called", 0), 0u)
        << error.what();
  }
}

TEST(Shipped, EveryNameOfAFolderIsFound) {
  const std::vector<std::string> names = ShippedNames("boards", ".platform.json");
  EXPECT_TRUE(std::is_sorted(names.begin(), names.end()));
  for (const std::string& name : names) {
    const fs::path file = FindFile(name, "scenario.json", "boards", ".platform.json");
    EXPECT_TRUE(fs::is_regular_file(file)) << file;
  }
}

}  // namespace
}  // namespace tandem
