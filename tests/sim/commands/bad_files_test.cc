// Does every kind of mistake in a file get exactly its message, and nothing else?
// tests/bad/NAME.json has one mistake, tests/bad/NAME.message is what `tandem check` says of it, run there.
#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <sstream>

#include "profiles/base/files.h"
#include "tests/support/program.h"

namespace tandem {
namespace {

namespace fs = std::filesystem;

const fs::path kBad = fs::path(TANDEM_TEST_DIR) / "bad";

std::vector<std::string> BadFiles() {
  std::vector<std::string> names;
  for (const auto& file : fs::directory_iterator(kBad)) {
    if (file.path().extension() == ".json") names.push_back(file.path().stem().string());
  }
  std::sort(names.begin(), names.end());
  return names;
}

std::vector<std::string> Lines(const std::string& text) {
  std::vector<std::string> lines;
  std::istringstream stream(text);
  for (std::string line; std::getline(stream, line);) lines.push_back(line);
  return lines;
}

TEST(BadFiles, EachHasItsExactMessage) {
  std::string command = "cd " + kBad.string() + " && " TANDEM_PROGRAM " check";
  std::vector<std::string> expected;
  for (const std::string& name : BadFiles()) {
    command += " " + name + ".json";
    for (const std::string& line : Lines(ReadTextFile(kBad / (name + ".message")))) expected.push_back(line);
  }
  ASSERT_GT(expected.size(), 200U);
  const ProgramResult result = RunShell(command);
  EXPECT_EQ(result.status, 2);
  EXPECT_EQ(result.output, "") << "a bad file was taken for a good one";
  const std::vector<std::string> found = Lines(result.errors);
  for (std::size_t i = 0; i < std::min(expected.size(), found.size()); ++i) {
    ASSERT_EQ(found[i], expected[i]);
  }
  EXPECT_EQ(found.size(), expected.size());
}

TEST(BadFiles, NoMessageIsLeftWithoutItsFile) {
  std::size_t messages = 0;
  for (const auto& file : fs::directory_iterator(kBad)) {
    if (file.path().extension() != ".message") continue;
    ++messages;
    EXPECT_TRUE(fs::exists(fs::path(file.path()).replace_extension(".json"))) << file.path();
  }
  EXPECT_EQ(messages, BadFiles().size());
}

// Too large for the repository: made here, checked, removed.
class HugeFile : public testing::Test {
 protected:
  ~HugeFile() override { fs::remove(path_); }

  template <class Write>
  ProgramResult Check(Write write) {
    {
      std::ofstream file(path_);
      write(file);
    }
    return RunTandem("check " + path_);
  }

  std::string Message(const std::string& what) const { return path_ + what + "\n"; }

  std::string path_ =
      testing::TempDir() + "huge_" + testing::UnitTest::GetInstance()->current_test_info()->name() + ".json";
};

TEST_F(HugeFile, AMillionBracketsAreRefusedAndNotFollowed) {
  const ProgramResult result = Check([](std::ostream& file) { file << std::string(1000000, '['); });
  EXPECT_EQ(result.status, 2);
  EXPECT_EQ(result.errors, Message(": is nested deeper than 64 levels"));
}

TEST_F(HugeFile, AHundredMegabytesOfZerosAreNoJson) {
  const ProgramResult result = Check([&](std::ostream&) { fs::resize_file(path_, 100000000); });
  EXPECT_EQ(result.status, 2);
  EXPECT_EQ(result.errors.substr(0, path_.size() + 5), path_ + ":1:1:") << result.errors;
  EXPECT_LT(result.errors.size(), path_.size() + 200);
}

TEST_F(HugeFile, AMegabyteOfNothingStillHasItsPlace) {
  const ProgramResult result = Check([](std::ostream& file) {
    file << "{\"tandem\": \"scenario/1\"";
    const std::string line(99, ' ');
    for (int i = 0; i < 10000; ++i) file << line << '\n';
  });
  EXPECT_EQ(result.status, 2);
  EXPECT_EQ(result.errors.substr(0, path_.size() + 9), path_ + ":10001:1:") << result.errors;
}

TEST_F(HugeFile, ANameOfAMegabyteIsCutInItsMessage) {
  const ProgramResult result =
      Check([](std::ostream& file) { file << "{\"tandem\": \"" << std::string(1000000, 'x') << "\"}"; });
  EXPECT_EQ(result.status, 2);
  EXPECT_LT(result.errors.size(), path_.size() + 300);  // the kinds that are known are listed
}

TEST_F(HugeFile, NumbersBeyondADoubleAreRefused) {
  const ProgramResult result =
      Check([](std::ostream& file) { file << "{\"tandem\": \"scenario/1\", \"seed\": 1e400}"; });
  EXPECT_EQ(result.status, 2);
  EXPECT_EQ(result.errors, Message(":1:38: the number 1e400 is too large"));
}

TEST_F(HugeFile, TheLastOf50000EntriesIsReadAsStrictlyAsTheFirst) {
  const ProgramResult result = Check([](std::ostream& file) {
    file
        << R"({"tandem": "profile/1", "platform": "unheard of", "origin": {"kind": "estimated", "method": "a test"},)"
        << "\n\"entries\": [\n";
    for (int i = 0; i < 50000; ++i) {
      file << R"({"model": "resnet50", "unit": "u)" << i / 1000 << R"(", "layers": "*", "batch": )"
           << i % 1000 + 1 << R"(, "median_us": 1},)" << '\n';
    }
    file << R"({"model": "resnet50", "unit": "gpu", "layers": "*", "median_us": "1"}]})";
  });
  EXPECT_EQ(result.status, 2);
  EXPECT_EQ(result.errors, Message(":/entries/50000/median_us: expected a number, found the string \"1\""));
}

}  // namespace
}  // namespace tandem
