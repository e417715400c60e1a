// Does a board that answers more than it was asked for take no more than that of this machine's disk, memory
// and time?
#include "sim/board/device_client.h"

#include <gtest/gtest.h>

#include <filesystem>
#include <span>
#include <string>

#include "profiles/base/files.h"
#include "profiles/base/input_error.h"
#include "profiles/base/sha256.h"
#include "tests/support/temp_folder.h"

namespace tandem {
namespace {

namespace fs = std::filesystem;

class ABoardThatAnswersMore : public ::testing::Test {
 protected:
  // What the client says of a board of these lines of shell; `plan`: its one plan, to be run twice.
  std::string Said(const std::string& lines, const std::string& plan = "{}") const {
    WriteFile(folder_ / "board.sh", "cat >/dev/null; " + lines);
    const DeviceClient device(DeviceProgram("sh '" + (folder_ / "board.sh").string() + "'"),
                              KeptFiles(folder_ / "kept"),
                              {[] { return true; }, [](const std::string&, std::int64_t, std::int64_t) {}});
    RunOrderToWrite order;
    order.plans = {plan};
    order.repeats = 2;
    try {
      (void)device.AskRuns(order);
    } catch (const EnvironmentError& error) {
      return error.what();
    }
    return "";
  }
  std::size_t Kept() const {
    std::size_t files = 0;
    for (const auto& file : fs::directory_iterator(folder_ / "kept")) {
      files += file.path().filename().string().starts_with("run-result-") ? 1 : 0;
    }
    return files;
  }

  TempFolder folder_;
};

TEST_F(ABoardThatAnswersMore, RunsThanItWasAskedForIsRefusedAtOnce) {
  EXPECT_EQ(Said(R"(head -c 1000 /dev/zero | tr '\0' '\036')"),
            "the device's answer is not understood: it tells of more than the 2 runs that it was asked for");
  EXPECT_EQ(Kept(), 3U) << "one for each, and one without runs behind them";
  // As many as there may be are read.
  const std::string wrong = Said(R"(printf 'x\036x\036x\036')");
  EXPECT_EQ(wrong.find("the device's answer is not understood: run:"), 0U) << wrong;
}

class ABoardThatLacksMore : public ABoardThatAnswersMore {
 protected:
  // It lacks these of the one file that it is offered, and writes down what it is asked.
  std::string SaidOfLacking(const std::string& lacks) const {
    const std::string plan = R"({"model": ")" + file_.string() + R"("})";
    return Said("echo \"$@\" >>'" + asked_.string() + "'; echo '" +
                    R"({"tandem": "store-result/1", "lacks": [)" + lacks + R"(], "name": ""}')",
                plan);
  }
  void SetUp() override { WriteFile(file_, "weights"); }

  fs::path file_ = folder_ / "weights.bin", asked_ = folder_ / "asked.txt";
};

TEST_F(ABoardThatLacksMore, ThanThereAreFilesIsSentNone) {
  const std::string bytes = "weights", hash = Sha256(std::as_bytes(std::span(bytes)));
  const std::string quoted = '"' + hash + '"';
  EXPECT_EQ(SaidOfLacking(quoted + ", " + quoted),
            "the device's answer is not understood: store:/lacks: names " + hash + " twice");
  EXPECT_EQ(ReadTextFile(asked_), "store\n");
}

TEST_F(ABoardThatLacksMore, ThanItIsOfferedIsSentNone) {
  EXPECT_EQ(SaidOfLacking('"' + std::string(64, 'a') + '"'), "the device lacks a file that nobody offered");
  EXPECT_EQ(ReadTextFile(asked_), "store\n");
}

}  // namespace
}  // namespace tandem
