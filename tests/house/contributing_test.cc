// Is what CONTRIBUTING.md shows of an addition the code of the test that makes it?
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <iterator>
#include <regex>
#include <sstream>
#include <string>

#include "tests/house/text_of.h"

namespace {
namespace fs = std::filesystem;

struct Shown {
  std::string lines;    // the added ones, but for those of CMake
  std::string foreign;  // those that the test's file has not
};

// The lines that a diff adds, each held against `code`.
Shown Compare(const std::string& diff, const std::string& code) {
  Shown shown;
  std::istringstream stream(diff);
  std::string line;
  bool cmake = false;
  while (std::getline(stream, line)) {
    if (line.empty() || line[0] != '+') {
      cmake = line.find("CMakeLists.txt") != std::string::npos;
      continue;
    }
    if (cmake) continue;
    shown.lines += line.substr(1) + "\n";
    if (("\n" + code).find("\n" + line.substr(1) + "\n") == std::string::npos) shown.foreign += line + "\n";
  }
  return shown;
}

TEST(Contributing, ShowsAdditionsAsTheirTestsMakeThem) {
  const fs::path root = fs::path(TANDEM_TEST_DIR).parent_path();
  const std::string page = TextOf(root / "CONTRIBUTING.md");
  static const std::regex addition("As in\\s`(tests/[^`]+)`:\n```diff\n([^`]*)```");
  int additions = 0;
  for (auto at = std::sregex_iterator(page.begin(), page.end(), addition); at != std::sregex_iterator();
       ++at) {
    const Shown shown = Compare((*at)[2], TextOf(root / (*at)[1].str()));
    EXPECT_EQ(shown.foreign, "") << (*at)[1] << " has not these lines";
    EXPECT_NE(shown.lines, "") << (*at)[1];
    ++additions;
  }
  EXPECT_EQ(additions, 7);
}

}  // namespace
