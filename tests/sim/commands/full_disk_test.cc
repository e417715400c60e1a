// Does every writer tell of a disk that is full, end with 3 and leave nothing behind?
#include <gtest/gtest.h>

#include <filesystem>

#include "tests/support/program.h"
#include "tests/support/temp_folder.h"

namespace tandem {
namespace {

namespace fs = std::filesystem;

// A shell that lets a file grow to so many blocks and no further.
ProgramResult WithRoomFor(const fs::path& folder, const std::string& blocks, const std::string& arguments) {
  return RunShell("cd " + folder.string() + " && ulimit -f " + blocks + " && " TANDEM_PROGRAM " " +
                  arguments);
}

void ExpectTold(const std::string& arguments, const std::string& file, const std::string& blocks = "8") {
  const TempFolder folder;
  const ProgramResult result = WithRoomFor(folder, blocks, arguments);
  EXPECT_EQ(result.status, 3) << arguments << ": " << result.errors;
  EXPECT_NE(result.errors.find(file + ": cannot be written"), std::string::npos) << result.errors;
  EXPECT_TRUE(fs::is_empty(folder)) << arguments << " leaves " << fs::directory_iterator(folder)->path();
}

TEST(FullDisk, EndsAnExport) {
  if (RunTandem("models export --help").output.find("none;") != std::string::npos) {
    GTEST_SKIP() << "no ONNX in this build";
  }
  ExpectTold("models export squeezenet_1_1 -o x.onnx", "x.onnx");
  EXPECT_EQ(RunTandem("models export squeezenet_1_1 -o - >/dev/full").status, 3);
}

TEST(FullDisk, EndsWhatWritesModelsRunsAndPlans) {
  ExpectTold("models import resnet50 -o x", "x.json");
  const std::string engine = " --engine virtual --policy fcfs";
  ExpectTold("simulate study-003 --trace x.json" + engine, "x.json");
  ExpectTold("simulate study-003 --csv x.csv" + engine, "x.csv", "1");
  ExpectTold("plan study-003 -o x.plan.json" + engine, "x.plan.json", "1");
}

}  // namespace
}  // namespace tandem
