// Does `tandem-device handover` refuse what makes no sense, and say so where there is nothing to compare?
#include <gtest/gtest.h>
#include <unistd.h>

#include <filesystem>

#include "profiles/base/files.h"
#include "tests/support/program.h"

namespace tandem {
namespace {

namespace fs = std::filesystem;

class HandoverCommand : public ::testing::Test {
 protected:
  HandoverCommand()
      : file_(fs::temp_directory_path() / ("tandem_board_" + std::to_string(::getpid()) + ".json")) {
    WriteFile(file_, R"({"tandem": "platform/1", "name": "board", "memories": [{"name": "dram"}],
                         "units": [{"name": "plain", "kind": "cpu", "memory": "dram", "backend": "reference"}]})");
  }
  ~HandoverCommand() override { fs::remove(file_); }

  ProgramResult Run(const std::string& arguments) {
    return RunShell(TANDEM_PROGRAM " handover " + arguments + " --platform " + file_.string());
  }

  fs::path file_;
};

TEST_F(HandoverCommand, WithoutAUnitOfItsOwnMemoryItEndsWithThree) {
  const ProgramResult result = Run("squeezenet_1_1");
  EXPECT_EQ(result.status, 3);
  EXPECT_EQ(result.output, "");
  EXPECT_EQ(result.errors,
            "tandem-device: there is nothing to compare: every unit here works from the host's memory, so "
            "that images are not "
            "handed over; `tandem-device info` says which processors are off, and why\n");
}

TEST_F(HandoverCommand, SlipsEndWithTwo) {
  EXPECT_EQ(Run("squeezenet_1_1 --modes copy,copy").errors, "--modes: copy is given twice\n");
  EXPECT_EQ(Run("squeezenet_1_1 --modes zerocopy").status, 2);
  EXPECT_EQ(Run("squeezenet_1_1 --images 0").status, 2);
  EXPECT_EQ(Run("squeezenet_1_1 --unit plein").errors,
            "--unit: no unit \"plein\" in platform \"board\"; did you mean \"plain\"?\n");
}

TEST_F(HandoverCommand, StartsNoProgramThatABoardNames) {
  const fs::path started = file_.string() + ".started";
  WriteFile(file_, R"({"tandem": "platform/1", "name": "board", "memories": [{"name": "dram"}],
                       "units": [{"name": "plain", "kind": "cpu", "memory": "dram", "backend": "reference"},
                                 {"name": "npu", "kind": "npu", "memory": "dram", "backend": "command",
                                  "command": ["touch", ")" +
                       started.string() + R"("]}]})");
  const ProgramResult refused = Run("squeezenet_1_1 --unit plain");
  EXPECT_EQ(refused.status, 2);
  EXPECT_EQ(refused.errors, file_.string() + ": names a program to be started, unit \"npu\": \"touch " +
                                started.string() + "\"; --allow-commands starts what files name\n");
  EXPECT_FALSE(fs::exists(started));
}

}  // namespace
}  // namespace tandem
