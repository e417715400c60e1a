// Are files that are too large, too deep or too long for their kind refused at once, within 2 GiB, in a
// message of sane length? They are too large for the repository: made here, checked, removed.
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>

#include "tests/support/program.h"
#include "tests/support/sanitized.h"

namespace tandem {
namespace {

namespace fs = std::filesystem;

class HugeFile : public testing::Test {
 protected:
  ~HugeFile() override { fs::remove(path_); }

  template <class Write>
  ProgramResult Check(Write write) {
    {
      std::ofstream file(path_);
      write(file);
    }
    return RunShell(std::string(kLimit) + TANDEM_PROGRAM " check " + path_);
  }

  // What docs/security.md promises; sanitizers map more than that for themselves.
  static constexpr const char* kLimit = kSanitized ? "" : "ulimit -v 2097152 && ";

  std::string Message(const std::string& what) const { return path_ + what + "\n"; }

  std::string path_ =
      testing::TempDir() + "huge_" + testing::UnitTest::GetInstance()->current_test_info()->name() + ".json";
};

TEST_F(HugeFile, AMillionBracketsAreRefusedAndNotFollowed) {
  const ProgramResult result = Check([](std::ostream& file) { file << std::string(1000000, '['); });
  EXPECT_EQ(result.status, 2);
  EXPECT_EQ(result.errors, Message(": is nested deeper than 64 levels"));
}

TEST_F(HugeFile, SixtyMegabytesOfZerosAreNoJson) {
  const ProgramResult result = Check([&](std::ostream&) { fs::resize_file(path_, 60000000); });
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

TEST_F(HugeFile, WhatAModelStatesIsNotAllocated) {
  const ProgramResult result = Check([](std::ostream& file) {
    file << R"({"tandem": "model/1", "name": "net", "layers": [
      {"name": "in", "op": "input", "shape": [1, 64, 30000, 30000]},
      {"name": "c", "op": "conv", "inputs": ["in"], "out_channels": 1000000, "kernel": [3, 3], "pad": [1, 1, 1, 1]}]})";
  });
  EXPECT_LE(result.status, 2) << result.errors;
  EXPECT_LT(result.errors.size(), path_.size() + 300);
}

// Nothing but its first block is read.
TEST_F(HugeFile, IsRefusedByTheSizeOfItsKind) {
  ProgramResult result = Check([&](std::ostream& file) {
    file << "{\"tandem\": \"scenario/1\"" << std::flush;
    fs::resize_file(path_, 70'000'000);
  });
  EXPECT_EQ(result.status, 2);
  EXPECT_EQ(result.errors, Message(": is larger than 64 MiB, the most that is read of a scenario/1"));
  result = Check([&](std::ostream& file) {
    file << "{\"tandem\": \"trace/1\"" << std::flush;
    fs::resize_file(path_, 600'000'000);
  });
  EXPECT_EQ(result.errors, Message(": is larger than 512 MiB, the most that is read of a trace/1"));
  result = Check([&](std::ostream& file) {
    file << "   " << std::flush;
    fs::resize_file(path_, 500'000'000);
  });
  EXPECT_EQ(
      result.errors,
      Message(": is larger than 64 MiB, the most that is read of a file that does not begin with its kind"));
}

TEST_F(HugeFile, ATokenOfMegabytesIsNotKeptSeveralTimesOver) {
  ProgramResult result =
      Check([](std::ostream& file) { file << "{\"tandem\":\n  " << std::string(5000000, ' '); });
  EXPECT_EQ(result.status, 2);
  EXPECT_EQ(result.errors,
            Message(":1:10: a string, a number or white space of more than 4 MiB begins here"));
  result = Check([](std::ostream& file) { file << "{\"seed\": " << std::string(5000000, '1') << "}"; });
  EXPECT_EQ(result.errors, Message(":1:8: a string, a number or white space of more than 4 MiB begins here"));
  result = Check([](std::ostream& file) { file << "{\"name\": \"" << std::string(5000000, ',') << "\"}"; });
  EXPECT_EQ(result.errors,
            Message(":1:10: a string, a number or white space of more than 4 MiB begins here"));
}

}  // namespace
}  // namespace tandem
